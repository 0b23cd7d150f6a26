import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TaskInput } from '../../engine/task.ts';
import { paddedBytes } from '../../engine/task-requirements.ts';

const image = { data: new ArrayBuffer(1) };

describe('the padded size of a response', () => {
  it('comes from the request, or is the maximum over the steps of a pipeline', () => {
    const compress = (params: object) => ({ image, params }) as TaskInput<'compress'>;
    const pipeline = (...params: object[]) =>
      ({
        image,
        params: { steps: params.map((one) => ({ op: 'compress', params: one })), maxPixels: 0 },
      }) as TaskInput<'pipeline'>;
    assert.equal(paddedBytes(compress({})), 0);
    assert.equal(paddedBytes(compress({ min_bytes: 5000 })), 5000);
    assert.equal(paddedBytes(pipeline({}, { width: 7 })), 0);
    assert.equal(paddedBytes(pipeline({ min_bytes: 300 }, { min_bytes: 9000 })), 9000);
  });
});
