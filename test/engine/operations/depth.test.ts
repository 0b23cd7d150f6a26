/** Samples of more than 8 bits are kept where the format holds them; where not, the result says so. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import type { OutputFormat } from '../../../codecs/formats/registry.ts';
import { type CompressOptions, compress } from '../../support/engine.ts';
import { flat, png } from '../../support/test-images.ts';
import { blurFaces } from '../blur-faces/support.ts';
import { makePack } from '../favicon/pack.ts';
import { edit } from '../gif/support.ts';
import { idPhoto } from '../id-photo/support.ts';
import { pipeline } from '../pipeline/support.ts';
import { upscale } from '../upscale/support.ts';

const SIZE = { width: 64, height: 48 };
const MAX = 65_535;

/** Smooth gradients whose low bits all differ. */
function deepSamples(channels: 1 | 2 | 3 | 4): Uint16Array {
  const { width, height } = SIZE;
  const alphaAt = channels % 2 === 0 ? channels - 1 : -1;
  return Uint16Array.from({ length: width * height * channels }, (_, at) => {
    const pixel = Math.floor(at / channels);
    const channel = at % channels;
    const [x, y] = [(pixel % width) / width, Math.floor(pixel / width) / height];
    const light =
      channel === alphaAt ? 0.5 + x / 2 : channel === 0 ? 0.9 * x + 0.1 * y : channel === 1 ? y : (x + y) / 2;
    return Math.round(light * MAX);
  });
}

const deepSharp = (channels: 1 | 2 | 3 | 4) =>
  sharp(deepSamples(channels), { raw: { ...SIZE, channels } }).toColourspace(channels < 3 ? 'grey16' : 'rgb16');

/** The samples of a file as 16 bits. */
async function deepSamplesOf(file: Uint8Array): Promise<Uint16Array> {
  const { space } = await sharp(file).metadata();
  const data = await sharp(file).toColourspace(space!).raw({ depth: 'ushort' }).toBuffer();
  return new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
}

describe('compress of 16 bits per sample', () => {
  const KEEPING: readonly CompressOptions[] = [
    { format: 'png', mode: 'lossless' },
    { format: 'png', quality: 100 },
    { format: 'tiff', mode: 'lossless' },
  ];
  for (const channels of [1, 2, 3, 4] as const) {
    it(`keeps every sample where the file is lossless, with ${channels} channels`, async () => {
      const source = await deepSharp(channels).png().toBuffer();
      for (const options of KEEPING) {
        const { bytes, warnings } = await compress(source, { ...options, metadata: 'strip' });
        assert.deepEqual(warnings, [], JSON.stringify(options));
        assert.deepEqual(await deepSamplesOf(bytes), deepSamples(channels), JSON.stringify(options));
      }
    });
  }

  it('keeps every sample in a lossless JPEG XL, and nearly all of the depth in a lossy one', async () => {
    const source = await deepSharp(3).png().toBuffer();
    const lossless = await compress(source, { format: 'jxl', mode: 'lossless' });
    const back = await compress(lossless.bytes, { format: 'png', mode: 'lossless' });
    assert.deepEqual([lossless.warnings, back.warnings], [[], []]);
    assert.deepEqual(await deepSamplesOf(back.bytes), deepSamples(3));
    const lossy = await compress(source, { format: 'jxl', quality: 90 });
    assert.deepEqual(lossy.warnings, []);
    const levels = new Set(
      await deepSamplesOf((await compress(lossy.bytes, { format: 'png', mode: 'lossless' })).bytes),
    );
    assert.ok(levels.size > 1000, `${levels.size} levels`);
  });

  for (const channels of [1, 3, 4] as const) {
    it(`keeps every sample in a Photoshop document, with ${channels} channels`, async () => {
      const { bytes, warnings } = await compress(await deepSharp(channels).png().toBuffer(), { format: 'psd' });
      assert.deepEqual(warnings, []);
      assert.deepEqual([bytes.readUInt16BE(12), bytes.readUInt16BE(22)], [channels, 16]);
      // Behind transparency, colours are blended with white in the merged image.
      const plane = channels === 4 ? 3 : 0;
      const expected = deepSamples(channels).filter((_, at) => at % channels === plane);
      assert.deepEqual(mergedPlane(bytes, channels, plane), expected);
    });
  }

  it('is read from Photoshop documents with every sample, packed or not, and cut short', async () => {
    for (const channels of [1, 3] as const) {
      const packed = (await compress(await deepSharp(channels).png().toBuffer(), { format: 'psd' })).bytes;
      const { bytes, warnings } = await compress(packed, { format: 'png', mode: 'lossless' });
      assert.deepEqual(warnings, []);
      assert.deepEqual(await deepSamplesOf(bytes), deepSamples(channels));
      const raw = await compress(unpackedPsd(packed, channels), { format: 'png', mode: 'lossless' });
      assert.deepEqual(await deepSamplesOf(raw.bytes), deepSamples(channels));
      const half = await compress(packed.subarray(0, packed.length / 2), { format: 'png', mode: 'lossless' });
      assert.deepEqual(half.warnings, ['truncated_source']);
      const { width } = await sharp(half.bytes).metadata();
      assert.equal(width, SIZE.width);
    }
    const transparent = (await compress(await deepSharp(4).png().toBuffer(), { format: 'psd' })).bytes;
    const shown = await compress(transparent, { format: 'png', mode: 'lossless' });
    assert.deepEqual(shown.warnings, []);
    const samples = await deepSamplesOf(shown.bytes);
    const source = deepSamples(4);
    for (const [at, expected] of source.entries()) {
      const alpha = source[at | 3]!;
      // The merged image is blended with white, so that colours lose as many bits as alpha lacks.
      const tolerance = at % 4 === 3 ? 0 : 65_535 / Math.max(1, alpha);
      assert.ok(Math.abs(samples[at]! - expected) <= tolerance || alpha === 0, `${at}: ${samples[at]}, ${expected}`);
    }
    const again = await compress(await deepSharp(3).png().toBuffer(), { format: 'psd' });
    const psd = await compress(again.bytes, { flip: 'h' });
    assert.deepEqual([psd.format, psd.bytes.readUInt16BE(22), psd.warnings], ['psd', 16, []]);
  });

  const REDUCING: readonly CompressOptions[] = [
    { format: 'png' },
    { format: 'png', mode: 'smart' },
    { format: 'tiff' },
    { format: 'webp', mode: 'lossless' },
    { format: 'bmp' },
    ...(['jpeg', 'webp', 'gif', 'tga', 'ico', 'pdf'] as OutputFormat[]).map((format) => ({ format })),
  ];
  it('warns where the coding has 8 bits', async () => {
    const source = await deepSharp(3).png().toBuffer();
    for (const options of REDUCING) {
      assert.deepEqual((await compress(source, options)).warnings, ['depth_reduced'], JSON.stringify(options));
    }
  });

  it('does not warn where the file of the source is kept', async () => {
    const source = await deepSharp(3).png().toBuffer();
    const { bytes, warnings } = await compress(source, { target_bytes: source.length });
    assert.deepEqual([(await sharp(bytes).metadata()).depth, warnings], ['ushort', []]);
  });

  it('does not warn of 8 bits', async () => {
    assert.deepEqual((await compress(await png(flat(20, 20, 1, 2, 3)), { format: 'jpeg' })).warnings, []);
  });
});

/** The same document with an unpacked merged image. */
function unpackedPsd(file: Buffer, channels: 1 | 3): Buffer {
  const resourcesAt = 30 + file.readUInt32BE(26);
  const layersAt = resourcesAt + 4 + file.readUInt32BE(resourcesAt);
  const planes = Array.from({ length: channels }, (_, plane) =>
    Buffer.from(mergedPlane(file, channels, plane).buffer).swap16(),
  );
  return Buffer.concat([file.subarray(0, layersAt + 4 + file.readUInt32BE(layersAt)), Buffer.alloc(2), ...planes]);
}

/** Reads one channel of the merged image of a Photoshop document, packed with PackBits. */
function mergedPlane(file: Buffer, channels: number, plane: number): Uint16Array {
  const { width, height } = SIZE;
  const resourcesAt = 30 + file.readUInt32BE(26);
  const layersAt = resourcesAt + 4 + file.readUInt32BE(resourcesAt);
  const mergedAt = layersAt + 4 + file.readUInt32BE(layersAt);
  assert.equal(file.readUInt16BE(mergedAt), 1);
  const counts = Array.from({ length: channels * height }, (_, row) => file.readUInt16BE(mergedAt + 2 + 2 * row));
  let at = mergedAt + 2 + 2 * counts.length;
  const bytes: number[] = [];
  counts.forEach((count, row) => {
    const end = at + count;
    const isWanted = Math.floor(row / height) === plane;
    while (at < end) {
      const length = file.readInt8(at);
      const literal = length >= 0;
      const packet = literal
        ? [...file.subarray(at + 1, at + 2 + length)]
        : Array.from({ length: 1 - length }, () => file[at + 1]!);
      if (isWanted) bytes.push(...packet);
      at += literal ? 2 + length : 2;
    }
  });
  assert.equal(bytes.length, 2 * width * height);
  return Uint16Array.from({ length: width * height }, (_, index) => bytes[2 * index]! * 256 + bytes[2 * index + 1]!);
}

describe('other operations on 16 bits per sample', () => {
  let file: Buffer;
  before(async () => {
    file = await deepSharp(3).resize(520, 520, { fit: 'fill' }).toColourspace('rgb16').png().toBuffer();
  });

  const OPERATIONS: Record<string, (file: Uint8Array) => Promise<{ warnings: readonly string[] }>> = {
    'blur-faces': (file) => blurFaces(file, { boxes: '1,1,9,9' }),
    favicon: async (file) => (await makePack(file, {})).result,
    gif: (file) => edit(file, {}),
    'id-photo': (file) => idPhoto(file, { width_mm: 10, height_mm: 10, dpi: 100 }),
  };
  for (const [name, run] of Object.entries(OPERATIONS)) {
    it(`makes ${name} warn`, async () => {
      assert.deepEqual((await run(file)).warnings, ['depth_reduced']);
    });
  }

  it('makes a pipeline warn, in the dry run too, unless its result keeps them', async () => {
    const resize = { op: 'resize', params: { width: 20 } };
    const small = await pipeline(file, [resize, { op: 'convert', params: { format: 'jpeg' } }]);
    assert.deepEqual([small.warnings, small.plan.warnings], [['depth_reduced'], ['depth_reduced']]);
    const deep = await pipeline(file, [resize, { op: 'compress', params: { format: 'png', mode: 'lossless' } }]);
    assert.deepEqual([deep.warnings, deep.plan.warnings], [[], []]);
    assert.equal((await sharp(deep.bytes).metadata()).depth, 'ushort');
  });
});

describe('upscale of 16 bits per sample', () => {
  for (const channels of [1, 3, 4] as const) {
    it(`keeps them as PNG and TIFF, with ${channels} channels`, async () => {
      const source = await deepSharp(channels).png().toBuffer();
      for (const format of ['png', 'tiff'] as const) {
        const { bytes, warnings } = await upscale(source, { format });
        assert.deepEqual(warnings, [], format);
        const samples = await deepSamplesOf(bytes);
        assert.equal(samples.length, 4 * deepSamples(channels).length);
        // 8 bits have at most 256 levels, and a gradient enlarged in 16 has more.
        assert.ok(new Set(samples).size > 1000, format);
      }
    });
  }

  it('is what upscale makes of 8 bits, within a level', async () => {
    const deep = await deepSamplesOf((await upscale(await deepSharp(3).png().toBuffer(), { format: 'png' })).bytes);
    const shallow = await deepSharp(3).toColourspace('srgb').png().toBuffer();
    const reference = await sharp((await upscale(shallow, { format: 'png' })).bytes)
      .raw()
      .toBuffer();
    const largest = deep.reduce((max, value, at) => Math.max(max, Math.abs(value / 257 - reference[at]!)), 0);
    assert.ok(largest < 2.5, `${largest} levels`);
  });

  it('warns as JPEG', async () => {
    const { warnings } = await upscale(await deepSharp(3).png().toBuffer(), { format: 'jpeg' });
    assert.deepEqual(warnings, ['depth_reduced']);
  });
});
