import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { reader as xcfReader } from '../../../../codecs/formats/xcf/read.ts';
import { TRIED_PART } from '../../../support/damage.ts';
import { failureOf } from '../../../support/failure.ts';
import { probeWith, readBitmap, readDamaged } from '../../../support/readers.ts';

type Colour = readonly number[];

interface LayerRecipe {
  width?: number;
  height?: number;
  at?: [left: number, top: number];
  /** 0 RGB, 1 RGBA, 2 grey, 3 grey with alpha, 4 indexed. */
  type: number;
  /** Stored bytes of one colour for the whole layer, or of one colour per pixel. */
  colour: Colour | Colour[];
  properties?: [number, ...number[]][];
  mask?: number[];
}

interface Recipe {
  width?: number;
  height?: number;
  base?: number;
  version?: number;
  precision?: number;
  compression?: 0 | 1 | 2;
  properties?: [number, Uint8Array][];
  layers: LayerRecipe[];
}

const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeInt32BE(value | 0, index * 4);
  return bytes;
};

/** Writes a GIMP image by the specification of the format. */
function xcf(recipe: Recipe): Buffer {
  const { width = 4, height = 3, base = 0, version = 3, precision, compression = 0, properties = [], layers } = recipe;
  const pointer = (value: number) => (version >= 11 ? u32(0, value) : u32(value));
  const property = (type: number, value: Uint8Array) => Buffer.concat([u32(type, value.length), value]);
  const start = Buffer.concat([
    Buffer.from(`gimp xcf v${String(version).padStart(3, '0')}\0`),
    u32(width, height, base),
    ...(precision === undefined ? [] : [u32(precision)]),
    property(17, Uint8Array.of(compression)),
    ...properties.map(([type, value]) => property(type, value)),
    u32(0, 0),
  ]);
  const parts = [start];
  let at = start.length + pointer(0).length * (layers.length + 2);
  const body: Buffer[] = [];
  const put = (bytes: Buffer) => {
    body.push(bytes);
    at += bytes.length;
    return at - bytes.length;
  };
  const hierarchy = (w: number, h: number, pixels: readonly Colour[]) => {
    const tiles: number[] = [];
    for (let y = 0; y < h; y += 64) {
      for (let x = 0; x < w; x += 64) {
        const tile: Colour[] = [];
        for (let row = y; row < Math.min(h, y + 64); row++)
          tile.push(...pixels.slice(row * w + x, row * w + Math.min(w, x + 64)));
        tiles.push(put(packed(tile, compression)));
      }
    }
    const level = put(Buffer.concat([u32(w, h), ...tiles.map(pointer), pointer(0)]));
    return put(Buffer.concat([u32(w, h, pixels[0]!.length), pointer(level), pointer(0)]));
  };
  for (const layer of layers) {
    const [w, h] = [layer.width ?? width, layer.height ?? height];
    const pixels = Array.isArray(layer.colour[0]) ? (layer.colour as Colour[]) : new Array(w * h).fill(layer.colour);
    const tree = hierarchy(w, h, pixels);
    const maskTree =
      layer.mask &&
      hierarchy(
        w,
        h,
        layer.mask.map((level) => [level]),
      );
    const mask =
      maskTree === undefined ? 0 : put(Buffer.concat([u32(w, h, 2), Buffer.from('m\0'), u32(0, 0), pointer(maskTree)]));
    const own = [...(layer.properties ?? []), [15, ...(layer.at ?? [0, 0])]] as [number, ...number[]][];
    const head = [
      u32(w, h, layer.type, 2),
      Buffer.from('l\0'),
      ...own.map(([type, ...values]) => property(type, u32(...values))),
    ];
    parts.push(pointer(put(Buffer.concat([...head, u32(0, 0), pointer(tree), pointer(mask)]))));
  }
  return Buffer.concat([...parts, pointer(0), pointer(0), ...body]);
}

function packed(pixels: readonly Colour[], compression: number): Buffer {
  const plain = Buffer.from(pixels.flat());
  if (compression === 0) return plain;
  if (compression === 2) return deflateSync(plain);
  // Packs each byte of the pixels in turn: a run for the first equal bytes, then literals.
  const rows = Array.from({ length: pixels[0]!.length }, (_, byte) => {
    const values = pixels.map((pixel) => pixel[byte]!);
    const same = values.findIndex((value) => value !== values[0]);
    const count = same === -1 ? values.length : same;
    const long = [127, count >> 8, count & 255, values[0]!];
    const rest = values.slice(count);
    return [
      ...(count > 127 ? long : [count - 1, values[0]!]),
      ...(rest.length > 0 ? [256 - rest.length, ...rest] : []),
    ];
  });
  return Buffer.from(rows.flat());
}

const RED = [255, 0, 0];
const at = (data: ArrayLike<number>, pixel: number) =>
  Array.from({ length: 4 }, (_, channel) => data[pixel * 4 + channel]);

test('reads layers of every kind with every compression', async () => {
  for (const compression of [0, 1, 2] as const) {
    for (const [base, type, colour, expected] of [
      [0, 0, RED, [255, 0, 0, 255]],
      [0, 1, [1, 2, 3, 128], [1, 2, 3, 128]],
      [1, 2, [7], [7, 7, 7, 255]],
      [1, 3, [7, 9], [7, 7, 7, 9]],
      [2, 4, [1], [10, 20, 30, 255]],
    ] as const) {
      const palette: [number, Uint8Array][] = [[1, Buffer.concat([u32(2), Buffer.from([0, 0, 0, 10, 20, 30])])]];
      const bitmap = await readBitmap(
        xcfReader,
        xcf({ base, compression, properties: palette, layers: [{ type, colour }] }),
      );
      assert.deepEqual(at(bitmap.data, 5), expected, `${compression} ${type}`);
    }
  }
});

test('reads tiles of 64 pixels, and smaller ones at the edges', async () => {
  const pixels = Array.from({ length: 70 * 66 }, (_, index) => [index & 255, index >> 8, 0]);
  for (const compression of [0, 1, 2] as const) {
    const file = xcf({
      width: 70,
      height: 66,
      compression,
      layers: [{ type: 0, colour: compression === 1 ? RED : pixels }],
    });
    const { data } = await readBitmap(xcfReader, file);
    for (const pixel of [0, 63, 64, 69, 64 * 70, 66 * 70 - 1]) {
      assert.deepEqual(at(data, pixel), [...(compression === 1 ? RED : pixels[pixel]!), 255]);
    }
  }
});

test('covers lower layers with upper ones at their position, and leaves out hidden ones', async () => {
  const layers: LayerRecipe[] = [
    { type: 0, colour: [0, 0, 9], properties: [[8, 0]] },
    { type: 0, width: 2, height: 9, at: [-1, -2], colour: [0, 255, 0] },
    { type: 0, colour: RED },
  ];
  const { data } = await readBitmap(xcfReader, xcf({ layers }));
  assert.deepEqual(
    [at(data, 0), at(data, 1)],
    [
      [0, 255, 0, 255],
      [255, 0, 0, 255],
    ],
  );
});

test('applies opacity and masks', async () => {
  const half = { type: 0, colour: [0, 0, 255], properties: [[6, 128]] as [number, number][] };
  const { data } = await readBitmap(xcfReader, xcf({ layers: [half, { type: 0, colour: RED }] }));
  assert.deepEqual(at(data, 0), [127, 0, 128, 255]);
  const masked = { type: 0, colour: [0, 0, 255], mask: [255, 0, 128, ...new Array(9).fill(0)] };
  const seen = await readBitmap(xcfReader, xcf({ layers: [masked] }));
  assert.deepEqual([at(seen.data, 0), at(seen.data, 1)[3], at(seen.data, 2)[3]], [[0, 0, 255, 255], 0, 128]);
  const ignored = { ...masked, properties: [[11, 0]] as [number, number][] };
  assert.equal(at((await readBitmap(xcfReader, xcf({ layers: [ignored] }))).data, 1)[3], 255);
});

test('blends modes with the layers below, and paints nothing where those are transparent', async () => {
  for (const [mode, expected] of [
    [3, 39],
    [30, 39],
    [4, 211],
    [6, 50],
    [7, 250],
    [8, 50],
    [9, 100],
    [10, 150],
    [0, 100],
  ] as const) {
    const upper = { type: 2, colour: [100], properties: [[7, mode]] as [number, number][] };
    const { data } = await readBitmap(xcfReader, xcf({ base: 1, layers: [upper, { type: 2, colour: [150] }] }));
    const exact =
      mode === 3 || mode === 30
        ? Math.round((100 * 150) / 255)
        : mode === 4
          ? Math.round(255 - (155 * 105) / 255)
          : expected;
    assert.deepEqual(at(data, 0), [exact, exact, exact, 255], String(mode));
    const alone = await readBitmap(xcfReader, xcf({ base: 1, layers: [upper] }));
    assert.equal(at(alone.data, 0)[3], mode === 0 ? 255 : 0);
  }
});

test('paints a group separately and then over the rest', async () => {
  const layers: LayerRecipe[] = [
    { type: 1, colour: [0, 0, 0, 0], properties: [[29], [6, 128]] },
    { type: 1, colour: [0, 255, 0, 255], properties: [[30, 0, 0]] },
    { type: 1, colour: [0, 0, 255, 255], properties: [[30, 0, 1]] },
    { type: 0, colour: RED },
  ];
  layers[0]!.properties!.push([30, 0]);
  const { data } = await readBitmap(xcfReader, xcf({ layers }));
  assert.deepEqual(at(data, 0), [127, 128, 0, 255]);
  layers[0]!.properties!.push([8, 0]);
  assert.deepEqual(at((await readBitmap(xcfReader, xcf({ layers }))).data, 0), [255, 0, 0, 255]);
});

test('reads deep and linear samples, with 64-bit pointers', async () => {
  const deep = xcf({ version: 12, precision: 250, layers: [{ type: 0, colour: [0x80, 0x80, 0, 0, 0xff, 0xff] }] });
  assert.deepEqual(at((await readBitmap(xcfReader, deep)).data, 0), [128, 0, 255, 255]);
  // A half float of 0.5 in linear light.
  const linear = xcf({ version: 12, precision: 500, layers: [{ type: 2, colour: [0x38, 0] }], base: 1 });
  assert.equal((await readBitmap(xcfReader, linear)).data[0], 188);
  const before = xcf({ version: 7, precision: 250, layers: [{ type: 2, colour: [0x34, 0x12] }], base: 1 });
  assert.equal((await readBitmap(xcfReader, before)).data[0], 0x12);
});

test('shows the rest of an image with a damaged tile', async () => {
  const whole = xcf({ width: 70, height: 2, layers: [{ type: 0, colour: RED }] });
  const broken = Buffer.from(whole);
  // The pointer to the second tile, in the only list of two tiles.
  const level = broken.indexOf(u32(70, 2), 60);
  broken.writeUInt32BE(0x7fff_ffff, level + 12);
  const bitmap = await readBitmap(xcfReader, broken);
  assert.deepEqual([bitmap.truncated, at(bitmap.data, 0), at(bitmap.data, 69)], [true, [255, 0, 0, 255], [0, 0, 0, 0]]);
});

test('rejects other files, too many pixels and a second page', async () => {
  const file = xcf({ layers: [{ type: 0, colour: RED }] });
  await failureOf('corrupt_image', () => probeWith(xcfReader, file.subarray(0, 20)));
  await failureOf('image_too_large', () => readBitmap(xcfReader, file, { maxPixels: 11 }));
  await failureOf('page_out_of_range', () => probeWith(xcfReader, file, { page: 2 }));
});

test('returns a failure or an image of the declared size for damaged files', async () => {
  const layers: LayerRecipe[] = [
    { type: 1, colour: [0, 0, 0, 0], properties: [[29], [30, 0], [6, 128]] },
    { type: 1, colour: [0, 255, 0, 255], properties: [[30, 0, 0]], mask: new Array(12).fill(99) },
    { type: 0, colour: RED },
  ];
  const seeds = ([0, 1, 2] as const).map((compression) => xcf({ compression, layers }));
  assert.ok((await readDamaged(xcfReader, seeds, 150)) > 50 * TRIED_PART);
});
