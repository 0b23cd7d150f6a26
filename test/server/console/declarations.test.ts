import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildDeclarations } from '../../../server/console/declarations.ts';
import { DOCUMENTED } from '../../../server/endpoints.ts';
import { createOpenApi } from '../../../server/http/openapi.ts';

test('the operations that need the scope ai are those that run a model with their default parameters', () => {
  const { operations } = buildDeclarations(createOpenApi(DOCUMENTED));
  const needing = operations.filter(({ needsModel }) => needsModel).map(({ id }) => id);
  // Compress runs one only for a cut around faces, and id-photo only for another background.
  assert.deepEqual(needing.sort(), ['blur-faces', 'faces', 'ocr', 'remove-background', 'upscale']);
});

test('a condition on formats lists them', () => {
  const { conditions } = buildDeclarations(createOpenApi(DOCUMENTED));
  for (const name of ['format', 'not_format'])
    assert.ok(conditions.find((each) => each.name === name)?.enum?.includes('jpeg'), name);
});
