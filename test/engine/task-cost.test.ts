import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TaskInput, TaskName } from '../../engine/task.ts';
import { estimateCostMs, estimateMemory, type FileCost } from '../../engine/task-cost.ts';

const MEGAPIXEL: FileCost = {
  format: 'jpeg',
  pixels: 1e6,
  frames: 1,
  pages: 1,
  heldFrames: 1,
  resultFrames: 1,
  decodedFrames: 1,
  scans: 1,
  streams: true,
  decoderBytes: 0,
  isBuffered: false,
  isRefused: false,
};

const costOf = (name: TaskName, params: object, files = [MEGAPIXEL], bytes = 0) =>
  estimateCostMs(name, { params } as TaskInput<TaskName>, files, bytes);

describe('the estimated cost of a task', () => {
  it('grows with the pixels, and with the scans of a progressive JPEG', () => {
    const one = costOf('compress', { format: 'jpeg' });
    assert.ok(costOf('compress', { format: 'jpeg' }, [{ ...MEGAPIXEL, pixels: 1e7 }]) > 8 * one);
    assert.equal(costOf('compress', { format: 'jpeg' }, [{ ...MEGAPIXEL, scans: 10 }]), one);
    assert.ok(costOf('compress', { format: 'jpeg' }, [{ ...MEGAPIXEL, scans: 100 }]) > 5 * one);
  });

  it('adds up all results of a pipeline', () => {
    const steps = [{ op: 'compress', params: { mode: 'quality' } }];
    const cost = (outputs: object) =>
      costOf('pipeline-outputs', { steps, outputs: { widths: [900], formats: ['avif'], ...outputs } });
    const one = cost({});
    assert.ok(cost({ widths: [900, 901, 902, 903] }) > 3.5 * one);
    assert.ok(cost({ formats: ['avif', 'jxl'] }) > one);
    assert.ok(cost({ widths: [90] }) < one / 5);
    assert.ok(cost({ mode: 'smart' }) > 4 * one);
    assert.equal(cost({ widths: [5000] }), cost({ widths: [6000] }), 'nothing is enlarged');
    assert.ok(costOf('pipeline-outputs', { steps: [], outputs: { widths: [900], formats: ['avif'] } }) >= one);
  });

  it('depends on the output: format, mode and size', () => {
    const jpeg = costOf('compress', { format: 'jpeg' });
    const avif = costOf('compress', { format: 'avif' });
    assert.ok(avif > 10 * jpeg);
    assert.ok(costOf('compress', { format: 'jpeg', mode: 'smart' }) > 3 * jpeg);
    const small = costOf('compress', { format: 'avif', width: 320 });
    assert.ok(small < avif / 5 && small > costOf('compress', { format: 'jpeg', width: 320 }));
    assert.equal(costOf('compress', { format: 'jpeg', width: 5000 }), jpeg, 'nothing is enlarged');
  });

  it('is that of the most expensive step of a pipeline, at the smallest size', () => {
    const steps = [
      { op: 'resize', params: { width: 320 } },
      { op: 'compress', params: { format: 'avif' } },
    ];
    assert.equal(costOf('pipeline', { steps }), costOf('compress', { format: 'avif', width: 320 }));
  });

  it('distinguishes long model tasks from short ones', () => {
    assert.ok(costOf('upscale', {}) > 3000);
    for (const name of ['ocr', 'remove-background', 'faces'] as const) assert.ok(costOf(name, {}) < 3000, name);
  });

  it('of text depends on its bytes', () => {
    assert.ok(costOf('read-document', {}, [], 10_000_000) > 20 * costOf('read-document', {}, [], 1000));
  });
});

describe('the estimated memory of a task', () => {
  it('counts the buffers of our own decoders, which libvips memory cannot provide', () => {
    for (const name of ['inspect', 'compress', 'blur-faces'] as const) {
      const needOf = (file: FileCost) => estimateMemory(name, { params: {} } as TaskInput<TaskName>, [file]);
      const file = { ...MEGAPIXEL, streams: false };
      const { heldBytes, bufferBytes } = needOf({ ...file, isBuffered: true });
      assert.equal(bufferBytes - needOf(file).bufferBytes, 8e6, name);
      assert.equal(heldBytes - needOf(file).heldBytes, 4e6, name);
    }
  });

  const heldOf = (name: TaskName, params: object, file = MEGAPIXEL) =>
    estimateMemory(name, { params } as TaskInput<TaskName>, [file]).heldBytes;

  it('is that of the image, as decoded and as encoded', () => {
    assert.equal(heldOf('compress', {}), 11e6);
    assert.equal(heldOf('compress', {}, { ...MEGAPIXEL, streams: false }), 19e6);
    assert.equal(heldOf('inspect', {}), 8e6);
    assert.equal(heldOf('compress', { mode: 'smart' }), 44e6);
  });

  it('includes the animation frames that are held', () => {
    const animation = { ...MEGAPIXEL, streams: false, frames: 10, decodedFrames: 10 };
    assert.equal(heldOf('compress', {}, { ...animation, heldFrames: 10 }), 80e6 + 11e6);
    assert.equal(heldOf('gif', {}, { ...animation, resultFrames: 10 }), 8e6 + 11e6 + 9 * 4e6);
  });

  it('is outside libvips while frames wait to become a GIF', () => {
    const animation = { ...MEGAPIXEL, frames: 10, decodedFrames: 10, resultFrames: 10 };
    const buffersOf = (format: string) =>
      estimateMemory('gif', { params: { format } } as TaskInput<'gif'>, [animation]).bufferBytes;
    assert.deepEqual(['gif', 'webp'].map(buffersOf), [9 * 4e6, 0]);
  });

  it('is at least what the decoder holds', () => {
    const several = { ...MEGAPIXEL, decoderBytes: 6e6 };
    assert.equal(heldOf('compress', { width: 100 }, several), 6e6 + 11 * 100 * 100);
    assert.equal(heldOf('inspect', {}, { ...several, decoderBytes: 12e6 }), 12e6);
  });

  it('is less when a smaller image is written while the rows are read', () => {
    assert.equal(heldOf('compress', { width: 100 }), 11 * 100 * 100);
    assert.equal(heldOf('compress', { width: 100 }, { ...MEGAPIXEL, streams: false }), 8e6 + 11 * 100 * 100);
  });
});
