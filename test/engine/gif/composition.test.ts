/** Frames are composed first. Compares results with a composer written for the tests, and with known files. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeRandom } from '../../support/damage.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { verifies } from '../../support/verifies.ts';
import { compose, displayedColours, edit, makeGif, type TestFrame, type TestGif } from './support.ts';

const RED = 0xff0000;
const GREEN = 0x00ff00;
const BLUE = 0x0000ff;
const WHITE = 0xffffff;
const TABLE = [RED, GREEN, BLUE, WHITE];

async function assertComposed(gif: TestGif, said: string): Promise<void> {
  const source = makeGif(gif);
  const expected = compose(gif);
  for (const format of ['gif', 'webp'] as const) {
    // The plays of the source are changed, because without an edit its own file may be the result.
    const result = await edit(source, { format, lossless: true, loop: 0 });
    assert.deepEqual(await displayedColours(result.bytes), expected, `${said} as ${format}`);
    assert.deepEqual([result.frames, result.sourceFrames], [expected.length, expected.length]);
  }
}

describe('a frame', () => {
  const whole: TestFrame = { width: 3, height: 2, indices: [0, 0, 0, 0, 0, 0] };
  const part: TestFrame = { left: 1, top: 0, width: 2, height: 1, indices: [1, 2] };
  const dot: TestFrame = { left: 0, top: 1, width: 1, height: 1, indices: [3] };

  for (const [disposal, name] of [
    'as no disposal says',
    'in place',
    'cleared away',
    'replaced by what was before',
  ].entries()) {
    it(`is left ${name}, disposal ${disposal}`, async () => {
      verifies('gif.frames-composed');
      const gif = { width: 3, height: 2, table: TABLE, frames: [whole, { ...part, disposal }, dot] };
      const under = { 0: [GREEN, BLUE], 1: [GREEN, BLUE], 2: [-1, -1], 3: [RED, RED] }[disposal] as number[];
      assert.deepEqual([...compose(gif).at(-1)!], [RED, ...under, WHITE, RED, RED], 'the composer of the test');
      await assertComposed(gif, name);
    });
  }

  it('is transparent where its transparent index is used', async () => {
    verifies('gif.frames-composed');
    const seeThrough = { ...whole, indices: [1, 2, 1, 2, 1, 2], transparent: 2 };
    await assertComposed({ width: 3, height: 2, table: TABLE, frames: [whole, seeThrough] }, 'over another');
    await assertComposed({ width: 3, height: 2, table: TABLE, frames: [seeThrough, part] }, 'over nothing');
  });

  it('uses its own colour table', async () => {
    verifies('gif.frames-composed');
    const own = { ...part, table: [0x123456, 0xabcdef], indices: [1, 0] };
    await assertComposed({ width: 3, height: 2, table: TABLE, frames: [whole, own, dot] }, 'beside the common one');
    const alone = { ...whole, table: [RED, BLUE] };
    await assertComposed({ width: 3, height: 2, frames: [alone, own] }, 'without a common one');
  });

  it('may be anywhere, and need not cover the screen', async () => {
    verifies('gif.frames-composed');
    await assertComposed({ width: 5, height: 4, table: TABLE, frames: [part, { ...dot, left: 4, top: 3 }] }, 'apart');
  });
});

it('is composed in files of every shape', { skip: nightlyOnly }, async () => {
  verifies('gif.frames-composed');
  const random = makeRandom(7);
  const colour = () => random(0x1000000);
  for (let round = 0; round < 150; round += 1) {
    const [width, height] = [1 + random(9), 1 + random(7)];
    const frames = Array.from({ length: 2 + random(5) }, (): TestFrame => {
      const [left, top] = [random(width), random(height)];
      const size = { width: 1 + random(width - left), height: 1 + random(height - top) };
      const table = random(2) === 1 ? Array.from({ length: 8 }, colour) : undefined;
      return {
        left,
        top,
        ...size,
        indices: Array.from({ length: size.width * size.height }, () => random(4)),
        disposal: random(4),
        ...(random(3) > 0 ? { transparent: random(4) } : {}),
        ...(table ? { table } : {}),
      };
    });
    await assertComposed({ width, height, table: Array.from({ length: 4 }, colour), frames }, `round ${round}`);
  }
});
