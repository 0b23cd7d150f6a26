/** The JPEG encoder compared with mozjpeg, as built into sharp. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { JpegCodec } from '../../../codecs/jpeg/codec.ts';
import { decodeJpeg } from '../../../codecs/jpeg/decode.ts';
import { encodeJpeg, JpegEncoder, type JpegSettings, type JpegSource } from '../../../codecs/jpeg/encode.ts';
import { scaleSteps } from '../../../codecs/jpeg/quantization.ts';
import { compileModule } from '../../../codecs/modules.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { isNightly, nightlyOnly } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';
import { decode, flat, pattern, type RawImage, sharpOf } from '../../support/test-images.ts';

const PHOTOGRAPH = 'jpeg/testdata--flower.png.im_q85_420_progr.jpg';
const PLAIN: JpegSettings = { quality: 80, sampling: '420', trellis: false, coding: 'sequential' };
const SAMPLINGS = ['444', '422', '420'] as const;
const CODINGS = ['sequential', 'exact'] as const;
/** Sizes around a block and an MCU, and larger ones. */
const SIDES = [1, 2, 7, 8, 9, 15, 16, 17, 31, 33];

let codec: JpegCodec;

/** sharp's `quantisationTable: 3` at quality 50. */
const TABLE_3 = [
  [16, 16, 16, 18, 25, 37, 56, 85],
  [16, 17, 20, 27, 34, 40, 53, 75],
  [16, 20, 24, 31, 43, 62, 91, 135],
  [18, 27, 31, 40, 53, 74, 106, 156],
  [25, 34, 43, 53, 69, 94, 131, 189],
  [37, 40, 62, 74, 94, 124, 169, 238],
  [56, 53, 91, 106, 131, 169, 226, 311],
  [85, 75, 135, 156, 189, 238, 311, 418],
].flat();

/** Returns settings that match a quality of sharp with `quantisationTable: 3`. */
function asTable3(quality: number): Pick<JpegSettings, 'quality' | 'tables'> {
  const steps = scaleSteps(TABLE_3, quality);
  return { quality, tables: { luma: steps, colour: steps } };
}

const sourceOf = ({ data, width, height }: RawImage): JpegSource => ({ data, width, height, bands: 3 });

function encoded(source: JpegSource, settings: Partial<JpegSettings> = {}): Uint8Array {
  const file = encodeJpeg(codec, source, { ...PLAIN, ...settings });
  assert.ok(file);
  return file;
}

/** Returns the peak signal-to-noise ratio in decibels. */
function psnr(one: Uint8Array, other: Uint8Array): number {
  assert.equal(one.length, other.length);
  const sum = one.reduce((total, value, index) => total + (value - other[index]!) ** 2, 0);
  return 10 * Math.log10(255 ** 2 / (sum / one.length));
}

async function pixelsOf(file: Uint8Array): Promise<Buffer> {
  return (await decode(file)).data as Buffer;
}

const photograph = (): Promise<RawImage> => decode(corpus(PHOTOGRAPH)!);

describe('encodeJpeg', () => {
  before(async () => {
    codec = new JpegCodec(await compileModule('jpeg'));
  });

  it('writes images of every size and sampling that other decoders read', async () => {
    for (const sampling of SAMPLINGS)
      for (const width of SIDES)
        for (const height of [1, 8, 17, 33]) {
          const name = `${sampling} ${width} x ${height}`;
          const raw = flat(width, height, 200, 90, 40);
          const file = await decode(encoded(sourceOf(raw), { sampling, quality: 95 }));
          assert.deepEqual([file.width, file.height], [width, height], name);
          // The rows and columns that pad the last blocks repeat their neighbours.
          const worst = file.data.reduce((most, value, at) => Math.max(most, Math.abs(value - raw.data[at]!)), 0);
          assert.ok(worst <= 2, `${name}: ${worst}`);
        }
  });

  it('encodes a colour pattern as well as libjpeg does', async () => {
    for (const sampling of SAMPLINGS)
      for (const [width, height] of [
        [61, 47],
        [16, 16],
        [130, 65],
      ] as const) {
        const raw = pattern(width, height);
        const file = encoded(sourceOf(raw), { sampling, ...asTable3(90) });
        const theirs = await sharpOf(raw)
          .jpeg({ quality: 90, chromaSubsampling: sampling === '444' ? '4:4:4' : '4:2:0', quantisationTable: 3 })
          .toBuffer();
        const [own, other] = [await pixelsOf(file), await pixelsOf(theirs)];
        assert.ok(psnr(own, raw.data) > psnr(other, raw.data) - 0.3, `${sampling} ${width} x ${height}`);
      }
  });

  it('writes grey', async () => {
    const grey = await sharpOf(pattern(61, 47)).toColourspace('b-w').raw().toBuffer();
    const file = encoded({ data: grey, width: 61, height: 47, bands: 1 }, { quality: 95 });
    const pixels = decodeJpeg(codec, file);
    assert.deepEqual([pixels?.width, pixels?.height, pixels?.bands], [61, 47, 1]);
    assert.ok(psnr(pixels!.data, grey) > 40);
  });

  it('is as good as libjpeg at the same quality, in no more bytes', {
    skip: corpusSkipReason || nightlyOnly,
  }, async () => {
    const raw = await photograph();
    for (const sampling of ['444', '420'] as const)
      for (const quality of isNightly ? [10, 50, 80, 95, 100] : [10, 80, 100]) {
        const chromaSubsampling = sampling === '444' ? '4:4:4' : '4:2:0';
        const theirs = await sharpOf(raw).jpeg({ quality, chromaSubsampling, quantisationTable: 3 }).toBuffer();
        const file = encoded(sourceOf(raw), { sampling, ...asTable3(quality) });
        const name = `${sampling} at ${quality}`;
        assert.ok(file.length <= theirs.length, `${name}: ${file.length}, ${theirs.length}`);
        const [own, other] = [await pixelsOf(file), await pixelsOf(theirs)].map((each) => psnr(each, raw.data));
        assert.ok(own! > other! - 0.1, `${name}: ${own}, ${other}`);
      }
  });

  it('chooses coefficients as mozjpeg does', { skip: corpusSkipReason }, async () => {
    const raw = await photograph();
    for (const quality of isNightly ? [40, 75, 90] : [75]) {
      const options = { quality, chromaSubsampling: '4:2:0', quantisationTable: 3, trellisQuantisation: true } as const;
      const theirs = await sharpOf(raw).jpeg(options).toBuffer();
      const file = encoded(sourceOf(raw), { ...asTable3(quality), trellis: true });
      const plain = encoded(sourceOf(raw), asTable3(quality));
      const [own, other] = [await pixelsOf(file), await pixelsOf(theirs)].map((each) => psnr(each, raw.data));
      const name = `${quality}: ${file.length}, ${theirs.length}, plain ${plain.length}; ${own}, ${other}`;
      assert.ok(file.length < theirs.length * 1.03 && file.length < plain.length, name);
      assert.ok(own! > other! - 0.15, name);
    }
  });

  it('lets white and black samples overshoot, which reduces ringing at edges', async () => {
    const letters = flat(128, 96, 255, 255, 255);
    for (let y = 0; y < 96; y++)
      for (let x = 0; x < 128; x++)
        if (((x * 7 + y * 3) % 23 < 5 || x % 13 < 2) && y % 24 > 6)
          letters.data.fill(0, (y * 128 + x) * 3, (y * 128 + x) * 3 + 3);
    const inverse = { ...letters, data: Buffer.from(letters.data.map((value) => 255 - value)) };
    for (const raw of [letters, inverse]) {
      const options = {
        quality: 75,
        quantisationTable: 3,
        chromaSubsampling: '4:2:0',
        trellisQuantisation: true,
      } as const;
      const theirs = await sharpOf(raw).jpeg(options).toBuffer();
      const own = encoded(sourceOf(raw), { ...asTable3(75), trellis: true });
      const gain = psnr(await pixelsOf(own), raw.data) - psnr(await pixelsOf(theirs), raw.data);
      assert.ok(gain > 4 && own.length < theirs.length * 1.15, `${gain} dB, ${own.length} and ${theirs.length} bytes`);
    }
  });

  it('keeps coefficients within the code range for the strongest changes of black and white', async () => {
    // Samples can reach the highest coefficient. A larger one would need 11 bits, for which a band of rows has no code.
    const stripes = flat(32, 32, 90, 90, 90);
    for (let y = 16; y < 32; y++)
      for (let x = 0; x < 32; x++) {
        const isWhite = (((x + 1) >> 1) + ((y + 1) >> 1)) % 2 === 0;
        stripes.data.fill(isWhite ? 255 : 0, (y * 32 + x) * 3, (y * 32 + x) * 3 + 3);
      }
    for (const quality of [95, 97, 98, 100])
      for (const maxHeldBytes of [1, 2 ** 20])
        for (const trellis of [false, true]) {
          const file = encoded(sourceOf(stripes), { quality, sampling: '444', trellis, maxHeldBytes });
          assert.ok(psnr(await pixelsOf(file), stripes.data) > 40, `${quality}, ${maxHeldBytes}, ${trellis}`);
        }
  });

  it('writes the same coefficients in every coding, and the optimised coding is the smallest', async () => {
    for (const trellis of [false, true]) {
      const source = sourceOf(pattern(130, 65));
      const [sequential, search] = CODINGS.map((coding) => encoded(source, { trellis, coding }));
      assert.ok((await pixelsOf(search!)).equals(await pixelsOf(sequential!)));
      assert.ok(search!.length <= sequential!.length);
    }
  });

  it('writes the same coefficients for an image that it holds in parts', async () => {
    // The dark top gives no hint of the rows below.
    const raw = pattern(130, 165);
    raw.data.fill(7, 0, 130 * 3 * 40);
    for (const sampling of SAMPLINGS) {
      const whole = encoded(sourceOf(raw), { sampling, trellis: true });
      for (const maxHeldBytes of [1, 40_000]) {
        const file = encoded(sourceOf(raw), { sampling, trellis: true, coding: 'sampled', maxHeldBytes });
        assert.ok((await pixelsOf(file)).equals(await pixelsOf(whole)), `${sampling} ${maxHeldBytes}`);
        assert.ok(file.length < whole.length * 1.6, `${file.length} instead of ${whole.length}`);
      }
    }
    const grey = { data: raw.data.subarray(0, 130 * 165), width: 130, height: 165, bands: 1 } as const;
    const pixels = await pixelsOf(encoded(grey, { quality: 100 }));
    assert.ok((await pixelsOf(encoded(grey, { quality: 100, maxHeldBytes: 1 }))).equals(pixels));
  });

  it('writes scans of more symbols than it buffers', async () => {
    const random = new Random(1);
    const side = 1024;
    const data = Uint8Array.from({ length: side * side * 3 }, () => random.integer(256));
    const source = { data, width: side, height: side, bands: 3 } as const;
    const inRows = encoded(source, { quality: 100, sampling: '444', maxHeldBytes: 1 });
    const file = encoded(source, { quality: 100, sampling: '444' });
    assert.ok((await pixelsOf(file)).equals(await pixelsOf(inRows)));
  });

  it('writes progressive scans of more symbols than it buffers', async () => {
    const random = new Random(1);
    const side = 2048;
    const noise = Uint8Array.from({ length: side * side }, () => random.integer(256));
    // Weakens the high frequencies, so that progressive coding gives the smaller file.
    const data = await sharp(noise, { raw: { width: side, height: side, channels: 1 } })
      .blur(0.6)
      .raw()
      .toBuffer();
    const source = { data, width: side, height: side, bands: 1 } as const;
    const file = encoded(source, { quality: 90, coding: 'sampled' });
    const { isProgressive } = await sharp(file).metadata();
    assert.ok(isProgressive);
    assert.ok((await pixelsOf(file)).equals(await pixelsOf(encoded(source, { quality: 90 }))));
  });

  it('accepts pixels in parts of any size', () => {
    const source = sourceOf(pattern(61, 47));
    const encoder = JpegEncoder.start(codec, source, PLAIN);
    for (let at = 0; at < source.data.length; at += 1000) encoder!.push(source.data.subarray(at, at + 1000));
    assert.deepEqual(encoder!.finish(), encoded(source));
  });

  it('rejects an image that does not fit in its memory', () => {
    // At this size, the coefficients to hold exceed a 32-bit memory.
    const source = { data: new Uint8Array(0), width: 65_500, height: 65_500, bands: 3 } as const;
    assert.equal(encodeJpeg(codec, source, { ...PLAIN, sampling: '444', maxHeldBytes: 2 ** 36 }), undefined);
  });

  it('writes larger files as the quality grows', () => {
    const source = sourceOf(pattern(130, 65));
    const sizes = [1, 10, 30, 60, 90, 100].map((quality) => encoded(source, { quality, trellis: true }).length);
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => a - b),
    );
  });
});
