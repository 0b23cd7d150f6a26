/** Which frames are shown and for how long: the arithmetic alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { playedDelays } from '../../../codecs/played-delays.ts';
import { milliseconds, planTimeline, type TimelineEdits, total } from '../../../engine/operations/gif/timeline.ts';
import { makeRandom } from '../../support/damage.ts';
import { failureOf } from '../../support/failure.ts';
import { verifies } from '../../support/verifies.ts';

const NONE: TimelineEdits = { every: 1, reverse: false, speed: 100, format: 'gif' };

/** Returns the frames and delays of the result as pairs. */
const plan = (delays: readonly number[], edits: Partial<TimelineEdits> = {}) =>
  planTimeline(delays, { ...NONE, ...edits }).map(({ index, delay }) => [index, delay]);
const delaysOf = (delays: readonly number[], edits: Partial<TimelineEdits> = {}) =>
  planTimeline(delays, { ...NONE, ...edits }).map(({ delay }) => delay);

describe('the delays of a source', () => {
  it('are those of the file, except that delays up to 10 ms are those of browsers', () => {
    assert.deepEqual(playedDelays([0, 10, 11, 20, 500]), [100, 100, 11, 20, 500]);
    assert.deepEqual(playedDelays([]), []);
  });
});

describe('without an edit', () => {
  it('every frame keeps its position and its delay', () => {
    assert.deepEqual(plan([100, 50, 20, 3000]), [
      [0, 100],
      [1, 50],
      [2, 20],
      [3, 3000],
    ]);
  });
});

describe('trim', () => {
  const delays = [100, 200, 300, 400];

  it('keeps the part of a frame that is inside the range', () => {
    verifies('gif.trim-start', 'gif.trim-end');
    assert.deepEqual(plan(delays, { trim_start: 0.15, trim_end: 0.65 }), [
      [1, 150],
      [2, 300],
      [3, 50],
    ]);
    assert.deepEqual(plan(delays, { trim_start: 0.32, trim_end: 0.38 }), [[2, 60]]);
  });

  it('at frame borders cuts no frame', () => {
    assert.deepEqual(plan(delays, { trim_start: 0.1, trim_end: 0.6 }), [
      [1, 200],
      [2, 300],
    ]);
  });

  it('uses whole milliseconds, despite rounding errors of decimal fractions', () => {
    assert.equal(milliseconds(1.005), 1005);
    assert.equal(milliseconds(0.29), 290);
    // In floating point, 0.07 + 0.07 + 0.07 is slightly more than 0.21. Without rounding, the third frame would remain
    // with no duration.
    assert.deepEqual(plan([70, 70, 70, 70], { trim_start: 0.07 + 0.07 + 0.07, format: 'webp' }), [[3, 70]]);
    assert.deepEqual(plan([70, 70, 70, 70], { trim_end: 0.1 + 0.04 }), [
      [0, 70],
      [1, 70],
    ]);
  });

  it('from 0 to after the end changes nothing', () => {
    assert.deepEqual(plan(delays, { trim_start: 0, trim_end: 1e300 }), plan(delays));
    assert.deepEqual(plan(delays, { trim_end: 1 }), plan(delays));
  });

  it('shows the rest of a frame for at least 20 ms', () => {
    verifies('gif.speed.shortest-frame');
    assert.deepEqual(plan(delays, { trim_start: 0.599, trim_end: 0.601 }), [
      [2, 20],
      [3, 20],
    ]);
  });

  it('that leaves nothing is rejected, with the length of the animation', async () => {
    const failure = await failureOf('invalid_parameter', () => plan(delays, { trim_start: 1 }));
    assert.deepEqual(
      [failure.param, failure.message],
      ['trim_start', 'Expected a time before the end of the animation (1 s) for trim_start but received 1.'],
    );
    await failureOf('invalid_parameter', () => plan(delays, { trim_start: 1e300 }));
    assert.deepEqual(plan(delays, { trim_start: 0.999 }), [[3, 20]]);
  });
});

describe('every', () => {
  const delays = [10, 20, 30, 40, 50, 60, 70].map((delay) => delay * 10);

  it('keeps the first of every N frames, with the time of all of them', () => {
    verifies('gif.every');
    assert.deepEqual(plan(delays, { every: 2 }), [
      [0, 300],
      [2, 700],
      [4, 1100],
      [6, 700],
    ]);
    assert.deepEqual(plan(delays, { every: 3 }), [
      [0, 600],
      [3, 1500],
      [6, 700],
    ]);
    assert.deepEqual(plan(delays, { every: 4 }), [
      [0, 1000],
      [4, 1800],
    ]);
    assert.deepEqual(plan([500], { every: 4 }), [[0, 500]]);
  });

  it('counts from the first frame after the trim', () => {
    verifies('gif.order');
    assert.deepEqual(plan(delays, { every: 2, trim_start: 0.1 }), [
      [1, 500],
      [3, 900],
      [5, 1300],
    ]);
  });
});

describe('reverse', () => {
  it('shows the last frame first, each with its own delay', () => {
    verifies('gif.reverse');
    assert.deepEqual(plan([100, 200, 300], { reverse: true }), [
      [2, 300],
      [1, 200],
      [0, 100],
    ]);
  });

  it('is applied after every: the same frames are kept', () => {
    verifies('gif.order');
    assert.deepEqual(plan([100, 200, 300, 400], { reverse: true, every: 3 }), [
      [3, 400],
      [0, 600],
    ]);
  });
});

describe('speed', () => {
  it('divides the delays', () => {
    verifies('gif.speed');
    assert.deepEqual(delaysOf([100, 200, 400], { speed: 200 }), [50, 100, 200]);
    assert.deepEqual(delaysOf([100, 200, 400], { speed: 25 }), [400, 800, 1600]);
    assert.deepEqual(delaysOf([100, 200, 400], { speed: 400, format: 'webp' }), [25, 50, 100]);
  });

  it('rounds to the units of the format, without drift', () => {
    assert.deepEqual(delaysOf([70, 70, 70, 70], { speed: 200 }), [40, 30, 40, 30]);
    assert.deepEqual(delaysOf([33, 33, 33, 33], { format: 'gif' }), [30, 40, 30, 30]);
    assert.deepEqual(delaysOf([33, 33, 33, 33], { format: 'webp' }), [33, 33, 33, 33]);
    assert.deepEqual(delaysOf([100, 100, 100], { speed: 300, format: 'webp' }), [33, 34, 33]);
  });

  it('shows no frame for less than 20 ms, and takes no time from other frames', () => {
    verifies('gif.speed.shortest-frame');
    assert.deepEqual(delaysOf([20, 20, 1000], { speed: 400 }), [20, 20, 250]);
    assert.deepEqual(delaysOf([40, 40, 40], { speed: 400, format: 'webp' }), [20, 20, 20]);
    // 22 ms each: a fourth frame of 18 ms is not shown, and the fifth compensates for the extra time.
    assert.deepEqual(delaysOf(Array(5).fill(44), { speed: 200 }), [20, 20, 30, 20, 20]);
  });

  it('stays within the limits of the format', () => {
    assert.deepEqual(delaysOf([655_350, 100], { speed: 25 }), [655_350, 400]);
    assert.deepEqual(delaysOf([655_350, 100], { speed: 25, format: 'webp' }), [2_621_400, 400]);
    assert.deepEqual(delaysOf([16_777_215], { speed: 25, format: 'webp' }), [16_777_215]);
  });
});

describe('any animation with any edits', () => {
  it('has frames in order, delays that the format allows, and a length that differs only by rounding', () => {
    const random = makeRandom(42);
    for (let round = 0; round < 3000; round += 1) {
      const delays = Array.from({ length: 1 + random(40) }, () => 20 + random(400));
      const length = total(delays);
      const from = random(length);
      const to = from + 1 + random(length);
      const edits: TimelineEdits = {
        every: 1 + random(4),
        reverse: random(2) === 1,
        speed: 25 + random(376),
        format: random(2) === 1 ? 'gif' : 'webp',
        ...(random(2) === 1 ? { trim_start: from / 1000 } : {}),
        ...(random(2) === 1 ? { trim_end: to / 1000 } : {}),
      };
      const shown = planTimeline(delays, edits);
      const unit = edits.format === 'gif' ? 10 : 1;
      const indices = shown.map(({ index }) => index);
      const ascending = edits.reverse ? indices.toReversed() : indices;
      const said = JSON.stringify({ delays, edits, shown });
      assert.ok(
        ascending.every((index, place) => place === 0 || index - ascending[place - 1]! === edits.every),
        said,
      );
      assert.ok(
        shown.every(({ delay }) => delay >= 20 && delay % unit === 0),
        said,
      );

      const [start, end] = [edits.trim_start === undefined ? 0 : from, edits.trim_end === undefined ? length : to];
      const exact = ((Math.min(end, length) - start) * 100) / edits.speed;
      const drift = total(shown.map(({ delay }) => delay)) - exact;
      // Frames that would be too short only make the result longer.
      assert.ok(drift >= -unit / 2 && drift <= unit / 2 + 20 * shown.length, said);
      const roomy =
        delays.every((delay) => (delay * 100) / edits.speed >= 20) &&
        edits.trim_start === undefined &&
        edits.trim_end === undefined;
      if (roomy) assert.ok(Math.abs(drift) <= Math.max(unit / 2, 10), said);
    }
  });
});
