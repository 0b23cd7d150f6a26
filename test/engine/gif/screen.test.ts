/** The screen size of a GIF file. It must match the size in browsers, even if the header declares an odd size. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { withBrowser } from '../../support/browser.ts';
import { compress, inspect } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';
import { verifies } from '../../support/verifies.ts';
import { compose, displayedColours, edit, makeGif, type TestFrame, type TestGif } from './support.ts';

const TABLE = [0xff0000, 0x00ff00, 0x0000ff, 0xffffff];

/** Makes an image of one colour. */
function image(index: number, width: number, height: number, left = 0, top = 0): TestFrame {
  return { left, top, width, height, indices: Array(width * height).fill(index) };
}

interface Screen {
  /** Size in the header. */
  said: [width: number, height: number];
  images: TestFrame[];
  /** Displayed size. */
  seen?: [width: number, height: number];
}

const first = image(0, 4, 3);
const SCREENS: Record<string, Screen> = {
  'that cameras wrote': { said: [640, 480], images: [first] },
  'of an old monitor': { said: [800, 600], images: [image(1, 4, 3, 10, 20), image(2, 790, 2, 10, 598)] },
  'longer than 2048': { said: [2049, 9], images: [first, image(1, 5, 5, 2044, 4)] },
  'higher than 2048': { said: [9, 3000], images: [first, image(1, 9, 1, 0, 2999)] },
  'of no size': { said: [0, 0], images: [image(0, 4, 3, 10, 20)], seen: [14, 23] },
  'of no size with images further out': { said: [0, 0], images: [first, image(1, 4, 3, 2, 1)], seen: [4, 3] },
  'of no width': { said: [0, 10], images: [first, image(1, 2, 2, 1, 8)], seen: [4, 10] },
  'too small for the first image': { said: [10, 10], images: [image(0, 4, 4, 8, 3)], seen: [12, 10] },
  'too small for the first image, of a doubted size': {
    said: [640, 480],
    images: [image(0, 650, 3), image(1, 3, 3, 2, 470)],
    seen: [650, 480],
  },
  'too small for another image': { said: [640, 480], images: [first, image(1, 650, 3)] },
  'of an ordinary size': { said: [30, 20], images: [first, image(1, 2, 2, 20, 15)] },
};

const gifOf = ({ said: [width, height], images }: Screen, more: Partial<TestGif> = {}) => ({
  ...{ width, height, table: TABLE, frames: images },
  ...more,
});

/** Delays, disposals and a repeat count that must all be kept. */
const TIMED = {
  repeats: 6,
  frames: [
    { ...first, delay: 7, disposal: 2 },
    { ...image(1, 5, 5, 600, 400), delay: 30, disposal: 3 },
    { ...image(2, 640, 1, 0, 479), delay: null },
    { ...image(3, 2, 2, 1, 1), delay: 11, disposal: 2, transparent: 2 },
  ],
};

describe('a logical screen', () => {
  for (const [name, screen] of Object.entries(SCREENS)) {
    const [width, height] = screen.seen ?? screen.said;
    const source = makeGif(gifOf(screen));
    const expected = compose({ ...gifOf(screen), width, height });

    it(`${name} is ${width} x ${height}`, async () => {
      verifies('gif.frames-composed', 'inspect.size');
      const record = await inspect(source);
      assert.deepEqual([record.width, record.height, record.pages], [width, height, expected.length]);
      assert.deepEqual(record.warnings, []);

      // An edit, because without one the file of the source may be the result.
      const edited = await edit(source, { loop: 0 });
      assert.deepEqual(
        [edited.width, edited.height, edited.source.width, edited.source.height],
        [width, height, width, height],
      );
      assert.deepEqual(await displayedColours(edited.bytes), expected, 'as gif edits it');

      const compressed = await compress(source, { format: 'webp', mode: 'lossless' });
      assert.deepEqual([compressed.source.width, compressed.source.height], [width, height]);
      assert.deepEqual(await displayedColours(compressed.bytes), expected, 'as compress writes it');
      for (const [index, frame] of expected.entries()) {
        const png = await compress(source, { format: 'png', mode: 'lossless', page: index + 1 });
        assert.deepEqual((await displayedColours(png.bytes))[0], frame, `page ${index + 1}`);
      }
      await failureOf('page_out_of_range', () => compress(source, { page: expected.length + 1 }));
    });
  }

  it('of an odd size keeps delays, plays and disposals', async () => {
    const gif = { width: 640, height: 480, table: TABLE, ...TIMED };
    const record = await inspect(makeGif(gif));
    assert.deepEqual([record.frames, record.animation_ms, record.loop], [4, 580, 7]);
    const result = await edit(makeGif(gif), { format: 'webp' });
    const metadata = await sharp(result.bytes, { animated: true }).metadata();
    assert.deepEqual([metadata.delay, metadata.loop], [[70, 300, 100, 110], 7]);
    assert.deepEqual(await displayedColours(result.bytes), compose(gif));
  });

  it('shows what can be read when the file ends within the first image', async () => {
    const source = makeGif({ width: 640, height: 480, table: TABLE, frames: [image(1, 60, 60)] });
    const result = await compress(source.subarray(0, source.length - 300), { format: 'png', mode: 'lossless' });
    assert.deepEqual([result.width, result.height, result.warnings], [640, 480, ['truncated_source']]);
    const [shown] = await displayedColours(result.bytes);
    assert.deepEqual([shown?.[0], shown?.at(-1)], [0x00ff00, -1]);
  });

  it('larger than the maximum is rejected from the header', async () => {
    const source = makeGif({ width: 65_535, height: 65_535, table: TABLE, frames: [image(0, 1, 1)] });
    for (const run of [inspect, compress, edit]) {
      const { message } = await failureOf('image_too_large', () => run(source) as Promise<unknown>);
      assert.match(message, /65535 x 65535/);
    }
  });

  it('is as large as in Chromium', { skip: browserSkipReason }, async () => {
    const screens = Object.entries(SCREENS).map(([name, screen]) => ({
      name,
      seen: screen.seen ?? screen.said,
      address: `data:image/gif;base64,${makeGif(gifOf(screen)).toString('base64')}`,
    }));
    const shown = await withBrowser(({ page }) =>
      page.evaluate(
        async (addresses) => {
          const sizes: number[][] = [];
          for (const address of addresses) {
            const loaded = new Image();
            loaded.src = address;
            await loaded.decode();
            sizes.push([loaded.naturalWidth, loaded.naturalHeight]);
          }
          return sizes;
        },
        screens.map(({ address }) => address),
      ),
    );
    assert.deepEqual(
      shown,
      screens.map(({ seen }) => seen),
    );
  });
});
