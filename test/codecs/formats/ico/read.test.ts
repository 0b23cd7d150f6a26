import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { Failure } from '../../../../base/failure.ts';
import { decodeIco, probeIco } from '../../../../codecs/formats/ico/read.ts';
import { encodeIco } from '../../../../codecs/ico.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../../support/corpus.ts';
import { damaged, TRIED_PART } from '../../../support/damage.ts';
import { withMagick } from '../../../support/magick.ts';
import { makeSamples } from '../../../support/samples.ts';

const MAX_PIXELS = 1_000_000;

function read(file: Uint8Array, page = 1) {
  const content = decodeIco(file, page, MAX_PIXELS);
  assert.ok('bitmap' in content);
  return content.bitmap;
}

/** Writes an icon of these images. Its directory declares false sizes and depths. */
function ico(...images: Uint8Array[]): Uint8Array {
  const directory = Buffer.alloc(6 + images.length * 16);
  directory.writeUInt16LE(1, 2);
  directory.writeUInt16LE(images.length, 4);
  let at = directory.length;
  for (const [index, image] of images.entries()) {
    directory.writeUInt32LE(image.length, 6 + index * 16 + 8);
    directory.writeUInt32LE(at, 6 + index * 16 + 12);
    at += image.length;
  }
  return Buffer.concat([directory, ...images]);
}

/** Writes the bitmap of an icon: the pixels, then the mask, both from bottom to top. */
function dib(width: number, height: number, bits: number, rest: number[], palette: number[] = []): Uint8Array {
  const header = Buffer.alloc(40);
  header.writeUInt32LE(40, 0);
  header.writeInt32LE(width, 4);
  header.writeInt32LE(height * 2, 8);
  header.writeUInt16LE(bits, 14);
  header.writeUInt32LE(palette.length / 4, 32);
  return Buffer.concat([header, Buffer.from(palette), Buffer.from(rest)]);
}

const blank = (side: number, bits: number) => dib(side, side, bits, Array<number>(side * side * 8).fill(0));
const png = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 4, background: '#33669980' } })
    .png()
    .toBuffer();

test('reads back what our encoder writes', () => {
  for (const side of [16, 33, 255]) {
    const image = makeSamples('noise', side, side, 4);
    const { data, channels } = read(encodeIco([image], () => assert.fail()));
    assert.equal(channels, 4);
    assert.deepEqual(data, image.data);
  }
});

test('makes pixels transparent by the mask if there is no alpha', () => {
  const BLACK = [0, 0, 0];
  const palette = [...BLACK, 0, 10, 20, 30, 0];
  // Two by two pixels of one bit. The mask hides the upper left one.
  const image = dib(2, 2, 1, [0b11000000, 0, 0, 0, 0b01000000, 0, 0, 0, 0, 0, 0, 0, 0b10000000, 0, 0, 0], palette);
  const expected = [
    [...BLACK, 0],
    [30, 20, 10, 255],
    [30, 20, 10, 255],
    [30, 20, 10, 255],
  ];
  assert.deepEqual(read(ico(image)).data, Uint8Array.from(expected.flat()));
  const withoutMask = read(ico(image.subarray(0, -8)));
  assert.deepEqual(withoutMask.data, Uint8Array.from([...BLACK, 255, ...expected.flat().slice(4)]));
});

test('uses the mask for 32 bits whose alpha is zero everywhere', () => {
  const pixels = [1, 2, 3, 0, 4, 5, 6, 0];
  const { data } = read(ico(dib(2, 1, 32, [...pixels, 0b01000000, 0, 0, 0])));
  assert.deepEqual(data, Uint8Array.of(3, 2, 1, 255, 6, 5, 4, 0));
});

test('ignores the mask for 32 bits with alpha', () => {
  const { data } = read(ico(dib(2, 1, 32, [1, 2, 3, 9, 4, 5, 6, 0, 0b11000000, 0, 0, 0])));
  assert.deepEqual(data, Uint8Array.of(3, 2, 1, 9, 6, 5, 4, 0));
});

test('takes the largest image as page 1, and of those the deepest', async () => {
  const file = ico(blank(16, 32), blank(32, 8), await png(64), blank(32, 32), blank(48, 1));
  const sides = [1, 2, 3, 4, 5].map((page) => probeIco(file, page).width);
  assert.deepEqual(sides, [64, 48, 32, 32, 16]);
  const deeper = decodeIco(ico(dib(1, 1, 8, [0, 0, 0, 0], [0, 0, 0, 0]), dib(1, 1, 32, [9, 9, 9, 9])), 1, MAX_PIXELS);
  assert.deepEqual('bitmap' in deeper && deeper.bitmap.data, Uint8Array.of(9, 9, 9, 9));
  assert.equal(probeIco(file, 1).pages, 5);
  assert.throws(() => probeIco(file, 6), {
    code: 'page_out_of_range',
    message: 'Expected a page from 1 to 5 for page but received 6.',
  });
  assert.throws(() => decodeIco(file, 6, MAX_PIXELS), { code: 'page_out_of_range' });
});

test('returns an image stored as PNG', async () => {
  const bytes = await png(300);
  const file = ico(bytes);
  assert.deepEqual(probeIco(file, 1), { width: 300, height: 300, pages: 1 });
  assert.deepEqual(decodeIco(file, 1, MAX_PIXELS), { embedded: { format: 'png', bytes } });
});

test('does not count unreadable images as pages', () => {
  const runLengthCoded = blank(16, 8);
  runLengthCoded[16] = 1;
  const file = ico(blank(16, 32), Buffer.from('not an image at all'), dib(0, 16, 32, []), runLengthCoded);
  assert.equal(probeIco(file, 1).pages, 1);
  assert.throws(() => probeIco(ico(Buffer.from('not an image at all')), 1), { code: 'corrupt_image' });
  assert.throws(() => decodeIco(ico(dib(16, 16, 32, [1, 2, 3])), 1, MAX_PIXELS), { code: 'corrupt_image' });
});

test('rejects too many pixels before it allocates memory', () => {
  const file = ico(dib(60_000, 60_000, 1, [0]));
  assert.throws(() => decodeIco(file, 1, MAX_PIXELS), { code: 'image_too_large' });
});

test('keeps the rows of an image that ends early', () => {
  const whole = makeSamples('noise', 16, 16, 4);
  const { data, truncated } = read(encodeIco([whole], () => assert.fail()).subarray(0, 22 + 40 + 10 * 64));
  assert.equal(truncated, true);
  assert.deepEqual(data.subarray(6 * 64), whole.data.subarray(6 * 64));
});

test('returns an image or a failure for damaged files', async () => {
  const seed = ico(dib(4, 4, 4, Array<number>(32).fill(1), [1, 2, 3, 0, 4, 5, 6, 0]), blank(16, 32), await png(20));
  let readable = 0;
  for (const broken of damaged(seed, 3_000, 7)) {
    try {
      for (let page = 1; page <= 3; page++) decodeIco(broken, page, MAX_PIXELS);
      readable++;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
  assert.ok(readable > 300 * TRIED_PART && readable < 3_000 * TRIED_PART, `${readable} were readable`);
});

test('reads the same pixels as ImageMagick from the corpus', { skip: corpusSkipReason }, async () => {
  for (const path of corpusFiles('ico')) {
    const bytes = corpus(path)!;
    const content = decodeIco(bytes, 1, MAX_PIXELS);
    const data =
      'bitmap' in content ? content.bitmap.data : await sharp(content.embedded.bytes).ensureAlpha().raw().toBuffer();
    const { width } = probeIco(bytes, 1);
    await withMagick(bytes, 'Ico', (frames) => {
      assert.equal(width, Math.max(...frames.map((frame) => frame.width)), path);
      const same = frames.filter((frame) => frame.width === width).map((frame) => Buffer.from(frame.samples(4)));
      assert.ok(
        same.some((expected) => expected.equals(data)),
        path,
      );
    });
  }
});
