/** PQ, HLG and wide gamuts that files name by code points: kept where the format records them, else converted. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { chunk } from '../../../codecs/metadata/png-chunks.ts';
import { compress, inspect } from '../../support/engine.ts';
import { decode, pixel } from '../../support/test-images.ts';
import { blurFaces } from '../blur-faces/support.ts';
import { pipeline } from '../pipeline/support.ts';

const SIZE = { width: 32, height: 24 };
const BT709 = 1;
const UNSPECIFIED = 2;
const BT2020 = 9;
const P3 = 12;
const SRGB = 13;
const PQ = 16;
const HLG = 18;
/** Length of the signature and IHDR. */
const HEADER_BYTES = 33;

/** A PNG of 16 bits that names its colours by code points. */
async function codedPng(primaries: number, transfer: number, samples = gradients()): Promise<Buffer> {
  const file = await sharp(samples, { raw: { ...SIZE, channels: 3 } })
    .toColourspace('rgb16')
    .png()
    .toBuffer();
  const code = chunk('cICP', Uint8Array.of(primaries, transfer, 0, 1));
  return Buffer.concat([file.subarray(0, HEADER_BYTES), code, file.subarray(HEADER_BYTES)]);
}

/** All samples of gradients up to the PQ sample of 1,000 cd/m2. */
function gradients(): Uint16Array {
  const { width, height } = SIZE;
  return Uint16Array.from({ length: width * height * 3 }, (_, at) => {
    const [pixel, channel] = [Math.floor(at / 3), at % 3];
    const [x, y] = [(pixel % width) / (width - 1), Math.floor(pixel / width) / (height - 1)];
    return Math.round([x, (x + y) / 2, y][channel]! * 0.75 * 65_535);
  });
}

/** A uniform image of one PQ or HLG sample. */
const uniform = (red: number, green = red, blue = red) =>
  Uint16Array.from({ length: SIZE.width * SIZE.height * 3 }, (_, at) =>
    Math.round([red, green, blue][at % 3]! * 65_535),
  );

async function shownPixel(file: Uint8Array): Promise<number[]> {
  const { bytes, warnings } = await compress(file, { format: 'png', mode: 'lossless' });
  assert.deepEqual(warnings, ['color_converted']);
  return pixel(await decode(bytes), 5, 5).slice(0, 3);
}

async function recorded(file: Uint8Array) {
  const { hdr, bit_depth } = (await inspect(file)).color;
  return { hdr, bits: bit_depth };
}

describe('tone mapping', () => {
  // Computed from ITU-R BT.2100 (PQ), BT.2390-11, 5.4.1 (target 203 cd/m2, source 1,000) and IEC 61966-2-1.
  const GREYS: [light: number, sample: number, level: number][] = [
    [0, 0, 0],
    [46, 0.4321, 131],
    [203, 0.5807, 229],
    [1000, 0.7518, 255],
    [10_000, 1, 255],
  ];
  for (const [light, sample, level] of GREYS) {
    it(`shows ${light} cd/m2 of PQ as ${level}`, async () => {
      const [red, green, blue] = await shownPixel(await codedPng(BT2020, PQ, uniform(sample)));
      assert.ok(Math.abs(red! - level) <= 1, `${red}`);
      assert.ok(Math.abs(green! - red!) <= 1 && Math.abs(blue! - red!) <= 1, 'grey stays grey');
    });
  }

  it('shows white of HLG (75% of its range, 203 cd/m2) as white of PQ', async () => {
    const [red] = await shownPixel(await codedPng(BT2020, HLG, uniform(0.75)));
    assert.ok(Math.abs(red! - 229) <= 1, `${red}`);
  });

  it('applies whatever the primaries are', async () => {
    for (const primaries of [BT709, UNSPECIFIED, P3]) {
      const [red] = await shownPixel(await codedPng(primaries, PQ, uniform(0.5807)));
      assert.ok(Math.abs(red! - 229) <= 1, `${red}`);
    }
  });

  it('clips light above the peak in each component, so that highlights become white', async () => {
    // PQ samples of 4,000, 2,000, 1,000 and 500 cd/m2.
    const [brightest, bright, peak, below] = [0.9026, 0.8274, 0.7518, 0.6765];
    const clipped = await shownPixel(await codedPng(BT709, PQ, uniform(peak, peak, below)));
    assert.deepEqual(await shownPixel(await codedPng(BT709, PQ, uniform(brightest, bright, below))), clipped);
    const [white] = [await shownPixel(await codedPng(BT2020, PQ, uniform(brightest, bright, peak)))];
    assert.ok(
      white.every((level) => level >= 254),
      `${white}`,
    );
  });

  it('clips colours outside sRGB in linear light', async () => {
    // Red of BT.2020 at 203 cd/m2 has 1.66 of the red of sRGB, and less than nothing of green and blue.
    assert.deepEqual(await shownPixel(await codedPng(BT2020, PQ, uniform(0.5807, 0, 0))), [255, 0, 0]);
  });

  it('is the same in 16 bits, with more levels', async () => {
    const { bytes } = await compress(await codedPng(BT2020, PQ), { format: 'tiff', mode: 'lossless' });
    const { depth } = await sharp(bytes).metadata();
    assert.equal(depth, 'ushort');
  });

  it('is what every operation shows', async () => {
    const file = await codedPng(BT2020, PQ, uniform(0.5807));
    assert.ok((await blurFaces(file, { boxes: '1,1,5,5', format: 'png' })).warnings.includes('color_converted'));
    const { bytes } = await pipeline(file, [
      { op: 'adjust', params: { brightness: 10 } },
      { op: 'convert', params: { format: 'avif' } },
    ]);
    assert.equal((await recorded(bytes)).hdr, false);
    const colors = (await inspect(file)).colors!;
    assert.match(JSON.stringify(colors), /#e5e5e5/i);
  });
});

describe('AVIF and JPEG XL', () => {
  let source: Buffer;
  before(async () => {
    source = await codedPng(BT2020, PQ);
  });

  for (const format of ['avif', 'jxl'] as const) {
    for (const mode of ['quality', 'lossless', 'smart'] as const) {
      it(`keep PQ with more than 8 bits: ${format}, mode=${mode}`, async () => {
        const { bytes, warnings } = await compress(source, { format, mode });
        // AVIF has no 16 bits.
        assert.deepEqual(warnings, format === 'avif' ? ['depth_reduced'] : []);
        const { hdr, bits } = await recorded(bytes);
        assert.equal(hdr, true);
        assert.ok(bits >= 10, `${bits}`);
        // Both show the same in sRGB.
        const [ours, theirs] = await Promise.all(
          [bytes, source].map((file) => compress(file, { format: 'png', quality: 100 })),
        );
        const [one, other] = [await decode(ours!.bytes), await decode(theirs!.bytes)];
        const mean = one.data.reduce((sum, value, at) => sum + Math.abs(value - other.data[at]!), 0) / one.data.length;
        assert.ok(mean < 6, `${mean} levels`);
      });
    }
  }

  it('keep PQ and the depth of an AVIF through another AVIF, also cropped and turned', async () => {
    const first = await compress(source, { format: 'avif', mode: 'lossless' });
    const again = await compress(first.bytes, { crop: '1,1,9,9', rotate: 90 });
    assert.deepEqual([again.format, again.warnings], ['avif', []]);
    assert.deepEqual(await recorded(again.bytes), { hdr: true, bits: 12 });
  });

  it('do not keep it where colours are painted', async () => {
    const { bytes, warnings } = await compress(source, { format: 'avif', border: 2 });
    assert.deepEqual([(await recorded(bytes)).hdr, warnings], [false, ['depth_reduced', 'color_converted']]);
  });

  it('keep every sample of 12 bits', async () => {
    const first = await compress(source, { format: 'avif', mode: 'lossless' });
    const second = await compress(first.bytes, { format: 'avif', mode: 'lossless', flip: 'h' });
    const third = await compress(second.bytes, { format: 'jxl', mode: 'lossless', flip: 'h' });
    const back = await compress(third.bytes, { format: 'avif', mode: 'lossless' });
    const shown = async (file: Uint8Array) => (await compress(file, { format: 'png', mode: 'lossless' })).bytes;
    assert.deepEqual(await shown(back.bytes), await shown(first.bytes));
    const expected = gradients().map((sample) => Math.round((sample * 4095) / 65_535));
    assert.ok(new Set(expected).size > 256);
  });
});

describe('a wide gamut without a profile', () => {
  it('is read right', async () => {
    // Red of P3 is outside sRGB; its grey is the same.
    assert.deepEqual(await shownPixel(await codedPng(P3, SRGB, uniform(1, 0, 0))), [255, 0, 0]);
    const [red, green, blue] = await shownPixel(await codedPng(P3, SRGB, uniform(0.6, 0.4, 0.4)));
    // Linear P3 0.319, 0.133, 0.133 is linear sRGB 0.360, 0.125, 0.129.
    assert.deepEqual(
      [red, green, blue].map((level, at) => Math.abs(level! - [162, 99, 101][at]!) <= 1),
      [true, true, true],
    );
    const [brown] = await shownPixel(await codedPng(BT2020, 14, uniform(0.5)));
    assert.ok(Math.abs(brown! - 128) <= 1);
  });

  it('is kept as a profile where metadata is kept, and as code points in AVIF', async () => {
    const source = await codedPng(P3, SRGB);
    const { bytes, warnings } = await compress(source, { format: 'png', mode: 'lossless', metadata: 'color' });
    assert.deepEqual(warnings, []);
    assert.equal((await inspect(bytes)).color.space, 'display_p3');
    const avif = await compress(source, { format: 'avif' });
    assert.equal((await inspect(avif.bytes)).color.space, 'display_p3');
    assert.deepEqual(avif.warnings, ['depth_reduced']);
  });

  it('is not seen in sRGB', async () => {
    const { warnings } = await compress(await codedPng(BT709, SRGB), { format: 'png', mode: 'lossless' });
    assert.deepEqual(warnings, []);
  });
});
