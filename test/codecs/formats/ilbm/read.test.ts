import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../../../base/failure.ts';
import type { Bitmap } from '../../../../codecs/bitmap.ts';
import type { Probe, ReaderContext } from '../../../../codecs/format-reader.ts';
import { reader as ilbmReader } from '../../../../codecs/formats/ilbm/read.ts';
import { isIffImage } from '../../../../codecs/formats/ilbm/recognise.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../../support/corpus.ts';
import { damaged, makeRandom, TRIED_PART } from '../../../support/damage.ts';
import { failureOf } from '../../../support/failure.ts';
import { bmhd, byteRun1, chunk, form, interleaved, pchg, planar, u16, u32, verticalRuns } from './files.ts';

const MAX_PIXELS = 1_000_000;
// The reader uses nothing from the context.
const context = {} as ReaderContext;

const probe = (bytes: Uint8Array, page = 1) => ilbmReader.probe(bytes, { page, extension: '' }, context) as Probe;

function read(bytes: Uint8Array, page = 1): Bitmap {
  const request = { page, extension: '', maxPixels: MAX_PIXELS, scale: 1 };
  const content = ilbmReader.decode(bytes, request, context) as Awaited<ReturnType<typeof ilbmReader.decode>>;
  assert.ok('bitmap' in content);
  const { width, height, channels } = content.bitmap;
  const probed = probe(bytes, page);
  assert.deepEqual([probed.width, probed.height, probed.hasAlpha], [width, height, channels === 4]);
  return content.bitmap;
}

const random = makeRandom(5);
const noise = (count: number, below: number) => Array.from({ length: count }, () => random(below));

const WIDTH = 19;
const HEIGHT = 7;
const PIXELS = WIDTH * HEIGHT;
const SIZE = { width: WIDTH, height: HEIGHT };

const map = (colours: readonly number[]) => chunk('CMAP', colours);
const camg = (mode: number) => chunk('CAMG', u32(mode));
const HAM = 0x800;
const HALF_BRIGHT = 0x80;

const lookUp = (indices: readonly number[], colours: readonly number[]) =>
  indices.flatMap((index) => [0, 1, 2].map((channel) => colours[index * 3 + channel] ?? 0));

test('reads one to eight planes as palette indices, packed or not', () => {
  for (let planes = 1; planes <= 8; planes++) {
    const colours = noise(2 ** planes * 3, 256);
    const indices = noise(PIXELS, 2 ** planes);
    const body = interleaved(indices, WIDTH, planes);
    const plain = form('ILBM', bmhd({ ...SIZE, planes }), camg(0x1000), map(colours), chunk('BODY', body));
    assert.deepEqual([...read(plain).data], lookUp(indices, colours), `${planes} planes`);
    const packed = form(
      'ILBM',
      bmhd({ ...SIZE, planes, compression: 1 }),
      camg(0x1000),
      map(colours),
      chunk('BODY', byteRun1(body, 4)),
    );
    assert.deepEqual(read(packed), read(plain));
    const acrossRows = form(
      'ILBM',
      bmhd({ ...SIZE, planes, compression: 1 }),
      camg(0x1000),
      map(colours),
      chunk('BODY', byteRun1(body, body.length)),
    );
    assert.deepEqual(read(acrossRows), read(plain));
    const vertical = form(
      'ILBM',
      bmhd({ ...SIZE, planes, compression: 2 }),
      camg(0x1000),
      map(colours),
      chunk('BODY', verticalRuns(indices, WIDTH, planes)),
    );
    assert.deepEqual(read(vertical), read(plain));
    const acbm = form(
      'ACBM',
      bmhd({ ...SIZE, planes }),
      camg(0x1000),
      map(colours),
      chunk('ABIT', planar(indices, WIDTH, planes)),
    );
    assert.deepEqual(read(acbm), read(plain));
  }
});

test('reads one index per byte, packed or not', () => {
  const colours = noise(768, 256);
  const indices = noise(PIXELS, 256);
  const rows = Buffer.concat(
    Array.from({ length: HEIGHT }, (_, y) => Buffer.from([...indices.slice(y * WIDTH, (y + 1) * WIDTH), 0])),
  );
  const plain = form('PBM ', bmhd({ ...SIZE, planes: 8 }), map(colours), chunk('BODY', rows));
  assert.deepEqual([...read(plain).data], lookUp(indices, colours));
  const packed = form(
    'PBM ',
    bmhd({ ...SIZE, planes: 8, compression: 1 }),
    map(colours),
    chunk('BODY', byteRun1(rows, 20)),
  );
  assert.deepEqual(read(packed), read(plain));
});

test('reads indices as grey without a palette, and colours missing in the palette as black', () => {
  const body = chunk('BODY', interleaved([0, 1, 2, 3], 4, 2));
  const size = { width: 4, height: 1, planes: 2 };
  assert.deepEqual(
    [...read(form('ILBM', bmhd(size), body)).data],
    [0, 85, 170, 255].flatMap((level) => [level, level, level]),
  );
  assert.deepEqual(
    [...read(form('ILBM', bmhd(size), map([1, 2, 3, 4, 5, 6]), body)).data],
    [1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0],
  );
});

test('scales palettes of four bits to white, unless the header declares eight', () => {
  const body = chunk('BODY', interleaved([0, 1], 2, 1));
  const size = { width: 2, height: 1, planes: 1 };
  assert.deepEqual(
    [...read(form('ILBM', bmhd(size), map([0, 0x80, 0xf0, 0xf0, 0xf0, 0xf0]), body)).data],
    [0, 0x88, 255, 255, 255, 255],
  );
  const full = bmhd({ ...size, flags: 0x80 });
  assert.deepEqual(
    [...read(form('ILBM', full, map([0, 0x80, 0xf0, 0xf0, 0xf0, 0xf0]), body)).data],
    [0, 0x80, 0xf0, 0xf0, 0xf0, 0xf0],
  );
});

test('reads half-brite colours after the palette', () => {
  const colours = noise(96, 256);
  const indices = noise(PIXELS, 64);
  const expected = lookUp(indices, [...colours, ...colours.map((level) => level >> 1)]);
  const file = (...chunks: Uint8Array[]) =>
    form('ILBM', bmhd({ ...SIZE, planes: 6 }), ...chunks, chunk('BODY', interleaved(indices, WIDTH, 6)));
  assert.deepEqual([...read(file(map(colours), camg(HALF_BRIGHT))).data], expected);
  // Six planes with 32 colours can only be half-brite.
  assert.deepEqual([...read(file(map(colours))).data], expected);
  const changed = pchg({ lines: [new Map([[3, 0x406080]])], start: 1 }, true, false);
  const twins = form(
    'ILBM',
    bmhd({ width: 2, height: 2, planes: 6 }),
    camg(HALF_BRIGHT),
    map(colours),
    changed,
    chunk('BODY', interleaved([3, 35, 3, 35], 2, 6)),
  );
  const before = [...colours.slice(9, 12), ...colours.slice(9, 12).map((level) => level >> 1)];
  assert.deepEqual([...read(twins).data], [...before, 0x40, 0x60, 0x80, 0x20, 0x30, 0x40]);
  const all = noise(192, 256);
  assert.deepEqual([...read(file(map(all), camg(HALF_BRIGHT))).data], lookUp(indices, all));
});

/** Decodes one line of a hold-and-modify image by the description of the mode. */
function holdAndModify(indices: readonly number[], colours: readonly number[], bits: number): number[] {
  const rgb = [colours[0]!, colours[1]!, colours[2]!];
  return indices.flatMap((index) => {
    const value = index % 2 ** bits;
    const control = Math.floor(index / 2 ** bits);
    const level = value * 2 ** (8 - bits) + Math.floor(value / 2 ** (2 * bits - 8));
    if (control === 0) rgb.splice(0, 3, ...colours.slice(value * 3, value * 3 + 3));
    if (control === 1) rgb[2] = level;
    if (control === 2) rgb[0] = level;
    if (control === 3) rgb[1] = level;
    return [...rgb];
  });
}

test('reads hold-and-modify with six and eight planes', () => {
  for (const [planes, bits] of [
    [5, 4],
    [6, 4],
    [7, 6],
    [8, 6],
  ] as const) {
    const colours = noise(2 ** bits * 3, 256);
    const indices = noise(PIXELS, 2 ** planes);
    const file = form(
      'ILBM',
      bmhd({ ...SIZE, planes }),
      camg(HAM),
      map(colours),
      chunk('BODY', interleaved(indices, WIDTH, planes)),
    );
    const expected = Array.from({ length: HEIGHT }, (_, y) =>
      holdAndModify(indices.slice(y * WIDTH, (y + 1) * WIDTH), colours, bits),
    );
    assert.deepEqual([...read(file).data], expected.flat(), `${planes} planes`);
  }
});

test('reads six planes with 16 colours as hold-and-modify, and ignores a corrupt mode', () => {
  const indices = [1, 16 + 5, 32 + 15];
  const colours = noise(48, 256);
  const body = chunk('BODY', interleaved(indices, 3, 6));
  const expected = holdAndModify(indices, colours, 4);
  assert.deepEqual(
    [...read(form('ILBM', bmhd({ width: 3, height: 1, planes: 6 }), map(colours), body)).data],
    expected,
  );
  const five = [1, 16, 31];
  const spoilt = form(
    'ILBM',
    bmhd({ width: 3, height: 1, planes: 5 }),
    camg(0x12340800),
    map(colours),
    chunk('BODY', interleaved(five, 3, 5)),
  );
  assert.deepEqual([...read(spoilt).data], lookUp(five, colours));
});

test('reads true colour of 24 to 64 planes', () => {
  for (const [planes, channels, bits] of [
    [24, 3, 8],
    [32, 4, 8],
    [48, 3, 16],
    [64, 4, 16],
  ] as const) {
    const samples = noise(PIXELS * channels, 2 ** bits);
    const rows = Array.from({ length: HEIGHT }, (_, y) =>
      Array.from({ length: channels }, (_, channel) =>
        interleaved(
          samples.slice(y * WIDTH * channels, (y + 1) * WIDTH * channels).filter((_, at) => at % channels === channel),
          WIDTH,
          bits,
        ),
      ),
    );
    const file = form('ILBM', bmhd({ ...SIZE, planes }), chunk('BODY', ...rows.flat()));
    const image = read(file);
    assert.equal(image.channels, channels);
    assert.deepEqual(
      [...image.data],
      samples.map((sample) => Math.floor(sample / 2 ** (bits - 8))),
      `${planes} planes`,
    );
  }
});

test('converts a mask plane and a transparent colour to alpha', () => {
  const indices = noise(PIXELS, 4);
  const mask = noise(PIXELS, 2);
  const colours = noise(12, 256);
  const alphaOf = (bitmap: Bitmap) => [...bitmap.data].filter((_, at) => at % 4 === 3);
  const masked = read(
    form(
      'ILBM',
      bmhd({ ...SIZE, planes: 2, masking: 1, compression: 1 }),
      map(colours),
      chunk('BODY', byteRun1(interleaved(indices, WIDTH, 2, mask), 4)),
    ),
  );
  assert.deepEqual(
    alphaOf(masked),
    mask.map((bit) => bit * 255),
  );
  assert.deepEqual(
    [...masked.data].filter((_, at) => at % 4 !== 3),
    lookUp(indices, colours),
  );
  const keyed = read(
    form(
      'ILBM',
      bmhd({ ...SIZE, planes: 2, masking: 2, transparent: 3 }),
      map(colours),
      chunk('BODY', interleaved(indices, WIDTH, 2)),
    ),
  );
  assert.deepEqual(
    alphaOf(keyed),
    indices.map((index) => (index === 3 ? 0 : 255)),
  );
});

const rgbOf = (value: number) => [value >> 16, (value >> 8) & 0xff, value & 0xff];

/** Decodes lines whose palette changes before them. */
function withPaletteChanges(
  indices: readonly number[],
  colours: readonly number[],
  changesOf: (line: number) => Iterable<readonly [number, number]>,
) {
  const now = [...colours];
  const lines: number[] = [];
  for (let y = 0; y * WIDTH < indices.length; y++) {
    for (const [index, rgb] of changesOf(y)) now.splice(index * 3, 3, ...rgbOf(rgb));
    lines.push(...lookUp(indices.slice(y * WIDTH, (y + 1) * WIDTH), now));
  }
  return lines;
}

test('reads palettes that change by line (PCHG), short and long, packed and not', () => {
  const height = 70;
  const indices = noise(WIDTH * height, 32);
  const colours = noise(96, 256);
  for (const long of [false, true]) {
    const lines = Array.from({ length: height - 10 }, (_, line) => {
      const changes = line % 3 === 1 ? [] : noise(random(6), 32);
      // Short changes have 12 bits per colour.
      return new Map(
        changes
          .map((index) => [index, long ? random(2 ** 24) : random(4096) * 0x11] as const)
          .map(([index, value]) => [index, long ? value : shortColour(value)] as const),
      );
    });
    for (const start of [0, 4, -3]) {
      for (const packed of [false, true]) {
        const file = form(
          'ILBM',
          bmhd({ width: WIDTH, height, planes: 5 }),
          map(colours),
          pchg({ lines, start }, long, packed),
          chunk('BODY', interleaved(indices, WIDTH, 5)),
        );
        const before = lines.slice(0, Math.max(0, -start)).flatMap((changes) => [...changes]);
        const expected = withPaletteChanges(indices, colours, (line) => [
          ...(line === 0 ? before : []),
          ...(lines[line - start] ?? []),
        ]);
        assert.deepEqual([...read(file).data], expected, `long ${long}, packed ${packed}, from ${start}`);
      }
    }
  }
});

/** Returns 0xRRGGBB whose channels each have two equal nibbles. */
function shortColour(value: number): number {
  return rgbOf(value).reduce((rgb, level) => rgb * 256 + (level >> 4) * 17, 0);
}

test('reads palettes of 16 colours for each line (SHAM, CTBL) or each two lines', () => {
  const tables = Array.from({ length: 10 }, () => noise(16, 4096));
  const indices = noise(WIDTH * 10, 16);
  const wide = (value: number) => (value >> 8) * 0x110000 + ((value >> 4) & 15) * 0x1100 + (value & 15) * 0x11;
  const expected = (linesPerTable: number) =>
    withPaletteChanges(indices, [], (line) =>
      (tables[Math.floor(line / linesPerTable)] ?? []).map((value, i) => [i, wide(value)] as const),
    );
  const file = (...chunks: Uint8Array[]) =>
    form(
      'ILBM',
      bmhd({ width: WIDTH, height: 10, planes: 4 }),
      map(noise(48, 256)),
      ...chunks,
      chunk('BODY', interleaved(indices, WIDTH, 4)),
    );
  const words = u16(...tables.flat());
  assert.deepEqual([...read(file(chunk('CTBL', words))).data], expected(1));
  assert.deepEqual([...read(file(chunk('SHAM', [0, 0], words))).data], expected(1));
  assert.deepEqual([...read(file(chunk('SHAM', [0, 0], words.slice(0, 5 * 32)))).data], expected(2));
});

test('expands runs of true colour (RGB8, RGBN) across rows', () => {
  const header = bmhd({ width: 20, height: 20, planes: 25, compression: 4 });
  const long = [0x11, 0x22, 0x33, 0x80 | 100, 0x44, 0x55, 0x66, 0, 200, 0x77, 0x88, 0x99, 100];
  const data = read(form('RGB8', header, camg(0), chunk('BODY', long))).data;
  const repeat = (count: number, ...rgb: number[]) => Array.from({ length: count }, () => rgb).flat();
  assert.deepEqual(
    [...data],
    [...repeat(100, 0x11, 0x22, 0x33), ...repeat(200, 0x44, 0x55, 0x66), ...repeat(100, 0x77, 0x88, 0x99)],
  );
  const short = [...u16(0x1230 | 8 | 7), ...u16(0x4560), 93, ...u16(0xfff0), 0, ...u16(300)];
  const narrow = read(
    form('RGBN', bmhd({ width: 20, height: 20, planes: 13, compression: 4 }), camg(0), chunk('BODY', short)),
  );
  assert.deepEqual(
    [...narrow.data],
    [...repeat(7, 0x11, 0x22, 0x33), ...repeat(93, 0x44, 0x55, 0x66), ...repeat(300, 255, 255, 255)],
  );
});

function deep(compression: number, elements: readonly number[], body: Uint8Array, ...others: Uint8Array[]): Uint8Array {
  const pixel = [...u32(elements.length / 2), ...elements.flatMap((value) => u16(value))];
  return form(
    'DEEP',
    chunk('DGBL', u16(320, 200, compression), [1, 1]),
    chunk('DPEL', pixel),
    chunk('DLOC', u16(WIDTH, HEIGHT, 0, 0)),
    ...others,
    chunk('DBOD', body),
  );
}

const RED = 1;
const GREEN = 2;
const BLUE = 3;
const ALPHA = 4;

test('reads DEEP: elements in any order and depth, uncompressed, in runs and in differences', () => {
  const rgba = noise(PIXELS * 4, 256);
  const pixels = Array.from({ length: PIXELS }, (_, i) => rgba.slice(i * 4, i * 4 + 4));
  const inOrder = [RED, 8, GREEN, 8, BLUE, 8, ALPHA, 8];
  assert.deepEqual([...read(deep(0, inOrder, Buffer.from(rgba))).data], rgba);
  const turned = deep(0, [BLUE, 8, GREEN, 8, RED, 8], Buffer.from(pixels.flatMap(([r, g, b]) => [b!, g!, r!])));
  assert.deepEqual(
    [...read(turned).data],
    pixels.flatMap((pixel) => pixel.slice(0, 3)),
  );
  const wide = deep(0, [RED, 16, GREEN, 16, BLUE, 16, ALPHA, 16], Buffer.from(rgba.flatMap((sample) => [sample, 77])));
  assert.deepEqual([...read(wide).data], rgba);

  const runs = pixels.flatMap((pixel, i) =>
    i % 10 === 0 ? [2, ...pixel, ...pixel, ...pixel] : i % 10 === 3 ? [250, ...pixel] : [],
  );
  const expected = pixels.map((_, i) => pixels[i % 10 < 3 ? i - (i % 10) : i - (i % 10) + 3] ?? [0, 0, 0, 0]);
  const { data, truncated } = read(deep(1, inOrder, Buffer.from(runs)));
  assert.deepEqual([...data].slice(0, 120 * 4), expected.flat().slice(0, 120 * 4));
  assert.equal(truncated, false);
});

test('restarts the differences of DEEP in each row of each element', () => {
  const differences = [0, 1, 2, 4, 8, 16, 32, 64, -1, -2, -4, -8, -16, -32, -64, -128];
  const nibbles = (values: readonly number[]) => [...values, ...(values.length % 2 ? [0] : [])];
  const lines: number[][] = [];
  const rows: number[][] = [];
  for (let line = 0; line < HEIGHT * 3; line++) {
    let value = 0;
    const codes: number[] = [];
    const row: number[] = [];
    while (row.length < WIDTH) {
      const code = random(16);
      codes.push(code);
      value = (value + differences[code]! + 256) % 256;
      row.push(value);
      if (code === 0) {
        const more = Math.min(random(16), WIDTH - row.length);
        codes.push(more);
        for (let i = 0; i < more; i++) row.push(value);
      }
    }
    lines.push(nibbles(codes));
    rows.push(row);
  }
  const packed = Buffer.from(
    lines.flatMap((line) => line.filter((_, i) => i % 2 === 0).map((high, i) => high * 16 + line[i * 2 + 1]!)),
  );
  const table = chunk('TVDC', u16(...differences.map((difference) => difference & 0xffff)));
  const file = deep(5, [RED, 8, GREEN, 8, BLUE, 8], packed, table);
  const expected = Array.from({ length: PIXELS * 3 }, (_, at) => {
    const pixel = Math.floor(at / 3);
    return rows[Math.floor(pixel / WIDTH) * 3 + (at % 3)]![pixel % WIDTH];
  });
  assert.deepEqual([...read(file).data], expected);
});

const group4 = (type: string, ...chunks: Uint8Array[]): Buffer => chunk('FOR4', Buffer.from(type), ...chunks);

/** Writes a chunk of Maya's format, in which chunks start at multiples of four. */
function chunk4(id: string, ...parts: (Uint8Array | readonly number[])[]): Buffer {
  const bytes = chunk(id, ...parts);
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}

test('joins the tiles of Maya files from the bottom up', () => {
  const pixel = (x: number, y: number) => [x * 9, y * 30, 200 - x, 255 - y];
  for (const sampleBytes of [1, 2]) {
    // With 16-bit samples, the lower bytes hold other values.
    const wide = (sample: number) => (sampleBytes === 1 ? [sample] : [sample, 77]);
    const tile = (left: number, top: number, right: number, bottom: number, packed: boolean) => {
      const pixels: number[][] = [];
      for (let y = top; y <= bottom; y++) {
        for (let x = left; x <= right; x++) pixels.push(pixel(x, HEIGHT - 1 - y).reverse());
      }
      const planes = Array.from({ length: 4 * sampleBytes }, (_, channel) =>
        pixels.map((samples) => wide(samples[channel % 4]!)[Math.floor(channel / 4)]!),
      );
      const pack = (plane: number[]) =>
        new Set(plane).size === 1 ? [0x80 | (plane.length - 1), plane[0]!] : [plane.length - 1, ...plane];
      return chunk4('RGBA', u16(left, top, right, bottom), packed ? planes.flatMap(pack) : pixels.flat().flatMap(wide));
    };
    const file = group4(
      'CIMG',
      chunk('TBHD', u32(WIDTH, HEIGHT), u16(1, 1), u32(3), u16(sampleBytes - 1, 3), u32(1, 0, 0)),
      group4(
        'TBMP',
        tile(0, 0, 9, 4, false),
        tile(10, 0, 18, 4, false),
        tile(0, 5, 18, 5, true),
        tile(0, 6, 18, 6, true),
      ),
    );
    const expected = Array.from({ length: PIXELS }, (_, at) => pixel(at % WIDTH, Math.floor(at / WIDTH)));
    const { data, truncated } = read(file);
    assert.deepEqual([...data], expected.flat());
    assert.equal(truncated, false);
    assert.equal(read(file.subarray(0, 250 * sampleBytes)).truncated, true);
  }
});

const one = (level: number, ...others: Uint8Array[]) =>
  form('ILBM', bmhd({ width: 1, height: 1, planes: 1 }), ...others, chunk('BODY', interleaved([level], 1, 1)));

test('reads the images of a container as pages that share its properties', () => {
  const palette = map([10, 11, 12, 20, 21, 22]);
  const list = chunk(
    'LIST',
    Buffer.from('ILBM'),
    chunk('PROP', Buffer.from('ILBM'), palette),
    one(0),
    chunk('CAT ', Buffer.from('    '), form('8SVX', chunk('BODY', [1, 2])), one(1)),
    one(1, map([1, 2, 3, 4, 5, 6])),
  );
  assert.equal(probe(list).pages, 3);
  assert.deepEqual(
    [1, 2, 3].map((page) => [...read(list, page).data]),
    [
      [10, 11, 12],
      [20, 21, 22],
      [4, 5, 6],
    ],
  );
  assert.throws(() => probe(list, 4), { code: 'page_out_of_range' });
  const prop = (...colours: number[]) => chunk('PROP', Buffer.from('ILBM'), map(colours));
  const inner = chunk('LIST', Buffer.from('ILBM'), prop(0, 0, 0, 7, 8, 9), one(1));
  const nested = chunk('LIST', Buffer.from('ILBM'), prop(0, 0, 0, 4, 5, 6), inner, one(1));
  assert.deepEqual(
    [1, 2].map((page) => [...read(nested, page).data]),
    [
      [7, 8, 9],
      [4, 5, 6],
    ],
  );
  const together = Buffer.concat([one(0), one(1)]);
  assert.equal(probe(together).pages, 2);
  assert.deepEqual([...read(together, 2).data], [255, 255, 255]);
});

test('reads the first image of an animation', () => {
  const sound = form('8SVX', chunk('BODY', [1, 2, 3]));
  const change = form('ILBM', chunk('ANHD', [5]), chunk('DLTA', [0, 0]));
  const animation = form('ANIM', sound, one(1, map([0, 0, 0, 7, 8, 9])), change, change);
  assert.equal(probe(animation).pages, 1);
  assert.deepEqual([...read(animation).data], [7, 8, 9]);
});

test('stops at too deeply nested containers', () => {
  // Each container seems to reach to the end of the file.
  const endless = Buffer.alloc(20 * 30_000, Buffer.from('FORM\0\0\0\x04ANIMJUNK\0\0\0\0', 'latin1'));
  assert.throws(() => probe(endless), { code: 'corrupt_image' });
  const deep = Array.from({ length: 6 }).reduce<Buffer>((inner) => chunk('CAT ', Buffer.from('ILBM'), inner), one(1));
  assert.throws(() => probe(deep), { code: 'corrupt_image' });
});

test('tolerates a wrong size of the outermost group', () => {
  const file = Buffer.from(one(1));
  for (const size of [0, file.length - 12, file.length + 100, 0xffffffff]) {
    file.writeUInt32BE(size, 4);
    assert.deepEqual([...read(file).data], [255, 255, 255]);
    assert.equal(read(file).truncated, false);
  }
});

test('keeps the rows of a body that ends early', () => {
  const file = form('ILBM', bmhd({ width: 16, height: 4, planes: 1 }), chunk('BODY', Buffer.alloc(8, 255)));
  const { data, truncated } = read(file.subarray(0, -4));
  assert.equal(truncated, true);
  assert.deepEqual([data[0], data[16 * 2 * 3 - 1], data[16 * 2 * 3]], [255, 255, 0]);
});

test('rejects other content and unknown kinds', async () => {
  await failureOf('corrupt_image', () => probe(form('8SVX', chunk('BODY', [1]))));
  await failureOf('corrupt_image', () => probe(form('ILBM', chunk('BODY', [1]))));
  await failureOf('corrupt_image', () => read(form('ILBM', bmhd({ width: 8, height: 8, planes: 1 }))));
  await failureOf('corrupt_image', () => probe(form('ILBM', bmhd({ width: 0, height: 8, planes: 1 }))));
  const { message } = await failureOf('unsupported_format', () =>
    probe(form('ILBM', bmhd({ width: 8, height: 8, planes: 12 }))),
  );
  assert.match(message, /an Amiga IFF of 12 planes/);
  const unknown = form('ILBM', bmhd({ width: 8, height: 8, planes: 1, compression: 9 }), chunk('BODY', [1, 2]));
  await failureOf('unsupported_format', () => read(unknown));
  const large = form('ILBM', bmhd({ width: 60_000, height: 60_000, planes: 8 }), chunk('BODY', [0]));
  await failureOf('image_too_large', () => read(large));
});

test('recognises images, but not sounds, texts and documents', () => {
  for (const type of ['ILBM', 'ACBM', 'PBM ', 'RGB8', 'RGBN', 'DEEP', 'ANIM']) assert.ok(isIffImage(form(type)), type);
  assert.ok(isIffImage(chunk('CAT ', Buffer.from('ILBM'))));
  assert.ok(isIffImage(chunk('LIST', Buffer.from('    '), one(1))));
  assert.ok(isIffImage(group4('CIMG')));
  for (const bytes of [
    form('8SVX'),
    form('AIFF'),
    chunk('CAT ', Buffer.from('FTXT')),
    group4('TEXT'),
    Buffer.from('FORM'),
    Buffer.alloc(0),
  ]) {
    assert.equal(isIffImage(bytes), false);
  }
});

/** Page, size, page count and weighted sum of the samples, by the named decoder (ilbmtoppm with -adjustcolors). */
const FACTS = [
  ['kimageformats--blue_noise_rgba8.iff', 1, 127, 101, 1, 'numpy', 823231602],
  ['kimageformats--cat_ilbm.iff', 1, 131, 131, 2, 'ilbmtoppm', 888768606],
  ['kimageformats--cat_ilbm.iff', 2, 131, 131, 2, 'ilbmtoppm', 891417159],
  ['kimageformats--flag_ham6.iff', 1, 124, 124, 1, 'ffmpeg', 701838540],
  ['kimageformats--ham8.iff', 1, 131, 131, 1, 'ffmpeg', 877098221],
  ['kimageformats--ocs_pchg_amiga_16cl.iff', 1, 131, 131, 1, 'ilbmtoppm', 892753963],
  ['kimageformats--ps_testcard_rgb_amiga.iff', 1, 131, 131, 1, 'ilbmtoppm', 888768606],
  ['kimageformats--testcard_acbm.iff', 1, 112, 112, 1, 'ffmpeg', 643127482],
  ['kimageformats--testcard_indexed4_amiga.iff', 1, 256, 256, 1, 'ilbmtoppm', 3389728173],
  ['kimageformats--testcard_pbm.iff', 1, 112, 112, 1, 'ilbmtoppm', 643127482],
  ['twelvemonkeys--GoldPorsche.iff', 1, 320, 200, 1, 'ilbmtoppm', 1742318899],
  ['twelvemonkeys--Lion.iff', 1, 704, 480, 1, 'ilbmtoppm', 3482328807],
  ['twelvemonkeys--owl.iff', 1, 160, 174, 1, 'ilbmtoppm', 2342922405],
] as const;

test('reads real images as trusted decoders do', { skip: corpusSkipReason }, () => {
  for (const [name, page, width, height, pages, decoder, sum] of FACTS) {
    const bytes = corpus(`legacy/${name}`);
    assert.ok(bytes && isIffImage(bytes), name);
    const probed = probe(bytes, page);
    assert.deepEqual([probed.width, probed.height, probed.pages], [width, height, pages], name);
    const { data, channels, truncated } = read(bytes, page);
    assert.equal(truncated, false, name);
    // The image with a transparent colour is compared with a decoder that ignores transparency.
    const samples = channels === 4 && decoder !== 'numpy' ? data.filter((_, at) => at % 4 !== 3) : data;
    let total = 0;
    for (const [at, sample] of samples.entries()) total += sample * ((at % 251) + 1);
    assert.equal(total, sum, `${name} by ${decoder}`);
  }
  const known: string[] = FACTS.map(([name]) => `legacy/${name}`);
  assert.deepEqual(
    corpusFiles('legacy').filter((path) => path.endsWith('.iff') && !known.includes(path)),
    [],
  );
});

test('throws nothing but a Failure on damaged files', () => {
  const indices = noise(PIXELS, 32);
  const body = chunk('BODY', byteRun1(interleaved(indices, WIDTH, 5), 4));
  const changes = pchg(
    { lines: indices.slice(0, 40).map((index) => new Map([[index, 0x123456]])), start: 0 },
    true,
    true,
  );
  const header = bmhd({ ...SIZE, planes: 5, compression: 1 });
  const files = [
    form('ILBM', header, map(noise(96, 256)), camg(HAM), body),
    form('ILBM', header, map(noise(96, 256)), changes, body),
    form(
      'ILBM',
      bmhd({ ...SIZE, planes: 5, compression: 2, masking: 2 }),
      chunk('BODY', verticalRuns(indices, WIDTH, 5)),
    ),
    chunk('CAT ', Buffer.from('ILBM'), form('ILBM', header, body), form('ACBM', header, chunk('ABIT', indices))),
    form('RGB8', bmhd({ ...SIZE, planes: 25, compression: 4 }), chunk('BODY', indices)),
    deep(1, [RED, 8, GREEN, 8, BLUE, 8], Buffer.from(indices)),
    deep(5, [RED, 8, GREEN, 8, BLUE, 8], Buffer.from(indices), chunk('TVDC', indices.slice(0, 32))),
    group4(
      'CIMG',
      chunk('TBHD', u32(4, 4), u16(1, 1), u32(3), u16(0, 1), u32(1, 0, 0)),
      group4('TBMP', chunk4('RGBA', u16(0, 0, 3, 3), indices.slice(0, 40))),
    ),
  ];
  let decoded = 0;
  for (const [index, file] of files.entries()) {
    for (const bytes of damaged(file, 300, index)) {
      try {
        isIffImage(bytes);
        const request = { page: 1, extension: 'iff', maxPixels: 100_000, scale: 1 };
        ilbmReader.probe(bytes, request, context);
        ilbmReader.decode(bytes, request, context);
        decoded++;
      } catch (error) {
        assert.ok(error instanceof Failure, `${index}: ${(error as Error).stack}`);
      }
    }
  }
  assert.ok(decoded > 500 * TRIED_PART, `${decoded} were read`);
});
