import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { reader as heicReader } from '../../../../codecs/formats/heic/read.ts';
import { box, fullBox } from '../../../../codecs/metadata/isobmff.ts';
import { corpus, corpusSkipReason } from '../../../support/corpus.ts';
import { failureOf } from '../../../support/failure.ts';
import { probeWith, readBitmap, readDamaged } from '../../../support/readers.ts';

const u16 = (...values: number[]) => Uint8Array.from(values.flatMap((value) => [value >> 8, value & 255]));
const u32 = (...values: number[]) => u16(...values.flatMap((value) => [value >>> 16, value & 0xffff]));
const text = (letters: string) => Uint8Array.from(Buffer.from(letters, 'latin1'));

interface Recipe {
  width?: number;
  height?: number;
  /** Component types of table 1. */
  roles: number[];
  bits?: number;
  interleave?: number;
  flags?: number;
  tiles?: [columns: number, rows: number];
  compression?: string;
  turn?: Uint8Array;
  data: Uint8Array;
}

/** Writes a HEIF file with one uncompressed image (ISO/IEC 23001-17:2024). */
function heif(recipe: Recipe): Uint8Array {
  const { width = 2, height = 2, roles, bits = 8, interleave = 0, flags = 0, tiles = [1, 1], data } = recipe;
  const components = roles.map((_, index) => Uint8Array.from([0, index, bits - 1, 0, 0]));
  const properties = [
    fullBox('ispe', 0, 0, u32(width, height)),
    // This box has neither version nor flags.
    box('cmpd', u32(roles.length), u16(...roles)),
    fullBox(
      'uncC',
      0,
      0,
      u32(0, roles.length),
      ...components,
      Uint8Array.from([0, interleave, 0, flags]),
      u32(0, 0, 0, tiles[0] - 1, tiles[1] - 1),
    ),
    ...(recipe.compression ? [fullBox('cmpC', 0, 0, text(recipe.compression), Uint8Array.of(0))] : []),
    ...(recipe.turn ? [recipe.turn] : []),
  ];
  const meta = (offset: number) =>
    fullBox(
      'meta',
      0,
      0,
      fullBox('hdlr', 0, 0, u32(0), text('pict'), u32(0, 0, 0), Uint8Array.of(0)),
      fullBox('pitm', 0, 0, u16(1)),
      fullBox('iloc', 0, 0, Uint8Array.of(0x44, 0), u16(1, 1, 0, 1), u32(offset, data.length)),
      fullBox('iinf', 0, 0, u16(1), fullBox('infe', 2, 0, u16(1, 0), text('unci'), Uint8Array.of(0))),
      box(
        'iprp',
        box('ipco', ...properties),
        fullBox(
          'ipma',
          0,
          0,
          u32(1),
          u16(1),
          Uint8Array.of(properties.length),
          Uint8Array.from(properties.keys(), (i) => i + 1),
        ),
      ),
    );
  const start = box('ftyp', text('mif1'), u32(0), text('mif1'));
  const offset = start.length + meta(0).length + 8;
  return Buffer.concat([start, meta(offset), box('mdat', data)]);
}

const RGB = [4, 5, 6];

test('reads planes and pixels, 8 and 16 bits, in both byte orders', async () => {
  const planes = heif({ roles: RGB, data: Uint8Array.of(1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24) });
  const expected = [1, 11, 21, 2, 12, 22, 3, 13, 23, 4, 14, 24];
  assert.deepEqual([...(await readBitmap(heicReader, planes)).data], expected);
  const pixels = heif({ roles: RGB, interleave: 1, data: Uint8Array.from(expected) });
  assert.deepEqual([...(await readBitmap(heicReader, pixels)).data], expected);
  const deep = { roles: [0], bits: 16, data: u16(1, 2, 0x1234, 0xffff) };
  assert.deepEqual([...(await readBitmap(heicReader, heif(deep))).data], [1, 2, 0x1234, 0xffff]);
  assert.deepEqual(
    [...(await readBitmap(heicReader, heif({ ...deep, flags: 0x80 }))).data],
    [0x100, 0x200, 0x3412, 0xffff],
  );
});

test('reads components in the order of the file, alpha last, and skips padding', async () => {
  const data = Uint8Array.of(200, 3, 2, 1, 9, 201, 6, 5, 4, 9);
  const file = heif({ width: 2, height: 1, roles: [7, 6, 5, 4, 12], interleave: 1, data });
  assert.deepEqual([...(await readBitmap(heicReader, file)).data], [1, 2, 3, 200, 4, 5, 6, 201]);
});

test('reads tiles one after the other', async () => {
  const file = heif({ width: 4, height: 2, roles: [0], tiles: [2, 1], data: Uint8Array.of(1, 2, 5, 6, 3, 4, 7, 8) });
  assert.deepEqual([...(await readBitmap(heicReader, file)).data], [1, 2, 3, 4, 5, 6, 7, 8]);
});

test('reads deflated samples', async () => {
  const file = heif({ roles: [0], compression: 'zlib', data: deflateSync(Uint8Array.of(5, 6, 7, 8)) });
  assert.deepEqual([...(await readBitmap(heicReader, file)).data], [5, 6, 7, 8]);
  const bomb = heif({ roles: [0], compression: 'zlib', data: deflateSync(new Uint8Array(1_000_000)) });
  await failureOf('corrupt_image', () => readBitmap(heicReader, bomb));
});

test('applies rotation and mirroring once', async () => {
  const image = { width: 2, height: 1, roles: [0], data: Uint8Array.of(1, 2) };
  const turned = await readBitmap(heicReader, heif({ ...image, turn: box('irot', Uint8Array.of(1)) }));
  assert.deepEqual([turned.width, turned.height, ...turned.data], [1, 2, 2, 1]);
  const mirrored = await readBitmap(heicReader, heif({ ...image, turn: box('imir', Uint8Array.of(1)) }));
  assert.deepEqual([...mirrored.data], [2, 1]);
});

test('rejects layouts that no encoder writes, and missing samples', async () => {
  const data = new Uint8Array(64);
  await failureOf('unsupported_format', () => probeWith(heicReader, heif({ roles: RGB, bits: 10, data })));
  await failureOf('unsupported_format', () => probeWith(heicReader, heif({ roles: RGB, interleave: 3, data })));
  await failureOf('unsupported_format', () => probeWith(heicReader, heif({ roles: [1, 2, 3], data })));
  await failureOf('corrupt_image', () => readBitmap(heicReader, heif({ roles: RGB, data: new Uint8Array(11) })));
  await failureOf('image_too_large', () => readBitmap(heicReader, heif({ roles: RGB, data }), { maxPixels: 3 }));
  await failureOf('page_out_of_range', () => probeWith(heicReader, heif({ roles: RGB, data }), { page: 2 }));
});

test('returns a failure or an image of the declared size for damaged files', async () => {
  const seed = heif({ roles: [...RGB, 7], tiles: [2, 2], data: new Uint8Array(16).fill(7) });
  await readDamaged(
    heicReader,
    [seed, heif({ roles: [0], compression: 'zlib', data: deflateSync(new Uint8Array(4)) })],
    100,
  );
});

test('reads the colour charts of real files', { skip: corpusSkipReason }, async () => {
  const colours = async (file: string, at: readonly [x: number, y: number][]) => {
    const { data, width } = await readBitmap(heicReader, corpus(`heic/${file}`)!);
    return at.map(([x, y]) => [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)].join());
  };
  assert.deepEqual(
    await colours('libheif--uncompressed_comp_RGB.heif', [
      [0, 0],
      [5, 0],
      [9, 0],
      [13, 0],
      [21, 0],
    ]),
    ['255,0,0', '0,128,0', '0,0,255', '255,255,255', '255,255,0'],
  );
  assert.deepEqual(
    await colours('libheif--rgb_generic_compressed_zlib.heif', [
      [0, 0],
      [40, 0],
      [70, 0],
      [127, 0],
      [0, 30],
      [70, 30],
    ]),
    ['255,0,0', '0,255,0', '0,0,255', '0,0,0', '255,255,255', '0,255,255'],
  );
});
