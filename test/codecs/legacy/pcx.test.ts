import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCodec } from '../../../codecs/formats/codecs.ts';
import { reader as dcxReader } from '../../../codecs/formats/dcx/read.ts';
import { isPcx } from '../../../codecs/legacy/pcx.ts';
import { TRIED_PART } from '../../support/damage.ts';
import { decodeWith, probeWith, readBitmap, readDamaged } from '../../support/readers.ts';

const pcxReader = (await loadCodec('pcx')).reader!;

interface Recipe {
  width: number;
  height: number;
  bits?: number;
  planes?: number;
  stride?: number;
  version?: number;
  encoding?: number;
  dpi?: number;
  palette?: number[];
  /** Unpacked bytes: the rows of all planes. */
  rows: number[];
  /** 256 colours, preceded by `gap` other bytes. */
  vga?: number[];
  gap?: number;
}

/** Writes a file by ZSoft's manual. */
function pcx(recipe: Recipe): Uint8Array {
  const {
    width,
    height,
    bits = 8,
    planes = 1,
    version = 5,
    encoding = 1,
    dpi = 0,
    palette = [],
    rows,
    vga,
    gap,
  } = recipe;
  const file = Buffer.alloc(128);
  file.set([10, version, encoding, bits]);
  file.writeUInt16LE(3, 4);
  file.writeUInt16LE(5, 6);
  file.writeUInt16LE(width + 2, 8);
  file.writeUInt16LE(height + 4, 10);
  file.writeUInt16LE(dpi, 12);
  file.writeUInt16LE(dpi, 14);
  file.set(palette, 16);
  file[65] = planes;
  file.writeUInt16LE(recipe.stride ?? Math.ceil((width * bits) / 8), 66);
  const packed = encoding === 1 ? pack(rows) : rows;
  return Buffer.concat([
    file,
    Buffer.from(packed),
    Buffer.alloc(gap ?? 0),
    ...(vga ? [Buffer.from([12]), Buffer.from(vga), Buffer.alloc(768 - vga.length)] : []),
  ]);
}

/** Packs bytes by runs. Runs continue across rows, as in some real files. */
function pack(bytes: readonly number[]): number[] {
  const packed: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let count = 1;
    while (count < 63 && bytes[at + count] === bytes[at]) count++;
    if (count > 1 || bytes[at]! >= 0xc0) packed.push(0xc0 | count);
    packed.push(bytes[at]!);
    at += count;
  }
  return packed;
}

const RED = [255, 0, 0];
const GREEN = [0, 255, 0];
const BLUE = [0, 0, 255];
const WHITE = [255, 255, 255];
const BLACK = [0, 0, 0];

test('reads one plane of 1, 2, 4 and 8 bits with a palette', async () => {
  const palette = [...BLACK, ...RED, ...GREEN, ...BLUE];
  const expected = [...RED, ...BLACK, ...RED];
  for (const [bits, rows] of [
    [1, [0b10100000]],
    [2, [0b01000100]],
    [4, [0x10, 0x10]],
  ] as const) {
    const { data } = await readBitmap(pcxReader, pcx({ width: 3, height: 1, bits, palette, rows: [...rows] }));
    assert.deepEqual([...data], expected, `${bits} bits`);
  }
  for (const gap of [0, 7]) {
    const file = pcx({ width: 3, height: 2, rows: [1, 3, 2, 0, 0, 200], vga: palette, gap });
    assert.deepEqual([...(await readBitmap(pcxReader, file)).data], [RED, BLUE, GREEN, BLACK, BLACK, BLACK].flat());
  }
});

test('reads eight bits without a palette as grey', async () => {
  const { data } = await readBitmap(pcxReader, pcx({ width: 2, height: 1, rows: [7, 250] }));
  assert.deepEqual([...data], [7, 7, 7, 250, 250, 250]);
});

test('reads planes of one bit, the lowest bit first', async () => {
  const palette = [BLACK, RED, GREEN, BLUE, WHITE].flat();
  const rows = [0b10100000, 0b01100000, 0b00010000];
  const { data } = await readBitmap(pcxReader, pcx({ width: 4, height: 1, bits: 1, planes: 3, palette, rows }));
  assert.deepEqual([...data], [RED, GREEN, BLUE, WHITE].flat());
});

test('reads planes of two bits', async () => {
  const palette = Array.from({ length: 48 }, (_, at) => at);
  const rows = [0b01100000, 0b11010000];
  const { data } = await readBitmap(pcxReader, pcx({ width: 2, height: 1, bits: 2, planes: 2, palette, rows }));
  assert.deepEqual([...data], [39, 40, 41, 18, 19, 20]);
});

test('ignores a run of length zero', async () => {
  const file = Buffer.concat([pcx({ width: 2, height: 1, rows: [] }), Buffer.from([0xc0, 9, 5, 6])]);
  assert.deepEqual([...(await readBitmap(pcxReader, file)).data], [5, 5, 5, 6, 6, 6]);
});

test('reads planes of eight bits: RGB and RGBA, with padding', async () => {
  const rgb = pcx({ width: 2, height: 1, planes: 3, stride: 4, rows: [1, 2, 9, 9, 3, 4, 9, 9, 5, 6, 9, 9] });
  assert.deepEqual([...(await readBitmap(pcxReader, rgb)).data], [1, 3, 5, 2, 4, 6]);
  const rgba = pcx({ width: 1, height: 2, planes: 4, rows: [1, 2, 3, 4, 5, 6, 7, 8] });
  const { data, channels } = await readBitmap(pcxReader, rgba);
  assert.deepEqual([channels, ...data], [4, 1, 2, 3, 4, 5, 6, 7, 8]);
});

test('reads unpacked rows', async () => {
  const { data } = await readBitmap(pcxReader, pcx({ width: 2, height: 2, encoding: 0, rows: [0xc5, 1, 2, 3] }));
  assert.deepEqual(
    [...data],
    [0xc5, 1, 2, 3].flatMap((level) => [level, level, level]),
  );
});

test('uses the default colours of the machine for versions without a palette', async () => {
  const garbage = [9, 9, 9, 8, 8, 8, 7, 7, 7];
  const rows = [0x1e, 0xf6];
  const ega = await readBitmap(pcxReader, pcx({ width: 4, height: 1, bits: 4, version: 3, palette: garbage, rows }));
  const expected = [[0, 0, 0xaa], [0xff, 0xff, 0x55], WHITE, [0xaa, 0x55, 0]];
  assert.deepEqual([...ega.data], expected.flat());
  const two = await readBitmap(pcxReader, pcx({ width: 2, height: 1, bits: 1, rows: [0x40] }));
  assert.deepEqual([...two.data], [...BLACK, ...WHITE], 'an empty palette is none');
});

test('reads the four CGA palettes and the background colour', async () => {
  const cases: [setting: number, colours: number[][]][] = [
    [
      0x00,
      [
        [0, 0xaa, 0],
        [0xaa, 0, 0],
        [0xaa, 0x55, 0],
      ],
    ],
    [
      0x20,
      [
        [0x55, 0xff, 0x55],
        [0xff, 0x55, 0x55],
        [0xff, 0xff, 0x55],
      ],
    ],
    [
      0x40,
      [
        [0, 0xaa, 0xaa],
        [0xaa, 0, 0xaa],
        [0xaa, 0xaa, 0xaa],
      ],
    ],
    [0x60, [[0x55, 0xff, 0xff], [0xff, 0x55, 0xff], WHITE]],
  ];
  for (const [setting, colours] of cases) {
    const file = pcx({ width: 4, height: 1, bits: 2, version: 2, palette: [0x10, 0, 0, setting], rows: [0b00011011] });
    assert.deepEqual([...(await readBitmap(pcxReader, file)).data], [[0, 0, 0xaa], ...colours].flat());
  }
});

test('reads the resolution', async () => {
  const file = (dpi: number) => pcx({ width: 1, height: 1, dpi, rows: [0] });
  assert.deepEqual((await readBitmap(pcxReader, file(300))).density, { x: 300, y: 300 });
  assert.equal((await readBitmap(pcxReader, file(0))).density, undefined);
});

test('keeps the complete rows of a file that ends early', async () => {
  const file = pcx({ width: 2, height: 3, planes: 3, rows: [1, 2, 3, 4, 5, 6, 7, 8, 9] });
  const { data, truncated } = await readBitmap(pcxReader, file);
  assert.equal(truncated, true);
  assert.deepEqual([...data], [1, 3, 5, 2, 4, 6, ...new Array(12).fill(0)]);
  await assert.rejects(decodeWith(pcxReader, file.subarray(0, 130)), { code: 'corrupt_image' });
});

test('rejects other files and enforces its limits', async () => {
  const good = pcx({ width: 10, height: 10, rows: [1] });
  assert.ok(isPcx(good));
  for (const [at, value] of [
    [0, 11],
    [1, 6],
    [1, 1],
    [2, 2],
    [3, 3],
    [8, 0],
    [65, 0],
    [65, 2],
  ] as const) {
    assert.ok(!isPcx(Buffer.from(good).fill(value, at, at + 1)), `byte ${at} is ${value}`);
  }
  assert.ok(!isPcx(good.subarray(0, 128)));
  await assert.rejects(decodeWith(pcxReader, good, { maxPixels: 99 }), { code: 'image_too_large' });
  await assert.rejects(probeWith(pcxReader, good, { page: 2 }), { code: 'page_out_of_range' });
});

test('takes no more memory than the file has for a row of 65,535 bytes', async () => {
  const file = pcx({ width: 1, height: 65_000, stride: 65_535, rows: [1] });
  await assert.rejects(decodeWith(pcxReader, file), { code: 'corrupt_image' });
});

/** Writes a file of pages, with gaps between them. */
function dcx(...pages: Uint8Array[]): Uint8Array {
  const directory = Buffer.alloc(4 + (pages.length + 1) * 4);
  directory.writeUInt32LE(0x3ade68b1);
  const parts: Uint8Array[] = [directory];
  let at = directory.length;
  for (const [index, page] of pages.entries()) {
    directory.writeUInt32LE(at, 4 + index * 4);
    parts.push(page);
    at += page.length;
  }
  return Buffer.concat(parts);
}

test('reads the pages of a DCX, each with its own palette', async () => {
  const page = (colour: number[]) => pcx({ width: 1, height: 1, rows: [0], vga: colour });
  const file = dcx(page(RED), page(GREEN), page(BLUE));
  for (const [index, colour] of [RED, GREEN, BLUE].entries()) {
    assert.deepEqual([...(await readBitmap(dcxReader, file, { page: index + 1 })).data], colour);
  }
  assert.equal((await probeWith(dcxReader, file)).pages, 3);
  await assert.rejects(probeWith(dcxReader, file, { page: 4 }), {
    code: 'page_out_of_range',
    message: 'Expected a page from 1 to 3 for page but received 4.',
  });
  await assert.rejects(probeWith(dcxReader, dcx()), { code: 'corrupt_image' });
});

test('returns an image or a failure for damaged files', async () => {
  const rows = Array.from({ length: 120 }, (_, at) => (at * 59) & 255);
  const seeds = [
    pcx({ width: 10, height: 12, rows, vga: RED }),
    pcx({ width: 10, height: 4, planes: 3, rows }),
    pcx({ width: 20, height: 10, bits: 1, planes: 4, palette: [...RED, ...GREEN], rows }),
  ];
  assert.ok((await readDamaged(pcxReader, seeds, 700)) > 300 * TRIED_PART);
  assert.ok((await readDamaged(dcxReader, [dcx(...seeds)], 700)) > 100 * TRIED_PART);
});
