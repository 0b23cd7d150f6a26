/** What the pipeline asks of every step: it names none, so the parts that belong together must be complete. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodingParamsOf } from '../../../engine/steps/encoding.ts';
import { STEP_OPS, STEP_PARAMS, type StepOp } from '../../../engine/steps/registry.ts';
import { bindStep } from '../../../engine/steps/step.ts';
import { workerDefinition } from '../../../engine/steps/worker/registry.ts';

const opsWith = (property: 'isEncoding' | 'encodesOutputs' | 'file' | 'editFrames' | 'isLast'): StepOp[] =>
  STEP_OPS.filter((op) => workerDefinition(op)[property] !== undefined);

const bound = (op: StepOp, params: object) => bindStep(workerDefinition(op), STEP_PARAMS[op].parse(params));

describe('the properties of the steps', () => {
  it('gives every encoding step either the parameters of compress or a file of its own', () => {
    assert.ok(opsWith('isEncoding').length > 0);
    for (const op of opsWith('isEncoding')) {
      const { encoding, file } = workerDefinition(op);
      assert.notEqual(encoding === undefined, file === undefined, op);
    }
  });

  it('writes every file that a step declares as its own', () => {
    assert.ok(opsWith('file').length > 0);
    for (const op of opsWith('file')) assert.ok(workerDefinition(op).writeFile, op);
  });

  it('writes the frames that a step makes, without another step that changes pixels', () => {
    assert.ok(opsWith('editFrames').length > 0);
    for (const op of opsWith('editFrames')) {
      const { file, isOnlyPixelStep } = workerDefinition(op);
      assert.ok(file && isOnlyPixelStep, op);
    }
  });

  it('takes the settings of several results from parameters of compress', () => {
    assert.ok(opsWith('encodesOutputs').length > 0);
    for (const op of opsWith('encodesOutputs')) assert.ok(workerDefinition(op).encoding, op);
  });
});

describe('the parameters of the encoding', () => {
  const { metadata: _, ...defaults } = STEP_PARAMS.compress.parse({});

  it('are the defaults of compress where no step sets them', () => {
    assert.deepEqual(encodingParamsOf(undefined, []), { ...defaults, metadata: 'strip' });
  });

  it('are those of the encoding step', () => {
    const convert = bound('convert', { format: 'webp', quality: 31 });
    assert.deepEqual(encodingParamsOf(convert, [convert]), {
      ...defaults,
      ...{ format: 'webp', quality: 31, metadata: 'strip' },
    });
  });

  it('have the metadata mode of the last step that sets one', () => {
    const steps = [bound('metadata', { metadata: 'no_gps' }), bound('metadata', { metadata: 'keep' })];
    assert.equal(encodingParamsOf(bound('compress', {}), steps).metadata, 'keep');
    assert.equal(encodingParamsOf(bound('compress', { metadata: 'color' }), steps).metadata, 'color');
  });
});
