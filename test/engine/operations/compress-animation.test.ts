/** Animations: frames, delays and loops survive if the output can hold them. Every step acts on every frame. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { compress } from '../../support/engine.ts';
import { isNightly } from '../../support/nightly.ts';
import { flat, pixel, type RawImage } from '../../support/test-images.ts';

const COLOURS: [number, number, number][] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
];

/** Draws white and black bars as RGB. */
function drawBars(width: number, height: number, bar: number): Buffer {
  const row = Array.from({ length: width }, (_, x) => (Math.floor(x / bar) % 2 === 0 ? 255 : 0));
  return Buffer.from(Array.from({ length: height }, () => row.flatMap((value) => [value, value, value])).flat());
}

/** Makes three frames of one colour each, 40 x 30. */
async function animation(format: 'gif' | 'webp'): Promise<Buffer> {
  const frames = COLOURS.map((colour) => flat(40, 30, ...colour).data);
  const column = sharp(Buffer.concat(frames), { raw: { width: 40, height: 90, channels: 3, pageHeight: 30 } });
  const options = { delay: [100, 250, 40], loop: 3 };
  return format === 'gif' ? column.gif(options).toBuffer() : column.webp({ ...options, lossless: true }).toBuffer();
}

async function frames(
  bytes: Buffer,
): Promise<{ delays: number[] | undefined; loop: number | undefined; frames: RawImage[] }> {
  const { pages = 1, delay, loop } = await sharp(bytes, { animated: true }).metadata();
  const decoded: RawImage[] = [];
  for (let page = 0; page < pages; page += 1) {
    const { data, info } = await sharp(bytes, { page }).raw().toBuffer({ resolveWithObject: true });
    decoded.push({ data, width: info.width, height: info.height, channels: info.channels });
  }
  return { delays: delay, loop, frames: decoded };
}

const near = (actual: number[], expected: readonly number[]) =>
  expected.every((value, index) => Math.abs((actual[index] as number) - value) < 24);

for (const from of ['gif', 'webp'] as const) {
  describe(`an animated ${from}`, () => {
    for (const to of ['gif', 'webp'] as const) {
      test(`keeps frames, delays and loops as ${to}`, async () => {
        const result = await compress(await animation(from), { format: to, flip: 'h' });
        const after = await frames(result.bytes);
        assert.deepEqual([after.frames.length, after.delays, after.loop], [3, [100, 250, 40], 3]);
        assert.deepEqual([result.width, result.height, result.warnings], [40, 30, []], 'the size of one frame');
        for (const [index, frame] of after.frames.entries()) {
          assert.ok(near(pixel(frame, 20, 15), COLOURS[index] as readonly number[]), `frame ${index}`);
        }
      });
    }

    test('gets every step applied to every frame', async () => {
      const { bytes, width, height } = await compress(await animation(from), {
        format: 'gif',
        crop: '0,0,40,20',
        rotate: 90,
        width: 10,
        border: 2,
        border_color: '#ffff00',
        grayscale: true,
      });
      assert.deepEqual([width, height], [14, 24]);
      for (const frame of (await frames(bytes)).frames) {
        assert.ok(near(pixel(frame, 0, 0), [255, 255, 0]));
        const [r, g, b] = pixel(frame, 7, 12) as [number, number, number];
        assert.ok(Math.abs(r - g) < 12 && Math.abs(g - b) < 12);
      }
    });

    test('becomes the requested frame in a format that holds one image', async () => {
      for (const [page, colour] of COLOURS.entries()) {
        const result = await compress(await animation(from), { format: 'png', mode: 'lossless', page: page + 1 });
        assert.deepEqual(result.warnings, ['animation_flattened']);
        const [frame] = (await frames(result.bytes)).frames;
        assert.ok(near(pixel(frame as RawImage, 20, 15), colour));
      }
    });

    test('is kept as it is when a new encoding would be larger', async () => {
      const source = await animation(from);
      const { bytes, outcome } = await compress(source, { metadata: 'keep' });
      if (outcome === 'kept_original') assert.equal(Buffer.compare(bytes, source), 0);
      assert.equal((await frames(bytes)).frames.length, 3);
    });
  });
}

test('a flattened animation is never returned as the animated source', { skip: corpusSkipReason }, async () => {
  const files = ['avif/pillow--star.avifs', 'avif/libavif--colors-animated-8bpc.avif'];
  for (const path of isNightly ? files : files.slice(0, 1)) {
    const source = corpus(path);
    assert.ok(source);
    // Of a sequence that ends early, whose frames refer to each other, the first image is read.
    const cut = source.subarray(0, source.length - 100);
    const { bytes, warnings, outcome } = await compress(cut, { quality: 100, metadata: 'keep' });
    assert.deepEqual(
      warnings.filter((warning) => warning === 'animation_flattened'),
      ['animation_flattened'],
      path,
    );
    assert.notEqual(outcome, 'kept_original');
    assert.ok(!bytes.includes('avis'), path);
  }
});

describe('an animation with identical frames', () => {
  for (const mode of ['quality', 'smart'] as const)
    test(`is compared after its encoder has merged frames, in mode ${mode}`, async () => {
      // Each distinct frame has bars of its own width.
      const shown = [0, 0, 0, 1, 1, 2, 2, 2].map((index) => drawBars(40, 30, 4 + 3 * index));
      const raw = { width: 40, height: 240, channels: 3, pageHeight: 30 } as const;
      const source = await sharp(Buffer.concat(shown), { raw })
        .gif({ delay: 100, keepDuplicateFrames: true })
        .toBuffer();
      assert.equal((await frames(source)).frames.length, 8);
      const result = await compress(source, { format: 'webp', mode, score: true });
      assert.equal((await frames(Buffer.from(result.data))).frames.length, 3);
      assert.ok(result.similarity! > 0.95, String(result.similarity));
    });
});
