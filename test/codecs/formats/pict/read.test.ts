import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPict } from '../../../../codecs/formats/pict/picture.ts';
import { reader as pictReader } from '../../../../codecs/formats/pict/read.ts';
import { TRIED_PART } from '../../../support/damage.ts';
import { nightlyOnly } from '../../../support/nightly.ts';
import { decodeWith, probeWith, readBitmap, readDamaged } from '../../../support/readers.ts';

const word = (value: number) => [(value >> 8) & 255, value & 255];
const long = (value: number) => [...word(value >>> 16), ...word(value & 0xffff)];
/** A rectangle: top, left, bottom, right. */
const rect = (top: number, left: number, bottom: number, right: number) => [top, left, bottom, right].flatMap(word);
const END = word(0xff);

interface Recipe {
  frame: number[];
  /** Opcodes of version 2, each already aligned. */
  ops: number[][];
  header?: 'with 512 bytes' | 'alone';
  /** Header fields of the extended version. */
  extended?: { dpi: number; space: number[] };
}

function pict({ frame, ops, header = 'with 512 bytes', extended }: Recipe): Buffer {
  const head = extended
    ? [...word(0xfffe), 0, 0, ...long(extended.dpi << 16), ...long(extended.dpi << 16), ...extended.space, 0, 0, 0, 0]
    : [...word(0xffff), ...new Array<number>(22).fill(0)];
  const body = [0, 0, ...frame, ...long(0x001102ff), ...word(0x0c00), ...head, ...ops.flat()];
  return Buffer.concat([Buffer.alloc(header === 'alone' ? 0 : 512), Buffer.from(body)]);
}

/** Writes an opcode of version 2, padded to an even length. */
function op(code: number, ...data: (number | number[])[]): number[] {
  const bytes = data.flat();
  return [...word(code), ...bytes, ...(bytes.length & 1 ? [0] : [])];
}

interface MapRecipe {
  bits: number;
  rowBytes: number;
  bounds: number[];
  components?: number;
  packType?: number;
}

function pixelMap({ bits, rowBytes, bounds, components = 1, packType = 0 }: MapRecipe): number[] {
  return [
    ...word(rowBytes | 0x8000),
    ...bounds,
    ...word(0),
    ...word(packType),
    ...long(0),
    ...long(72 << 16),
    ...long(72 << 16),
    ...word(bits > 8 ? 16 : 0),
    ...word(bits),
    ...word(components),
    ...word(Math.min(8, bits)),
    ...long(0),
    ...long(0),
    ...long(0),
  ];
}

function colourTable(flags: number, entries: [value: number, red: number, green: number, blue: number][]): number[] {
  const colours = entries.flatMap(([value, ...rgb]) => [...word(value), ...rgb.flatMap((level) => [level, 77])]);
  return [...long(0), ...word(flags), ...word(entries.length - 1), ...colours];
}

const BOX = rect(0, 0, 2, 2);

async function draw(ops: number[][], frame = BOX): Promise<number[]> {
  return [...(await readBitmap(pictReader, pict({ frame, ops: [...ops, END] }))).data];
}

const W = [255, 255, 255];
const K = [0, 0, 0];

test('draws bitmaps with 1 as black, or in the two current colours', async () => {
  const bits = op(0x90, word(2), BOX, BOX, BOX, word(0), [0x40, 0, 0x80, 0]);
  assert.deepEqual(await draw([bits]), [W, K, K, W].flat());
  const foreground = op(0x1a, word(0x1100), word(0x2200), word(0x3300));
  const background = op(0x1b, word(0x4400), word(0x5500), word(0x6600));
  assert.deepEqual(
    await draw([foreground, background, bits]),
    [
      [0x44, 0x55, 0x66],
      [0x11, 0x22, 0x33],
      [0x11, 0x22, 0x33],
      [0x44, 0x55, 0x66],
    ].flat(),
  );
});

test('keeps the background of a bitmap drawn in OR mode', async () => {
  const grey = op(0x1b, word(0x8000), word(0x8000), word(0x8000));
  const all = op(0x90, word(2), BOX, BOX, BOX, word(0), [0xc0, 0, 0xc0, 0]);
  const or = op(0x90, word(2), BOX, BOX, BOX, word(1), [0x40, 0, 0, 0]);
  const white = op(0x1a, word(0xffff), word(0xffff), word(0xffff));
  assert.deepEqual(await draw([all, grey, white, or]), [K, W, K, K].flat());
});

test('reads pixel maps of 1, 2, 4 and 8 bits with a colour table', async () => {
  const table = colourTable(0, [
    [1, 10, 20, 30],
    [0, 40, 50, 60],
  ]);
  const expected = [10, 20, 30, 40, 50, 60, 40, 50, 60, 10, 20, 30];
  for (const [bits, rows] of [
    [1, [0x80, 0, 0x40, 0]],
    [2, [0x40, 0, 0x10, 0]],
    [4, [0x10, 0, 0x01, 0]],
    [8, [1, 0, 0, 1]],
  ] as const) {
    const map = pixelMap({ bits, rowBytes: 2, bounds: BOX });
    const drawn = await draw([op(0x98, map, table, BOX, BOX, word(0), [...rows])]);
    assert.deepEqual(drawn, expected, `${bits} bits`);
  }
  const counted = colourTable(0x8000, [
    [9, 40, 50, 60],
    [9, 10, 20, 30],
  ]);
  const map = pixelMap({ bits: 8, rowBytes: 2, bounds: BOX });
  assert.deepEqual(await draw([op(0x98, map, counted, BOX, BOX, word(0), [1, 0, 0, 1])]), expected);
});

test('reads packed rows whose length has one byte or two', async () => {
  for (const width of [16, 300]) {
    const box = rect(0, 0, 1, width);
    const grey = colourTable(
      0x8000,
      Array.from({ length: 256 }, (_, level) => [0, level, level, level]),
    );
    // Sixteen literals, then runs.
    const runs = width === 16 ? [] : [0x81, 9, 0x81, 8, 0xe3, 7];
    const row = [15, ...Array.from({ length: 16 }, (_, at) => at * 3), ...runs];
    const data = [...(width === 16 ? [row.length] : word(row.length)), ...row];
    const map = pixelMap({ bits: 8, rowBytes: width, bounds: box });
    const drawn = await draw([op(0x98, map, grey, box, box, word(0), data)], box);
    const levels = drawn.filter((_, at) => at % 3 === 0);
    const expected = Array.from({ length: width }, (_, x) => (x < 16 ? x * 3 : x < 144 ? 9 : x < 272 ? 8 : 7));
    // The last run is one byte short of the row. The missing pixel keeps the value 0.
    assert.deepEqual(levels.slice(0, 299), expected.slice(0, 299));
  }
});

test('reads direct pixels of 16 bits', async () => {
  const box = rect(0, 0, 1, 4);
  const pixels = [0x7c00, 0x03e0, 0x001f, 0x4210];
  const expected = [255, 0, 0, 0, 255, 0, 0, 0, 255, 132, 132, 132];
  const map = (packType: number) => [
    ...long(0xff),
    ...pixelMap({ bits: 16, rowBytes: 8, bounds: box, components: 3, packType }),
  ];
  const literal = [3, ...pixels.flatMap(word)];
  const packed = op(0x9a, map(3), box, box, word(0), [literal.length, ...literal]);
  assert.deepEqual(await draw([packed], box), expected);
  assert.deepEqual(await draw([op(0x9a, map(0), box, box, word(0), [literal.length, ...literal])], box), expected);
  assert.deepEqual(await draw([op(0x9a, map(1), box, box, word(0), pixels.flatMap(word))], box), expected);
  const run = op(0x9a, map(3), box, box, word(0), [3, 0xfd, ...word(0x001f)]);
  assert.deepEqual(await draw([run], box), [0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255]);
});

test('reads direct pixels of 32 bits: as planes, unpacked, and without the unused byte', async () => {
  const map = (packType: number, components: number) => [
    ...long(0xff),
    ...pixelMap({ bits: 32, rowBytes: 8, bounds: BOX, components, packType }),
  ];
  const rgb = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const row = (...values: number[]) => [values.length + 1, values.length - 1, ...values];
  const planes = op(0x9a, map(4, 3), BOX, BOX, word(0), row(1, 4, 2, 5, 3, 6), row(7, 10, 8, 11, 9, 12));
  assert.deepEqual(await draw([planes]), rgb);
  const padded = [0, 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12];
  assert.deepEqual(await draw([op(0x9a, map(1, 3), BOX, BOX, word(0), padded)]), rgb);
  assert.deepEqual(await draw([op(0x9a, map(2, 3), BOX, BOX, word(0), rgb)]), rgb);
  const alpha = (first: number) =>
    op(0x9a, map(4, 4), BOX, BOX, word(0), row(first, 0, 1, 4, 2, 5, 3, 6), row(0, 0, 7, 10, 8, 11, 9, 12));
  assert.deepEqual(await draw([alpha(9)]), [1, 2, 3, 9, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12, 0]);
  const unused = await draw([alpha(0)]);
  assert.deepEqual([unused[3], unused[15]], [255, 255], 'an alpha that nobody has filled in means nothing');
});

test('reads version 1 with opcodes of one byte', async () => {
  const body = [
    0,
    0,
    ...BOX,
    0x11,
    0x01,
    0xa0,
    ...word(5),
    0x90,
    ...word(2),
    ...BOX,
    ...BOX,
    ...BOX,
    ...word(0),
    0x40,
    0,
    0x80,
    0,
    0xff,
  ];
  const file = Buffer.concat([Buffer.alloc(512), Buffer.from(body)]);
  assert.deepEqual([...(await readBitmap(pictReader, file)).data], [W, K, K, W].flat());
  const alone = Buffer.from(body);
  assert.ok(!isPict(alone), 'two bytes are too few without a length');
  alone.writeUInt16BE(alone.length, 0);
  assert.ok(isPict(alone));
});

test('reads a file without the header of 512 bytes', async () => {
  const ops = [op(0x90, word(2), BOX, BOX, BOX, word(0), [0x40, 0, 0x80, 0]), END];
  const file = pict({ frame: BOX, ops, header: 'alone' });
  assert.deepEqual([...(await readBitmap(pictReader, file)).data], [W, K, K, W].flat());
});

test('keeps the pixels of a bitmap that is drawn at a smaller size', async () => {
  const bits = op(0x90, word(2), BOX, BOX, rect(5, 5, 6, 6), word(0), [0x40, 0, 0x80, 0]);
  const { width, data } = await readBitmap(pictReader, pict({ frame: rect(5, 5, 6, 6), ops: [bits, END] }));
  assert.equal(width, 2);
  assert.deepEqual([...data], [W, K, K, W].flat());
});

test('uses the resolution of the extended version: 72 dpi for the frame, but not for the drawing', async () => {
  const space = rect(0, 0, 4, 8);
  const bits = op(0x90, word(2), space, space, space, word(0), new Array(8).fill(0xf0));
  const frame = rect(0, 0, 1, 2);
  const bitmap = await readBitmap(pictReader, pict({ frame, ops: [bits, END], extended: { dpi: 288, space } }));
  assert.deepEqual([bitmap.width, bitmap.height, bitmap.density], [8, 4, { x: 288, y: 288 }]);
});

test('draws a part of the source, and several bitmaps', async () => {
  const source = rect(1, 1, 2, 2);
  const part = op(0x90, word(2), BOX, source, rect(0, 1, 1, 2), word(0), [0, 0, 0x40, 0]);
  const other = op(0x90, word(2), BOX, rect(0, 0, 1, 1), rect(1, 0, 2, 1), word(0), [0x80, 0, 0, 0]);
  assert.deepEqual(await draw([part, other]), [W, K, K, W].flat());
});

/** Draws the opcodes and returns rows of # for black, . for white and ? for anything else. */
async function shapes(ops: number[][], width: number, height: number): Promise<string[]> {
  const data = await draw(ops, rect(0, 0, height, width));
  const letter = (at: number) => (data[at * 3] === 0 ? '#' : data[at * 3] === 255 ? '.' : '?');
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => letter(y * width + x)).join(''),
  );
}

test('draws rectangles: framed, painted, erased, inverted, filled', async () => {
  const black = op(0x0a, new Array(8).fill(0xff));
  const box = rect(1, 1, 4, 5);
  assert.deepEqual(await shapes([op(0x30, box)], 6, 5), ['......', '.####.', '.#..#.', '.####.', '......']);
  assert.deepEqual(await shapes([op(0x31, box)], 6, 5), ['......', '.####.', '.####.', '.####.', '......']);
  assert.deepEqual(await shapes([op(0x31, rect(0, 0, 5, 6)), op(0x32, box)], 6, 5), [
    '######',
    '#....#',
    '#....#',
    '#....#',
    '######',
  ]);
  assert.deepEqual(await shapes([op(0x31, rect(0, 0, 3, 6)), op(0x33, box)], 6, 5), [
    '######',
    '#....#',
    '#....#',
    '.####.',
    '......',
  ]);
  assert.deepEqual(await shapes([black, op(0x34, box)], 6, 5), ['......', '.####.', '.####.', '.####.', '......']);
  assert.deepEqual(await shapes([op(0x31, rect(0, 0, 1, 1)), op(0x07, word(2), word(1)), op(0x38)], 3, 2), [
    '#..',
    '...',
  ]);
});

test('draws with pens and patterns', async () => {
  const thick = op(0x07, word(2), word(1));
  assert.deepEqual(await shapes([thick, op(0x30, rect(0, 0, 5, 4))], 4, 5), ['####', '####', '#..#', '####', '####']);
  const dots = op(0x09, [0xaa, 0x55, 0xaa, 0x55, 0xaa, 0x55, 0xaa, 0x55]);
  assert.deepEqual(await shapes([dots, op(0x31, rect(0, 0, 2, 4))], 4, 2), ['#.#.', '.#.#']);
  const black = op(0x34, rect(0, 0, 2, 4));
  const fill = op(0x0a, new Array(8).fill(0xff));
  assert.deepEqual(await shapes([fill, black, dots, op(0x08, word(11)), op(0x31, rect(0, 0, 2, 4))], 4, 2), [
    '.#.#',
    '#.#.',
  ]);
});

test('draws lines, from point to point and on from the last point', async () => {
  const line = op(0x20, word(0), word(0), word(0), word(3));
  assert.deepEqual(await shapes([line], 5, 2), ['####.', '.....']);
  assert.deepEqual(await shapes([line, op(0x21, word(2), word(3))], 5, 3), ['####.', '...#.', '...#.']);
  assert.deepEqual(await shapes([op(0x22, word(1), word(1), 2, 0)], 5, 3), ['.....', '.###.', '.....']);
  // The pen covers every pixel whose centre it passes over.
  assert.deepEqual(await shapes([op(0x22, word(0), word(4), 0, 0), op(0x23, 0xfe, 2)], 5, 3), [
    '...##',
    '..##.',
    '..#..',
  ]);
});

test('draws polygons, ovals, arcs and rounded rectangles', async () => {
  const polygon = (...points: [x: number, y: number][]) => [
    ...word(10 + points.length * 4),
    ...rect(0, 0, 9, 9),
    ...points.flatMap(([x, y]) => [...word(y), ...word(x)]),
  ];
  const triangle = polygon([0, 0], [4, 0], [0, 4]);
  assert.deepEqual(await shapes([op(0x71, triangle)], 5, 4), ['###..', '##...', '#....', '.....']);
  assert.deepEqual(await shapes([op(0x51, rect(0, 0, 6, 6))], 6, 6), [
    '.####.',
    '######',
    '######',
    '######',
    '######',
    '.####.',
  ]);
  assert.deepEqual(await shapes([op(0x61, rect(0, 0, 6, 6), word(0), word(90))], 6, 6), [
    '...##.',
    '...###',
    '...###',
    '......',
    '......',
    '......',
  ]);
  assert.deepEqual(await shapes([op(0x0b, word(4), word(4)), op(0x41, rect(0, 0, 6, 6))], 6, 6), [
    '.####.',
    '######',
    '######',
    '######',
    '######',
    '.####.',
  ]);
  assert.deepEqual(await shapes([op(0x50, rect(0, 0, 8, 8))], 8, 8).then((rows) => rows[4]), '#......#');
});

test('reads regions: rectangles, and rows where they change', async () => {
  const plain = [...word(10), ...rect(1, 1, 3, 3)];
  assert.deepEqual(await shapes([op(0x81, plain)], 4, 4), ['....', '.##.', '.##.', '....']);
  const rows = [0, 0, 2, 0x7fff, 2, 0, 4, 0x7fff, 3, 2, 4, 0x7fff, 0x7fff].flatMap(word);
  const angle = [...word(10 + rows.length), ...rect(0, 0, 3, 4), ...rows];
  assert.deepEqual(await shapes([op(0x81, angle)], 4, 3), ['##..', '##..', '..##']);
});

test('reads the eight old colours and patterns of one colour', async () => {
  assert.deepEqual(await draw([op(0x0e, long(205)), op(0x31, BOX)]), [0xdd, 8, 6, 0xdd, 8, 6, 0xdd, 8, 6, 0xdd, 8, 6]);
  const pattern = op(0x13, word(2), new Array(8).fill(0), word(0x1111), word(0x2222), word(0x3333));
  assert.deepEqual((await draw([pattern, op(0x31, BOX)])).slice(0, 3), [0x11, 0x22, 0x33]);
});

test('skips opcodes that have no effect here', async () => {
  const skipped = [
    op(0x00),
    op(0x01, word(10), BOX),
    op(0x04, 1),
    op(0x10, long(1), long(1)),
    op(0x24, word(3), 1, 2, 3),
    op(0x28, word(0), word(0), 3, [65, 66, 67]),
    op(0x29, 1, 2, [65, 66]),
    op(0x2b, 1, 1, 1, [65]),
    op(0x2c, word(1), 9),
    op(0x92, word(1), 9),
    op(0xa0, word(1)),
    op(0xa1, word(1), word(3), 1, 2, 3),
    op(0xb0),
    op(0xd0, long(2), 1, 2),
    op(0x0200, long(0)),
    op(0x8000),
    op(0x8100, long(1), 1),
    op(
      0x12,
      word(1),
      new Array(8).fill(0),
      pixelMap({ bits: 1, rowBytes: 2, bounds: rect(0, 0, 1, 8) }),
      colourTable(0, [[0, 0, 0, 0]]),
      0,
      0,
    ),
  ];
  const bits = op(0x90, word(2), BOX, BOX, BOX, word(0), [0x40, 0, 0x80, 0]);
  assert.deepEqual(await draw([...skipped, bits]), [W, K, K, W].flat());
});

/** Writes the data of opcode 0x8200 with an embedded file, and optionally a matte and a mask before it. */
function quickTime(codec: string, file: number[], matte: number[] = [], mask: number[] = []): number[] {
  const description = (type: string, size: number) => [
    ...long(86),
    ...Buffer.from(type),
    ...new Array(24).fill(0),
    ...word(32),
    ...word(16),
    ...new Array(8).fill(0),
    ...long(size),
    ...new Array(38).fill(0),
  ];
  const data = [
    ...word(0),
    ...new Array(36).fill(0),
    ...long(matte.length),
    ...BOX,
    ...word(0),
    ...BOX,
    ...long(0),
    ...long(mask.length),
    ...(matte.length > 0 ? [...description('raw ', matte.length), ...matte] : []),
    ...mask,
    ...description(codec, file.length),
    ...file,
  ];
  return op(0x8200, long(data.length), data);
}

test('returns a file embedded by QuickTime', async () => {
  const fallback = op(0x90, word(2), BOX, BOX, BOX, word(0), [0x40, 0, 0x80, 0]);
  for (const [matte, mask] of [
    [[], []],
    [
      [1, 2, 3, 4],
      [9, 9],
    ],
  ] as number[][][]) {
    const file = pict({ frame: BOX, ops: [quickTime('jpeg', [1, 2, 3, 4], matte, mask), fallback, END] });
    const probe = await probeWith(pictReader, file);
    assert.deepEqual([probe.width, probe.height], [32, 16]);
    const content = await decodeWith(pictReader, file);
    assert.ok('embedded' in content);
    assert.deepEqual([content.embedded.format, ...content.embedded.bytes], ['jpeg', 1, 2, 3, 4]);
  }
  // With an unknown codec, the reader draws the fallback opcodes.
  assert.deepEqual(await draw([quickTime('rpza', [1, 2]), fallback]), [W, K, K, W].flat());
});

test('reports what it cannot read', async () => {
  await assert.rejects(probeWith(pictReader, pict({ frame: BOX, ops: [quickTime('rpza', [1, 2]), END] })), {
    code: 'unsupported_format',
    message: /a Macintosh PICT with a QuickTime codec, which this service does not read/,
  });
  await assert.rejects(probeWith(pictReader, pict({ frame: BOX, ops: [END] })), { code: 'unsupported_format' });
  const black = pict({ frame: rect(0, 0, 100, 100), ops: [op(0x31, rect(0, 0, 100, 100)), END] });
  await assert.rejects(decodeWith(pictReader, black, { maxPixels: 9_999 }), { code: 'image_too_large' });
  await assert.rejects(probeWith(pictReader, black, { page: 2 }), { code: 'page_out_of_range' });
  await assert.rejects(probeWith(pictReader, Buffer.alloc(600)), { code: 'corrupt_image' });
  assert.ok(!isPict(pict({ frame: rect(0, 0, 0, 9), ops: [END] })), 'an empty frame');
});

test('marks an image without an end as truncated', async () => {
  const file = pict({ frame: BOX, ops: [op(0x31, rect(0, 0, 1, 2)), op(0x31, BOX)] });
  const { truncated, data } = await readBitmap(pictReader, file.subarray(0, -2));
  assert.deepEqual([truncated, ...data.subarray(3)], [true, ...K, ...W, ...W]);
});

test('stops at an image that paints itself again and again', { skip: nightlyOnly, timeout: 20_000 }, async () => {
  const all = rect(0, 0, 400, 400);
  const far = rect(9000, 9000, 9001, 9001);
  const corners = new Array<number[]>(4000).fill([...word(9000), ...word(9000)]).flat();
  const polygon = [...word(10 + corners.length), ...far, ...corners];
  const region = [...word(10 + corners.length), ...far, ...corners.map(() => 0)];
  for (const [first, again] of [
    [op(0x31, all), op(0x39)],
    [op(0x71, polygon), op(0x79)],
    [op(0x81, region), op(0x89)],
    [op(0x51, far), op(0x59)],
  ] as const) {
    const ops = [op(0x31, all), first, ...new Array<number[]>(100_000).fill(again), END];
    const { truncated, data } = await readBitmap(pictReader, pict({ frame: all, ops }));
    assert.deepEqual([truncated, data[0]], [true, 0]);
  }
});

test('returns an image or a failure for damaged files', async () => {
  const map = pixelMap({ bits: 8, rowBytes: 20, bounds: rect(0, 0, 4, 20) });
  const table = colourTable(0x8000, [
    [0, 1, 2, 3],
    [0, 4, 5, 6],
  ]);
  const space = rect(0, 0, 4, 20);
  const rows = new Array(4).fill([2, 0xed, 1]).flat();
  const seeds = [
    pict({ frame: space, ops: [op(0x98, map, table, space, space, word(0), rows), END], header: 'alone' }),
    pict({
      frame: space,
      ops: [op(0x31, space), op(0x51, space), op(0x81, [...word(10), ...space]), END],
      header: 'alone',
    }),
    pict({ frame: BOX, ops: [quickTime('jpeg', [1, 2, 3, 4]), END], header: 'alone' }),
  ];
  assert.ok((await readDamaged(pictReader, seeds, 1000)) > 500 * TRIED_PART);
});
