/** Duration of an animation and display times of its frames. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { coalesceCalls } from '../../../../console/ui/animation/coalesce-calls.ts';
import { animationType, frameDelays } from '../../../../console/ui/animation/frame-times.ts';
import {
  edgesOf,
  frameAt,
  nearestEdge,
  rangeOf,
  sampleFrames,
  secondsOf,
  timeAfterKey,
  withSide,
} from '../../../../console/ui/animation/times.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../../support/corpus.ts';
import { pattern } from '../../../support/test-images.ts';

const DELAYS = [100, 50, 200, 10];
/** Browsers play a delay of 10 ms as 100 ms. */
const PLAYED = [100, 50, 200, 100];
const EDGES = edgesOf(PLAYED);

/** Encodes four frames of 12 x 8 pixels, each a different part of a pattern. */
function animation(format: 'gif' | 'webp'): Promise<Buffer> {
  const { data, width } = pattern(12, 32);
  const raw = sharp(data, { raw: { width, height: 32, channels: 3, pageHeight: 8 } });
  return raw[format]({ delay: DELAYS }).toBuffer();
}

describe('the times of frames', () => {
  for (const format of ['gif', 'webp'] as const)
    it(`are read from ${format}, as browsers play them`, async () => {
      const bytes = await animation(format);
      assert.equal(animationType(bytes), `image/${format}`);
      assert.deepEqual(frameDelays(bytes), PLAYED);
      // A file truncated at any byte gives fewer frames, never an error.
      for (let length = 0; length < bytes.length; length += 7)
        assert.ok(frameDelays(bytes.subarray(0, length)).length <= 4);
    });

  it('are empty for other files', async () => {
    const bytes = await sharp(pattern(8, 8).data, { raw: { width: 8, height: 8, channels: 3 } })
      .png()
      .toBuffer();
    assert.deepEqual(frameDelays(bytes), []);
    assert.equal(animationType(bytes), undefined);
  });

  it('match those that other programs read from real files', { skip: corpusSkipReason }, async () => {
    let read = 0;
    for (const path of [...corpusFiles('gif').filter((name) => name.endsWith('.gif')), 'webp/image--anim.webp']) {
      const bytes = corpus(path)!;
      const { pages = 1, delay } = await sharp(bytes, { animated: true })
        .metadata()
        .catch(() => ({ pages: 0, delay: [] }));
      if (pages < 2) continue;
      read += 1;
      const delays = frameDelays(bytes);
      assert.equal(delays.length, pages, path);
      const played = delay?.map((time) => (time <= 10 ? 100 : time));
      if (played?.length === pages) assert.deepEqual(delays, played, path);
    }
    assert.ok(read > 5);
  });
});

describe('the timeline of an animation', () => {
  it('follows the times of its frames', () => {
    assert.deepEqual(EDGES, [0, 100, 150, 350, 450]);
    assert.deepEqual(
      [0, 99, 100, 349, 350, 449, 450, 9000].map((time) => frameAt(EDGES, time)),
      [0, 0, 1, 2, 3, 3, 3, 3],
    );
    assert.deepEqual(
      [40, 60, 120, 130, 9000].map((time) => nearestEdge(EDGES, time)),
      [0, 100, 100, 150, 450],
    );
    assert.deepEqual(sampleFrames(EDGES, 3), [0, 2, 3]);
  });

  it('limits a range to the frame edges, at least one frame long', () => {
    const whole = rangeOf(EDGES, undefined, undefined);
    assert.deepEqual(whole, { start: 0, end: 450 });
    assert.deepEqual(rangeOf(EDGES, 0.1, 0.35), { start: 100, end: 350 });
    assert.deepEqual(rangeOf(EDGES, 5, 9), whole);
    assert.deepEqual(rangeOf(EDGES, 0.3, 0.2), whole);
    const kept = withSide(EDGES, whole, 'start', 140);
    assert.deepEqual(kept, { start: 150, end: 450 });
    assert.deepEqual(withSide(EDGES, kept, 'end', 0), { start: 150, end: 350 });
    assert.deepEqual(withSide(EDGES, { start: 0, end: 150 }, 'start', 400), { start: 100, end: 150 });
    assert.deepEqual(secondsOf(EDGES, whole), [undefined, undefined]);
    assert.deepEqual(secondsOf(EDGES, { start: 100, end: 350 }), [0.1, 0.35]);
  });

  it('moves by keys, one frame at a time', () => {
    assert.deepEqual(
      ['ArrowRight', 'ArrowLeft', 'Home', 'End', 'PageUp', 'x'].map((key) => timeAfterKey(EDGES, 150, key)),
      [350, 100, 0, 450, 450, undefined],
    );
  });
});

describe('coalesceCalls', () => {
  it('runs the first and the last call, one after the other', async () => {
    const done: number[] = [];
    const show = coalesceCalls(async (wanted: number) => {
      await Promise.resolve();
      done.push(wanted);
    });
    for (const wanted of [1, 2, 3, 4]) show(wanted);
    await new Promise(setImmediate);
    assert.deepEqual(done, [1, 4]);
  });
});
