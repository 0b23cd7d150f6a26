/** Results of compress for sources whose format it does not write. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { encodeTga } from '../../../codecs/formats/tga/write.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { compress } from '../../support/engine.ts';
import { makeSamples } from '../../support/samples.ts';

const SIDE = 64;

/** Writes a binary RGB pixmap (PPM). */
const ppm = (pixel: (x: number, y: number) => [number, number, number]) =>
  Buffer.concat([
    Buffer.from(`P6\n${SIDE} ${SIDE}\n255\n`),
    Buffer.from(Array.from({ length: SIDE ** 2 }, (_, at) => pixel(at % SIDE, Math.floor(at / SIDE))).flat()),
  ]);

/** Writes one 16-bit colour with this alpha as PAM. */
function pam(alpha: number): Buffer {
  const header = Buffer.from(`P7\nWIDTH ${SIDE}\nHEIGHT ${SIDE}\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n`);
  const pixel = Buffer.alloc(8);
  for (const [at, value] of [0x1234, 0x5678, 0x9abc, alpha].entries()) pixel.writeUInt16BE(value, at * 2);
  return Buffer.concat([header, ...Array.from({ length: SIDE ** 2 }, () => pixel)]);
}

const raw = (bytes: Buffer) => sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });

describe('format auto for a source format that is not written', () => {
  test('many colours without transparency give JPEG', async () => {
    assert.equal((await compress(ppm((x, y) => [x * 4, y * 4, (x * y) % 256]))).format, 'jpeg');
  });

  test('up to 256 colours give PNG, more give JPEG', async () => {
    const grid = (steps: number) => ppm((x, y) => [(x % steps) * 4, (y % steps) * 4, 0]);
    assert.equal((await compress(grid(16))).format, 'png');
    assert.equal((await compress(ppm((x, y) => [x % 16, y % 16, x === 63 && y === 63 ? 1 : 0]))).format, 'jpeg');
  });

  test('transparency gives PNG, and 16 bits are kept where the result must be lossless', async () => {
    const { format, bytes } = await compress(pam(0x8000), { mode: 'lossless' });
    assert.equal(format, 'png');
    const { data, info } = await sharp(bytes)
      .toColourspace('rgb16')
      .raw({ depth: 'ushort' })
      .toBuffer({ resolveWithObject: true });
    const pixel = new Uint16Array(data.buffer, data.byteOffset, info.channels);
    assert.deepEqual([...pixel], [0x1234, 0x5678, 0x9abc, 0x8000]);
  });

  test('a requested format is used', async () => {
    assert.equal((await compress(pam(0xffff), { format: 'webp' })).format, 'webp');
  });
});

describe('a vector source', () => {
  /** Left half black, right half empty: the edge stays sharp at every size. */
  const drawing = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"><rect width="4" height="4"/></svg>',
  );

  const edgeAt = async (bytes: Buffer) => {
    const { data, info } = await raw(bytes);
    const row = Array.from({ length: info.width }, (_, x) => data[x * 4 + 3]!);
    assert.deepEqual(new Set(row), new Set([0, 255]), 'nothing is smeared');
    return [info.width, info.height, row.lastIndexOf(255) + 1];
  };

  test('has its own size', async () => {
    assert.deepEqual(await edgeAt((await compress(drawing, { format: 'png' })).bytes), [8, 4, 4]);
  });

  test('is rendered at the requested width or percentage, without enlarge', async () => {
    assert.deepEqual(await edgeAt((await compress(drawing, { width: 800 })).bytes), [800, 400, 400]);
    assert.deepEqual(await edgeAt((await compress(drawing, { percent: 1000 })).bytes), [80, 40, 40]);
    assert.deepEqual(await edgeAt((await compress(drawing, { height: 2 })).bytes), [4, 2, 2]);
  });

  test('is cropped in pixels of its own size', async () => {
    const { bytes } = await compress(drawing, { crop: '2,0,4,4' });
    assert.deepEqual(await edgeAt(bytes), [4, 4, 2]);
  });

  test('is rejected when it would be too large', async () => {
    await assert.rejects(compress(drawing, { width: 20_000, height: 10_000 }), { code: 'image_too_large' });
  });
});

test('a format without a signature needs a file name', async () => {
  const file = encodeTga(makeSamples('ramp', SIDE, SIDE, 3)).subarray(0, -26);
  await assert.rejects(compress(file), { code: 'unsupported_format' });
  const { width, format } = await compress(file, { filename: 'ramp.TGA', format: 'png' });
  assert.deepEqual([width, format], [SIDE, 'png']);
});

test('the preview of a camera RAW is used, with a warning', { skip: corpusSkipReason }, async () => {
  const { warnings, width, height } = await compress(corpus('raw/file-type--fixture.cr3')!);
  assert.deepEqual([warnings, width, height], [['preview_used'], 120, 160]);
});

test('page selects a frame of a DICOM file', { skip: corpusSkipReason }, async () => {
  const file = corpus('dicom/pydicom--SC_rgb_rle_2frame.dcm')!;
  assert.equal((await compress(file, { page: 2 })).width, 100);
  await assert.rejects(compress(file, { page: 3 }), {
    code: 'page_out_of_range',
    message: 'Expected a page from 1 to 2 for page but received 3.',
  });
});
