import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCodec } from '../../../../codecs/formats/codecs.ts';
import { recognise } from '../../../../codecs/recognise.ts';
import { TRIED_PART } from '../../../support/damage.ts';
import { decodeWith, probeWith, readBitmap, readDamaged } from '../../../support/readers.ts';

const xwdReader = (await loadCodec('xwd')).reader!;

interface Recipe {
  width: number;
  height: number;
  /** 0: bitmap, 1: planes, 2: pixels. */
  layout?: number;
  depth: number;
  bitsPerPixel?: number;
  stride: number;
  unit?: number;
  mostByteFirst?: boolean;
  mostBitFirst?: boolean;
  visual?: number;
  masks?: [number, number, number];
  /** RGB triples of 8 bits. */
  map?: [number, number, number][];
  pixels: number[];
  littleEndian?: boolean;
}

/** Writes a file by X11/XWDFile.h. */
function xwd(recipe: Recipe): Uint8Array {
  const { width, height, layout = 2, depth, bitsPerPixel = depth, stride, unit = 8, visual = 3 } = recipe;
  const { mostByteFirst = true, mostBitFirst = true, masks = [0, 0, 0], map = [], littleEndian = false } = recipe;
  const name = Buffer.from('x\0');
  const order = [Number(mostByteFirst), unit, Number(mostBitFirst), unit, bitsPerPixel, stride];
  const fields = [
    ...[100 + name.length, 7, layout, depth, width, height, 0, ...order],
    ...[visual, ...masks, 8, map.length, map.length, width, height, 0, 0, 0],
  ];
  const file = Buffer.alloc(100);
  for (const [place, field] of fields.entries()) {
    if (littleEndian) file.writeUInt32LE(field, place * 4);
    else file.writeUInt32BE(field, place * 4);
  }
  const entries = map.map((colour, pixel) => {
    const entry = Buffer.alloc(12);
    entry.writeUInt32BE(pixel);
    for (const [band, level] of colour.entries()) entry.writeUInt16BE(level * 257, 4 + band * 2);
    return entry;
  });
  return Buffer.concat([file, name, ...entries, Buffer.from(recipe.pixels)]);
}

const RGB: [number, number, number] = [0xff0000, 0x00ff00, 0x0000ff];

test('reads pixels by their masks, in both byte orders', async () => {
  const at = { width: 2, height: 1, depth: 24, bitsPerPixel: 32, stride: 8, unit: 32, visual: 4, masks: RGB };
  const most = await readBitmap(xwdReader, xwd({ ...at, pixels: [0, 1, 2, 3, 0, 4, 5, 6] }));
  assert.deepEqual([most.channels, ...most.data], [3, 1, 2, 3, 4, 5, 6]);
  const least = await readBitmap(xwdReader, xwd({ ...at, mostByteFirst: false, pixels: [3, 2, 1, 0, 6, 5, 4, 0] }));
  assert.deepEqual([...least.data], [1, 2, 3, 4, 5, 6]);
});

test('scales components of fewer bits', async () => {
  const masks: [number, number, number] = [0xf800, 0x07e0, 0x001f];
  const at = { width: 2, height: 1, depth: 16, stride: 4, unit: 16, visual: 4, masks };
  const { data } = await readBitmap(xwdReader, xwd({ ...at, pixels: [0xf8, 0x1f, 0x80, 0x00] }));
  assert.deepEqual([...data], [255, 0, 255, Math.round((16 * 255) / 31), 0, 0]);
});

test('reads indices into the map, and one index for each component of direct colour', async () => {
  const map: Recipe['map'] = [
    [9, 8, 7],
    [10, 20, 30],
  ];
  const indexed = await readBitmap(xwdReader, xwd({ width: 2, height: 1, depth: 8, stride: 2, map, pixels: [1, 0] }));
  assert.deepEqual([...indexed.data], [10, 20, 30, 9, 8, 7]);
  const direct = { width: 1, height: 1, depth: 24, bitsPerPixel: 24, stride: 3, visual: 5, masks: RGB, map };
  assert.deepEqual([...(await readBitmap(xwdReader, xwd({ ...direct, pixels: [1, 0, 1] }))).data], [10, 8, 30]);
});

test('reads grey without a map', async () => {
  const file = xwd({ width: 3, height: 1, depth: 8, stride: 3, visual: 0, pixels: [0, 128, 255] });
  const { data, channels } = await readBitmap(xwdReader, file);
  assert.deepEqual([channels, ...data], [1, 0, 128, 255]);
});

test('reads bits in every order of bits and bytes', async () => {
  const at = { width: 18, height: 1, layout: 0, depth: 1, stride: 4, unit: 32 };
  const white = async (recipe: Pick<Recipe, 'mostBitFirst' | 'mostByteFirst' | 'pixels'>) => {
    const { data } = await readBitmap(xwdReader, xwd({ ...at, ...recipe }));
    return [...data.entries()].filter(([, level]) => level === 255).map(([x]) => x);
  };
  // Pixels 0, 9 and 17.
  assert.deepEqual(await white({ mostBitFirst: true, mostByteFirst: true, pixels: [0x80, 0x40, 0x40, 0] }), [0, 9, 17]);
  const leastBytes = { mostBitFirst: true, mostByteFirst: false, pixels: [0, 0x40, 0x40, 0x80] };
  assert.deepEqual(await white(leastBytes), [0, 9, 17]);
  const leastBits = { mostBitFirst: false, mostByteFirst: false, pixels: [0x01, 0x02, 0x02, 0] };
  assert.deepEqual(await white(leastBits), [0, 9, 17]);
  const mixed = { mostBitFirst: false, mostByteFirst: true, pixels: [0, 0x02, 0x02, 0x01] };
  assert.deepEqual(await white(mixed), [0, 9, 17]);
});

test('reads planes, the most significant first', async () => {
  const map: Recipe['map'] = [0, 1, 2, 3].map((level) => [level, level, level]);
  const planes = { width: 4, height: 1, layout: 1, depth: 2, bitsPerPixel: 1, stride: 1, map };
  const { data } = await readBitmap(xwdReader, xwd({ ...planes, pixels: [0b00110000, 0b01010000] }));
  assert.deepEqual(
    [0, 3, 6, 9].map((at) => data[at]),
    [0, 1, 2, 3],
  );
});

test('reads a header in the byte order of another machine', async () => {
  const file = xwd({ width: 3, height: 1, depth: 8, stride: 3, visual: 0, pixels: [1, 2, 3], littleEndian: true });
  assert.deepEqual(recognise(file), { format: 'xwd' });
  assert.deepEqual([...(await readBitmap(xwdReader, file)).data], [1, 2, 3]);
});

test('keeps the rows that are there, and fails without any', async () => {
  const file = xwd({ width: 4, height: 3, depth: 8, stride: 4, visual: 0, pixels: Array(12).fill(200) });
  const cut = await readBitmap(xwdReader, file.subarray(0, file.length - 5));
  assert.deepEqual([cut.truncated, ...cut.data], [true, ...Array(4).fill(200), ...Array(8).fill(0)]);
  await assert.rejects(async () => await decodeWith(xwdReader, file.subarray(0, 103)), { code: 'corrupt_image' });
});

test('refuses a size over the limit before it allocates, and damage with a failure', async () => {
  const huge = xwd({ width: 4_000_000, height: 4_000_000, depth: 8, stride: 4_000_000, pixels: [0] });
  await assert.rejects(async () => await decodeWith(xwdReader, huge), { code: 'image_too_large' });
  await assert.rejects(async () => await probeWith(xwdReader, Buffer.alloc(200)), { code: 'corrupt_image' });
  const map: Recipe['map'] = [[1, 2, 3]];
  const file = xwd({ width: 9, height: 9, depth: 8, stride: 9, map, pixels: Array(81).fill(0) });
  assert.ok((await readDamaged(xwdReader, [file], 1000)) > 300 * TRIED_PART);
});

test('does not take other files for a dump', () => {
  for (const bytes of [Buffer.alloc(120), Buffer.alloc(120, 7)])
    assert.notDeepEqual(recognise(bytes), { format: 'xwd' });
});
