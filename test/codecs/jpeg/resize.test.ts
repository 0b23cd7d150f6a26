/** JPEG files decoded at a smaller size. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { JpegCodec } from '../../../codecs/jpeg/codec.ts';
import { decodeJpeg, decodeResized, type JpegPixels } from '../../../codecs/jpeg/decode.ts';
import { requantizeJpeg, UPRIGHT } from '../../../codecs/jpeg/requantize.ts';
import { compileModule } from '../../../codecs/modules.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';
import { flat, pattern, sharpOf } from '../../support/test-images.ts';

let codec: JpegCodec;

const lanczos = (x: number): number => {
  if (x === 0) return 1;
  const angle = Math.PI * x;
  return Math.abs(x) < 3 ? (3 * Math.sin(angle) * Math.sin(angle / 3)) / angle ** 2 : 0;
};

/** Applies one direction of the filter in floats. Samples beyond the ends repeat the last one. */
function resizeAlong(from: (at: number) => number, source: number, target: number): number[] {
  const ratio = source / target;
  return Array.from({ length: target }, (_, index) => {
    const centre = (index + 0.5) * ratio - 0.5;
    let [sum, weights] = [0, 0];
    for (let at = Math.ceil(centre - 3 * ratio); at <= centre + 3 * ratio; at++) {
      const weight = lanczos((at - centre) / ratio);
      sum += weight * from(Math.min(Math.max(at, 0), source - 1));
      weights += weight;
    }
    return sum / weights;
  });
}

/** Resizes the whole image in floats. */
function expected(
  { data, width, height, bands }: JpegPixels,
  size: { width: number; height: number },
): Uint8ClampedArray {
  const out = new Uint8ClampedArray(size.width * size.height * bands);
  for (let band = 0; band < bands; band++) {
    const rows = Array.from({ length: height }, (_, y) =>
      resizeAlong((x) => data[(y * width + x) * bands + band]!, width, size.width),
    );
    for (let x = 0; x < size.width; x++)
      for (const [y, value] of resizeAlong((row) => rows[row]![x]!, height, size.height).entries())
        out[(y * size.width + x) * bands + band] = value;
  }
  return out;
}

function differences(file: Uint8Array, size: { width: number; height: number }): { mean: number; largest: number } {
  const small = decodeResized(codec, file, size)!;
  assert.deepEqual([small.width, small.height, small.truncated], [size.width, size.height, false]);
  const reference = expected(decodeJpeg(codec, file)!, size);
  assert.equal(small.data.length, reference.length);
  const each = Array.from(reference, (value, at) => Math.abs(value - small.data[at]!));
  return {
    mean: each.reduce((sum, value) => sum + value) / each.length,
    largest: each.reduce((one, other) => Math.max(one, other)),
  };
}

describe('decodeResized', () => {
  before(async () => {
    codec = new JpegCodec(await compileModule('jpeg'));
  });

  it('is close to the float filter where every component has full resolution', async () => {
    const image = sharpOf(pattern(203, 151)).blur(1);
    const files = [
      await image.clone().jpeg({ chromaSubsampling: '4:4:4' }).toBuffer(),
      await image.clone().jpeg({ chromaSubsampling: '4:4:4', progressive: true }).toBuffer(),
      await image.clone().toColourspace('b-w').jpeg().toBuffer(),
    ];
    const sizes = [
      { width: 120, height: 90 },
      { width: 202, height: 150 },
      { width: 203, height: 31 },
      { width: 77, height: 151 },
    ];
    for (const file of files)
      for (const size of sizes) {
        const { mean, largest } = differences(file, size);
        // Clipping the colours before resizing increases the difference.
        assert.ok(mean < 0.6 && largest < 12, `${size.width} x ${size.height}: ${mean}, ${largest}`);
      }
  });

  it('is close to it with subsampled chroma, and when decoded at a smaller size first', {
    skip: nightlyOnly,
  }, async () => {
    const image = sharpOf(pattern(640, 420)).blur(4);
    for (const chromaSubsampling of ['4:4:4', '4:2:0']) {
      const file = await image.clone().jpeg({ chromaSubsampling, quality: 95 }).toBuffer();
      for (const width of [400, 180, 90, 40]) {
        const { mean } = differences(file, { width, height: Math.round((width * 420) / 640) });
        // At an eighth of the size, each block is one sample.
        assert.ok(mean < (width < 90 ? 2 : 1), `${chromaSubsampling}, ${width}: ${mean}`);
      }
    }
  });

  it('keeps a single colour, at every size down to one pixel', async () => {
    const file = await sharpOf(flat(97, 65, 200, 120, 40))
      .jpeg({ quality: 100 })
      .toBuffer();
    const [red, green, blue] = decodeJpeg(codec, file)!.data;
    for (const [width, height] of [
      [97, 64],
      [1, 1],
      [1, 65],
      [97, 1],
      [17, 3],
      [8, 8],
    ] as const) {
      const { data } = decodeResized(codec, file, { width, height })!;
      for (let at = 0; at < data.length; at += 3)
        for (const [band, value] of [red!, green!, blue!].entries())
          assert.ok(Math.abs(data[at + band]! - value) <= 1, `${width} x ${height}: ${data[at + band]} for ${value}`);
    }
  });

  it('resizes a photo as the float filter does', { skip: corpusSkipReason || nightlyOnly }, () => {
    const file = corpus('jpeg/testdata--flower.png.im_q85_420_progr.jpg')!;
    const { width, height } = decodeJpeg(codec, file)!;
    const { mean } = differences(file, { width: Math.round(width / 6), height: Math.round(height / 6) });
    assert.ok(mean < 1, `${mean}`);
  });

  it('gives the same result if coefficients are held and no code is skipped', async () => {
    // Noise has blocks whose last coefficient is not zero; no end-of-block code follows it.
    const noise = flat(203, 151, 128, 128, 128);
    const random = new Random(1);
    for (let at = 0; at < noise.data.length; at++) noise.data[at] = 112 + random.integer(32);
    for (const [image, quality, chromaSubsampling] of [
      [pattern(203, 151), 60, '4:2:0'],
      [pattern(203, 151), 80, '4:4:4'],
      [noise, 95, '4:2:0'],
    ] as const) {
      const file = await sharpOf(image).jpeg({ quality, chromaSubsampling }).toBuffer();
      const held = requantizeJpeg(codec, file, {
        turn: UPRIGHT,
        quality: 100,
        writesSame: true,
        coding: () => 'exact',
      });
      assert.ok(held instanceof Uint8Array && held.includes(0xc2));
      for (let part = 1; part < 15; part++) {
        const size = { width: Math.round((203 * part) / 15), height: Math.round((151 * part) / 15) };
        const [skipped, whole] = [file, held].map((each) => decodeResized(codec, each, size)!.data);
        assert.ok(Buffer.from(skipped!).equals(Buffer.from(whole!)), `${quality}, ${chromaSubsampling}, ${part}/15`);
      }
    }
  });

  it('is close to the float filter from any number of eighths', async () => {
    const file = await sharpOf(pattern(203, 151)).blur(2).jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer();
    // Decoded at 7, 6, 5, 3 and 2 eighths.
    for (const width of [100, 85, 70, 42, 28]) {
      const { mean, largest } = differences(file, { width, height: Math.round((width * 151) / 203) });
      assert.ok(mean < 1.5 && largest < 32, `${width}: ${mean}, ${largest}`);
    }
  });

  it('ignores the padding of the last block', async () => {
    // White up to the lossless crop. The file still contains the black pixels behind it.
    const raw = flat(1008, 64, 255, 255, 255);
    for (let y = 0; y < 64; y++) raw.data.fill(0, (y * 1008 + 1001) * 3, (y + 1) * 1008 * 3);
    for (const chromaSubsampling of ['4:4:4', '4:2:0']) {
      const whole = await sharpOf(raw).jpeg({ quality: 100, chromaSubsampling }).toBuffer();
      const area = { x: 0, y: 0, width: 1001, height: 64 };
      const cut = requantizeJpeg(codec, whole, { area, turn: UPRIGHT, quality: 100, coding: () => 'sequential' });
      for (const width of [900, 500, 250, 147, 73, 30]) {
        const { data } = decodeResized(codec, cut as Uint8Array, { width, height: Math.round((width * 64) / 1001) })!;
        const last = data.subarray((width - 1) * 3, width * 3);
        assert.ok(
          last.every((value) => value > 250),
          `${chromaSubsampling}, ${width}: ${last}`,
        );
      }
    }
  });

  it('leaves to others sizes that need too many rows at a time', async () => {
    const file = await sharpOf(flat(3000, 4000, 10, 20, 30))
      .jpeg()
      .toBuffer();
    const own = new JpegCodec(await compileModule('jpeg'));
    assert.equal(decodeResized(own, file, { width: 2900, height: 1 }), undefined);
    assert.ok(decodeResized(own, file, { width: 29, height: 40 }));
    assert.ok(own.memoryBytes < 8 * 2 ** 20, `${own.memoryBytes}`);
  });

  it('returns nothing for enlargement, CMYK and other files', async () => {
    const file = await sharpOf(flat(20, 20, 1, 2, 3))
      .jpeg()
      .toBuffer();
    assert.equal(decodeResized(codec, file, { width: 21, height: 5 }), undefined);
    const cmyk = await sharpOf(flat(20, 20, 1, 2, 3))
      .toColourspace('cmyk')
      .jpeg()
      .toBuffer();
    assert.equal(decodeResized(codec, cmyk, { width: 5, height: 5 }), undefined);
    assert.equal(decodeResized(codec, Buffer.from('no image'), { width: 5, height: 5 }), undefined);
  });

  it('reports that a file ends early', async () => {
    const file = await sharpOf(pattern(200, 200)).jpeg().toBuffer();
    assert.ok(decodeResized(codec, file.subarray(0, file.length / 2), { width: 50, height: 50 })!.truncated);
  });
});
