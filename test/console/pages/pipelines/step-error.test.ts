import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../../../base/failure.ts';
import { toStepError } from '../../../../console/pages/pipelines/step-error.ts';
import { parsePipeline } from '../../../../engine/pipeline/parse.ts';

/** Returns the location of the error that the service reports for a pipeline. */
function refused(pipeline: unknown): Omit<ReturnType<typeof toStepError>, 'message'> {
  try {
    parsePipeline(pipeline);
  } catch (error) {
    assert.ok(error instanceof Failure);
    const { message, ...place } = toStepError(error);
    assert.equal(message, error.message);
    return place;
  }
  throw new Error('It was not refused.');
}

describe('the place of a pipeline error', () => {
  it('is found for every kind of error', () => {
    const flip = { op: 'flip' };
    assert.deepEqual(refused({ steps: [flip, { op: 'resize', params: { width: 0 } }] }), {
      step: 1,
      parameter: 'width',
    });
    assert.deepEqual(refused({ steps: [{ op: 'flip', params: { flop: 'h' } }] }), { step: 0, parameter: 'flop' });
    assert.deepEqual(refused({ steps: [{ op: 'flip', when: { min_width: -1 } }] }), { step: 0, isOfCondition: true });
    assert.deepEqual(refused({ steps: [{ op: 'flip', when: { any: [] } }] }), { step: 0, isOfCondition: true });
    assert.deepEqual(refused({ steps: [{ op: 'compress' }, flip] }), { step: 1 });
    assert.deepEqual(refused({ steps: [{ op: 'convert' }] }), { step: 0, parameter: 'format' });
    assert.deepEqual(refused({ steps: [] }), {});
    assert.deepEqual(refused({ steps: [flip], output_name: 1 }), {});
  });

  it('is found in the message of an error at run time', () => {
    const message = 'Expected an area inside the image in step 3 (crop) but received 0,0,9,9.';
    assert.deepEqual(toStepError({ message }), { message, step: 2 });
  });
});
