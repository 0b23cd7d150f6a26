/** The lossy WebP encoder compared with libwebp, as built into sharp. sharp also decodes both files. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { compileModule } from '../../../codecs/modules.ts';
import { WebpCodec } from '../../../codecs/webp/codec.ts';
import { WebpEncoder } from '../../../codecs/webp/encode.ts';
import { checkedModule } from '../../support/checked-module.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';
import { decode, flat, pattern, type RawImage, sharpOf } from '../../support/test-images.ts';

/** Sizes around a macroblock, and larger ones. */
const SIDES = [1, 2, 15, 16, 17, 33];
const PHOTOGRAPHS = ['jpeg/testdata--flower.png.im_q85_420_progr.jpg', 'jpeg/exif-samples--canon_hdr_NO.jpg'];
/** RFC 6386, 9.1: the size has 19 bits, after the first five bits of the frame tag. */
const MAX_PARTITION_BYTES = 2 ** 19;
const TAG_AT = 20;

const codec = new WebpCodec(await compileModule('webp'));

const sizeOf = ({ width, height, channels }: RawImage) => ({ width, height, bands: channels as 3 | 4 });

function encode(raw: RawImage, quality: number, own = codec): Uint8Array {
  const encoder = WebpEncoder.start(own, sizeOf(raw), quality);
  encoder?.push(raw.data);
  const file = encoder?.finish();
  assert.ok(file);
  return file;
}

function noise(width: number, height: number): RawImage {
  const random = new Random(1);
  return {
    width,
    height,
    channels: 3,
    data: Buffer.from(Array.from({ length: width * height * 3 }, () => random.integer(256))),
  };
}

/** Returns the peak signal-to-noise ratio over all samples, in dB. */
function psnr(a: RawImage, b: RawImage): number {
  assert.deepEqual([a.width, a.height, a.channels], [b.width, b.height, b.channels]);
  const sum = a.data.reduce((total, value, index) => total + (value - b.data[index]!) ** 2, 0);
  return 10 * Math.log10(255 ** 2 / (sum / a.data.length));
}

/** Returns the fidelity of our file and of libwebp's. */
async function psnrPair(source: RawImage, quality: number): Promise<[number, number]> {
  const theirs = await sharpOf(source).webp({ quality }).toBuffer();
  return [psnr(await decode(encode(source, quality)), source), psnr(await decode(theirs), source)];
}

/** Draws waves that turn everywhere, so that most macroblocks are predicted by subblocks. */
function waves(width: number, height: number): RawImage {
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const across = Math.sin(x / 3 + Math.sin(y / 9) * 4);
      const down = Math.sin(y / 2.5 + Math.sin(x / 7) * 4);
      const at = (y * width + x) * 3;
      data.fill(128 + 60 * (across + down), at, at + 3);
    }
  return { width, height, channels: 3, data };
}

describe('the WebP encoder', () => {
  it('encodes every size, with the last pixels', async () => {
    for (const width of SIDES)
      for (const height of SIDES) {
        const source = pattern(width, height);
        const [own, peer] = await psnrPair(source, 95);
        assert.ok(own >= peer - 1, `${width} x ${height}: ${own} and ${peer} dB`);
      }
  });

  it('keeps the colour of flat images', async () => {
    const colours: [number, number, number][] = [
      [0, 0, 0],
      [255, 255, 255],
      [200, 30, 90],
    ];
    for (const colour of colours) {
      const source = flat(40, 24, ...colour);
      assert.ok(psnr(await decode(encode(source, 100)), source) > 42, colour.join());
    }
  });

  it('encodes noise', async () => {
    const source = noise(70, 50);
    let last = 0;
    for (const quality of [1, 25, 50, 75, 100]) {
      const file = encode(source, quality);
      assert.equal((await sharp(file).metadata()).width, source.width);
      assert.ok(file.length > last, `${quality}: ${file.length} after ${last}`);
      last = file.length;
    }
  });

  it('writes the same file in whatever parts the pixels arrive', () => {
    const source = pattern(45, 61);
    const whole = encode(source, 75);
    for (const bytes of [1, 100, 45 * 3 * 16, 5000]) {
      const encoder = WebpEncoder.start(codec, sizeOf(source), 75)!;
      for (let from = 0; from < source.data.length; from += bytes)
        encoder.push(source.data.subarray(from, from + bytes));
      assert.deepEqual(encoder.finish(), whole, `${bytes} at a time`);
    }
  });

  it('holds the modes of an image with very many macroblocks', { skip: nightlyOnly }, async () => {
    // 96,000 macroblocks. Predicted by subblocks, each would take up to 60 bits.
    const source = waves(6144, 64);
    const rows: RawImage = { ...source, height: 4000 };
    const encoder = WebpEncoder.start(codec, sizeOf(rows), 90)!;
    const lines = source.width * 3 * source.height;
    for (let line = 0; line < rows.height; line += source.height)
      encoder.push(source.data.subarray(0, Math.min(lines, (rows.height - line) * source.width * 3)));
    const file = Buffer.from(encoder.finish()!);
    const partition = file.readUIntLE(TAG_AT, 3) >> 5;
    assert.ok(partition > MAX_PARTITION_BYTES / 2 && partition < MAX_PARTITION_BYTES, `${partition} bytes`);
    const bottom = await sharp(file).extract({ left: 0, top: 3968, width: source.width, height: 32 }).raw().toBuffer();
    const upper = source.data.subarray(0, bottom.length);
    const error = bottom.reduce((sum, value, index) => sum + Math.abs(value - upper[index]!), 0) / bottom.length;
    assert.ok(error < 20, `${error}`);
  });

  it('encodes as well as libwebp in about as many bytes at the same quality', { skip: corpusSkipReason }, async () => {
    for (const path of PHOTOGRAPHS) {
      const source = await decode(await sharp(corpus(path)).rotate().resize(640).png().toBuffer());
      for (const quality of [30, 50, 75, 90]) {
        const ours = encode(source, quality).length;
        const theirs = (await sharpOf(source).webp({ quality }).toBuffer()).length;
        assert.ok(ours < theirs * 1.1, `${path} at ${quality}: ${ours} of ${theirs}`);
        const [own, peer] = await psnrPair(source, quality);
        assert.ok(own > peer - 0.6, `${path} at ${quality}: ${own} and ${peer} dB`);
      }
    }
  });

  it('reads and writes nothing outside its blocks', { skip: nightlyOnly }, async () => {
    const { module, imports } = await checkedModule('codecs/webp/assembly');
    const checked = new WebpCodec(module, imports);
    for (const [width, height] of [
      [1, 1],
      [16, 16],
      [31, 17],
      [50, 7],
      [9, 70],
    ] as const)
      for (const source of [pattern(width, height), pattern(width, height, 4), noise(width, height)])
        for (const quality of [1, 75, 100])
          assert.deepEqual(encode(source, quality, checked), encode(source, quality), `${width} x ${height}`);
  });

  it('writes nothing if it runs out of memory at any point', { skip: nightlyOnly }, async () => {
    const source = noise(640, 320);
    const written: boolean[] = [];
    // The memory is too small for the planes, too small for the levels, then large enough.
    for (const pages of [8, 20, 256]) {
      const { module, imports } = await checkedModule('codecs/webp/assembly', pages);
      const encoder = WebpEncoder.start(new WebpCodec(module, imports), sizeOf(source), 100);
      encoder?.push(source.data);
      written.push(encoder?.finish() !== undefined);
    }
    assert.deepEqual(written, [false, false, true]);
  });
});
