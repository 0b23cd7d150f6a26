import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tgaReader } from '../../../../codecs/formats/tga/read.ts';
import { encodeTga } from '../../../../codecs/formats/tga/write.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../../support/corpus.ts';
import { TRIED_PART } from '../../../support/damage.ts';
import { failureOf } from '../../../support/failure.ts';
import { pixelsHash, probeWith, readBitmap, readDamaged, toRgba } from '../../../support/readers.ts';
import { KINDS, makeSamples, SIZES } from '../../../support/samples.ts';

interface Recipe {
  type: number;
  bits: number;
  descriptor: number;
  pixels: number[];
  width?: number;
  height?: number;
  /** First index, entries, and bits of each entry. */
  map?: { first: number; bits: number; entries: number[][] };
  /** Attributes type in the extension area. */
  attributes?: number;
}

/** Writes a TGA file by its specification. */
function tga({ type, bits, descriptor, pixels, width = 2, height = 2, map, attributes }: Recipe): Uint8Array {
  const header = Buffer.alloc(18);
  header[1] = map ? 1 : 0;
  header[2] = type;
  if (map) {
    header.writeUInt16LE(map.first, 3);
    header.writeUInt16LE(map.entries.length, 5);
    header[7] = map.bits;
  }
  header.writeUInt16LE(width, 12);
  header.writeUInt16LE(height, 14);
  header[16] = bits;
  header[17] = descriptor;
  const body = Buffer.concat([header, Buffer.from(map?.entries.flat() ?? []), Buffer.from(pixels)]);
  if (attributes === undefined) return body;
  const extension = Buffer.alloc(495);
  extension[494] = attributes;
  const footer = Buffer.alloc(26);
  footer.writeUInt32LE(body.length, 0);
  footer.write('TRUEVISION-XFILE.\0', 8, 'latin1');
  return Buffer.concat([body, extension, footer]);
}

const TOP_LEFT = 0x20;

test('reads back what our encoder writes, grey, RGB and RGBA', async () => {
  for (const kind of KINDS) {
    for (const [width, height] of SIZES) {
      for (const channels of [1, 3, 4] as const) {
        const samples = makeSamples(kind, width, height, channels);
        // An alpha of 0 everywhere would be ignored.
        if (channels === 4) samples.data[3] = 9;
        assert.deepEqual(toRgba(await readBitmap(tgaReader, encodeTga(samples))), toRgba(samples));
      }
    }
  }
});

test('reads each of the four origins', async () => {
  for (const [origin, expected] of [
    [0x20, [1, 2, 3, 4]],
    [0x30, [2, 1, 4, 3]],
    [0x00, [3, 4, 1, 2]],
    [0x10, [4, 3, 2, 1]],
  ] as const) {
    const bitmap = await readBitmap(tgaReader, tga({ type: 3, bits: 8, descriptor: origin, pixels: [1, 2, 3, 4] }));
    assert.deepEqual([...bitmap.data], expected);
  }
});

test('reads palettes that do not start at 0, and indices outside as black', async () => {
  const map = {
    first: 10,
    bits: 24,
    entries: [
      [3, 2, 1],
      [6, 5, 4],
    ],
  };
  const file = tga({ type: 1, bits: 8, descriptor: TOP_LEFT, map, pixels: [10, 11, 9, 12] });
  assert.deepEqual([...(await readBitmap(tgaReader, file)).data], [1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0]);
});

test('scales five bits per colour to eight', async () => {
  const pixels = [0x00, 0x7c, 0xe0, 0x03, 0x1f, 0x00, 0x21, 0x84];
  const bitmap = await readBitmap(tgaReader, tga({ type: 2, bits: 16, descriptor: TOP_LEFT, pixels }));
  assert.deepEqual([...bitmap.data], [255, 0, 0, 0, 255, 0, 0, 0, 255, 8, 8, 8]);
});

test('reads attribute bits as alpha unless the extension area says otherwise', async () => {
  const pixels = [1, 2, 3, 128, 4, 5, 6, 255, 7, 8, 9, 64, 9, 9, 9, 0];
  const recipe = { type: 2, bits: 32, pixels };
  const channels = async (descriptor: number, attributes?: number) => {
    const file = tga({ ...recipe, descriptor, ...(attributes === undefined ? {} : { attributes }) });
    return (await readBitmap(tgaReader, file)).channels;
  };
  assert.equal(await channels(TOP_LEFT | 8), 4);
  assert.equal(await channels(TOP_LEFT), 3);
  assert.deepEqual(await Promise.all([0, 1, 2, 3, 4].map((type) => channels(TOP_LEFT | 8, type))), [3, 3, 3, 4, 4]);
});

test('divides premultiplied colours by their alpha', async () => {
  const pixels = [64, 32, 16, 128, 0, 0, 0, 0, 1, 1, 1, 255, 0, 0, 0, 255];
  const file = tga({ type: 2, bits: 32, descriptor: TOP_LEFT | 8, pixels, attributes: 4 });
  assert.deepEqual([...(await readBitmap(tgaReader, file)).data.slice(0, 4)], [32, 64, 128, 128]);
});

test('ignores an alpha of 0 everywhere', async () => {
  const pixels = [1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0];
  const file = tga({ type: 2, bits: 32, descriptor: TOP_LEFT | 8, pixels });
  assert.deepEqual([...(await readBitmap(tgaReader, file)).data.slice(0, 4)], [3, 2, 1, 255]);
});

test('reads packets that cross the ends of rows', async () => {
  const file = tga({ type: 11, bits: 8, descriptor: TOP_LEFT, pixels: [0x82, 7, 0x00, 9] });
  assert.deepEqual([...(await readBitmap(tgaReader, file)).data], [7, 7, 7, 9]);
});

test('keeps the pixels of a file that ends early', async () => {
  for (const type of [3, 11]) {
    const pixels = type === 3 ? [5, 6] : [0x81, 5];
    const bitmap = await readBitmap(tgaReader, tga({ type, bits: 8, descriptor: TOP_LEFT, pixels }));
    assert.equal(bitmap.truncated, true);
    assert.equal(bitmap.data[3], 0);
  }
});

test('rejects too many pixels, a second page and an unknown type', async () => {
  const file = tga({ type: 3, bits: 8, descriptor: 0, pixels: [1, 2, 3, 4] });
  await failureOf('image_too_large', () => readBitmap(tgaReader, file, { maxPixels: 3 }));
  await failureOf('page_out_of_range', () => probeWith(tgaReader, file, { page: 2 }));
  await failureOf('corrupt_image', () => probeWith(tgaReader, tga({ type: 4, bits: 8, descriptor: 0, pixels: [] })));
});

test('returns a failure or an image of the declared size for damaged files', async () => {
  const seeds = ([1, 3, 4] as const).map((channels) => encodeTga(makeSamples('runs', 30, 20, channels)));
  assert.ok((await readDamaged(tgaReader, seeds, 200)) > 100 * TRIED_PART);
});

/** Pixels as read by Pillow 9.4, except for the three files whose extension area declares that there is no alpha. */
const PILLOW: readonly (readonly [file: string, hash: string])[] = [
  ['image--cbw8.tga', '63b953eea39db392'],
  ['image--ccm8.tga', '291f88aa4416b5bb'],
  ['image--cmap_offset.tga', 'b25b6c2734105b2f'],
  ['image--ctc24.tga', '291f88aa4416b5bb'],
  ['image--ubw8.tga', '63b953eea39db392'],
  ['image--ucm8.tga', '291f88aa4416b5bb'],
  ['image--utc16.tga', '291f88aa4416b5bb'],
  ['image--utc24.tga', '291f88aa4416b5bb'],
  ['image--utc32.tga', '291f88aa4416b5bb'],
  ['libvips--targa.tga', '14d64443a04df7ff'],
  ['pillow--200x32_l_bl_raw.tga', 'bcbe6f5c9ca2a824'],
  ['pillow--200x32_l_bl_rle.tga', 'bcbe6f5c9ca2a824'],
  ['pillow--200x32_l_tl_raw.tga', 'bcbe6f5c9ca2a824'],
  ['pillow--200x32_l_tl_rle.tga', 'bcbe6f5c9ca2a824'],
  ['pillow--200x32_la_bl_raw.tga', 'd79b6d77c71f6eaf'],
  ['pillow--200x32_la_bl_rle.tga', 'd79b6d77c71f6eaf'],
  ['pillow--200x32_la_tl_raw.tga', 'd79b6d77c71f6eaf'],
  ['pillow--200x32_la_tl_rle.tga', 'd79b6d77c71f6eaf'],
  ['pillow--200x32_p_bl_raw.tga', 'ef9df26ba1fb4916'],
  ['pillow--200x32_p_bl_rle.tga', 'ef9df26ba1fb4916'],
  ['pillow--200x32_p_tl_raw.tga', 'ef9df26ba1fb4916'],
  ['pillow--200x32_p_tl_rle.tga', 'ef9df26ba1fb4916'],
  ['pillow--200x32_rgb_bl_raw.tga', 'aa59b3e95ccf3691'],
  ['pillow--200x32_rgb_bl_rle.tga', 'aa59b3e95ccf3691'],
  ['pillow--200x32_rgb_tl_raw.tga', 'aa59b3e95ccf3691'],
  ['pillow--200x32_rgba_bl_raw.tga', '3c268e0bcb98a757'],
  ['pillow--200x32_rgba_bl_rle.tga', '3c268e0bcb98a757'],
  ['pillow--200x32_rgba_tl_raw.tga', '3c268e0bcb98a757'],
  ['pillow--200x32_rgba_tl_rle.tga', '3c268e0bcb98a757'],
  ['pillow--la.tga', '4d2a27d3985f6654'],
  ['pillow--p_16.tga', '291f88aa4416b5bb'],
  ['pillow--rgb32rle.tga', 'fb6b49c2139a430f'],
  ['pillow--rgb32rle_bottom_right.tga', '32e472f514596624'],
  ['pillow--tga_id_field.tga', 'c6fcbf5cc25ee0cd'],
];

test('reads real files as Pillow does', { skip: corpusSkipReason }, async () => {
  assert.equal(corpusFiles('tga').length, PILLOW.length);
  for (const [file, hash] of PILLOW) {
    assert.equal(pixelsHash(await readBitmap(tgaReader, corpus(`tga/${file}`)!)), hash, file);
  }
});
