/** POST /api/v1/inspect: reports the contents of an image file (docs/spec/shapes.md, section 7). */
import type { z } from 'zod';
import { inspectParams } from '../../engine/operations/inspect/params.ts';
import { inspectionRecord } from '../../engine/operations/inspect/record.ts';
import { ONE_REQUEST } from '../account/credits.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import type { OperationDeclaration } from './declaration.ts';
import { sourceOperationDocumentation } from './documentation.ts';
import { sourceOperation } from './source-operation.ts';

export const inspectOperation: OperationDeclaration<'inspect', typeof inspectParams> = {
  task: 'inspect',
  path: '/api/v1/inspect',
  summary: 'Report the format, size, metadata, GPS position and fingerprints of an image',
  description: 'Changes nothing and stores nothing.',
  params: inspectParams,
  errors: [],
  lane: 'interactive',
  cost: ONE_REQUEST,
  toInput: (image, params) => ({ image, params }),
};

export const inspect = sourceOperation<'inspect', z.output<typeof inspectParams>>({
  ...inspectOperation,
  document: (params) => ({
    ...sourceOperationDocumentation({ ...inspectOperation, params }),
    responses: { '200': jsonResponse('What is in the file.', inspectionRecord) },
  }),
  summarise: ({ record: { width, height }, phases }) => ({ pixels: width * height, phases, bytes: 0 }),
  answer({ ctx }, { result, durationMs }) {
    ctx.body = { ...result.record, duration_ms: Math.round(durationMs) } satisfies z.output<typeof inspectionRecord>;
    ctx.set('Cache-Control', 'no-store');
  },
});
