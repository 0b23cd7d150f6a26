/** Degas, NEOchrome, Spectrum 512 and Tiny. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadCodec } from '../../../codecs/formats/codecs.ts';
import { isDegas } from '../../../codecs/formats/degas/read.ts';
import { isNeochrome } from '../../../codecs/formats/neochrome/read.ts';
import { isSpectrum512 } from '../../../codecs/formats/spectrum512/read.ts';
import { isTiny } from '../../../codecs/formats/tiny/read.ts';
import { TRIED_PART } from '../../support/damage.ts';
import { withFolder } from '../../support/folder.ts';
import { assertSameBytes, decodeWith, probeWith, readBitmap, readDamaged } from '../../support/readers.ts';
import { findProgram, skipWithout } from '../../support/tool.ts';

const degasReader = (await loadCodec('degas')).reader!;
const neochromeReader = (await loadCodec('neochrome')).reader!;
const spectrum512Reader = (await loadCodec('spectrum512')).reader!;
const tinyReader = (await loadCodec('tiny')).reader!;

interface Mode {
  number: number;
  width: number;
  height: number;
  planes: number;
}

const LOW = { number: 0, width: 320, height: 200, planes: 4 };
const MEDIUM = { number: 1, width: 640, height: 200, planes: 2 };
const HIGH = { number: 2, width: 640, height: 400, planes: 1 };
const MODES: readonly Mode[] = [LOW, MEDIUM, HIGH];

type Pixels = (x: number, y: number) => number;
/** A pattern in which every colour is next to every other one. */
const pattern =
  ({ planes }: Mode): Pixels =>
  (x, y) =>
    (x + y * 3 + (x >> 4)) & ((1 << planes) - 1);

/** Writes the screen memory of an ST: one word of each plane for sixteen pixels. */
function screen({ width, height, planes }: Mode, pixels: Pixels): Buffer {
  const memory = Buffer.alloc(32_000);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let plane = 0; plane < planes; plane++) {
        const word = ((y * width) / 16) * planes + (x >> 4) * planes + plane;
        const bit = (pixels(x, y) >> plane) & 1;
        memory[word * 2 + ((x >> 3) & 1)]! |= bit << (7 - (x & 7));
      }
    }
  }
  return memory;
}

const words = (...values: number[]) => Buffer.from(values.flatMap((value) => [value >> 8, value & 255]));

/** A palette with every level of every channel. */
const ST_COLOURS = Array.from({ length: 16 }, (_, at) => ((at & 7) << 8) | ((7 - (at & 7)) << 4) | (at >> 1));
const ST_PALETTE = words(...ST_COLOURS);
const eighth = (value: number) => Math.round((value * 255) / 7);
const stRgb = (at: number) => [ST_COLOURS[at]! >> 8, (ST_COLOURS[at]! >> 4) & 7, ST_COLOURS[at]! & 7].map(eighth);

function expected({ width, height, planes }: Mode, pixels: Pixels, colour = stRgb): number[] {
  const high = planes === 2 ? 2 : 1;
  return Array.from({ length: height * high }, (_, y) =>
    Array.from({ length: width }, (_, x) => colour(pixels(x, Math.floor(y / high)))).flat(),
  ).flat();
}

const monochrome = (colour: number) => (colour === 0 ? [255, 255, 255] : [0, 0, 0]);

const degas = (mode: Mode, palette = mode === HIGH ? words(0x777, ...new Array<number>(15).fill(0)) : ST_PALETTE) =>
  Buffer.concat([words(mode.number), palette, screen(mode, pattern(mode))]);

/** Packs every row of every plane by PackBits, with literals only where nothing repeats. */
function packRows(mode: Mode): Buffer {
  const memory = screen(mode, pattern(mode));
  const columns = mode.width / 8;
  const out: number[] = [];
  for (let y = 0; y < mode.height; y++) {
    for (let plane = 0; plane < mode.planes; plane++) {
      const row = Array.from({ length: columns }, (_, column) => {
        return memory[y * columns * mode.planes + ((column >> 1) * mode.planes + plane) * 2 + (column & 1)]!;
      });
      for (let at = 0; at < columns; ) {
        let count = 1;
        while (row[at + count] === row[at]) count++;
        if (count > 1) out.push(257 - count, row[at]!);
        else out.push(0, row[at]!);
        at += count;
      }
    }
  }
  return Buffer.from(out);
}

test('Degas: reads three resolutions and doubles the lines of medium', async () => {
  for (const mode of MODES) {
    const file = degas(mode);
    assert.ok(isDegas(file));
    const { data } = await readBitmap(degasReader, file);
    assertSameBytes(data, expected(mode, pattern(mode), mode === HIGH ? monochrome : stRgb), String(mode.number));
    assert.ok(isDegas(Buffer.concat([file, Buffer.alloc(32)])), 'with the animation of Elite');
    assert.ok(!isDegas(Buffer.concat([file, Buffer.alloc(31)])));
  }
});

test('Degas: reads packed files', async () => {
  // The rows of this pattern hardly repeat. Packed, it would exceed any real file, so the test mixes in flat parts.
  for (const mode of MODES) {
    const flat: Pixels = (x, y) => (y % 3 === 0 ? pattern(mode)(x, y) : y & ((1 << mode.planes) - 1));
    const memory = screen(mode, flat);
    const columns = mode.width / 8;
    const rows: number[] = [];
    for (let y = 0; y < mode.height; y++) {
      for (let plane = 0; plane < mode.planes; plane++) {
        const row = Array.from({ length: columns }, (_, column) => {
          return memory[y * columns * mode.planes + ((column >> 1) * mode.planes + plane) * 2 + (column & 1)]!;
        });
        if (row.every((byte) => byte === row[0])) rows.push(257 - columns, row[0]!);
        else rows.push(columns - 1, ...row);
      }
    }
    const palette = mode === HIGH ? words(0x777, ...new Array<number>(15).fill(0)) : ST_PALETTE;
    const file = Buffer.concat([words(0x8000 | mode.number), palette, Buffer.from(rows)]);
    assert.ok(isDegas(file));
    const { data } = await readBitmap(degasReader, file);
    assertSameBytes(data, expected(mode, flat, mode === HIGH ? monochrome : stRgb), String(mode.number));
    assert.ok(!isDegas(file.subarray(0, -1)), 'cut short');
  }
});

test('reads the four bits per channel of an STE, the lowest one on top', async () => {
  const colours = Array.from({ length: 16 }, (_, level) => ((level >> 1) | ((level & 1) << 3)) * 0x111);
  const { data } = await readBitmap(degasReader, degas(LOW, words(...colours)));
  const ste = (level: number) => [level * 17, level * 17, level * 17];
  assertSameBytes(data, expected(LOW, pattern(LOW), ste));
});

test('inverts monochrome by the lowest bit of the palette, if there is a palette', async () => {
  const inverted = await readBitmap(degasReader, degas(HIGH, words(0x770, ...new Array<number>(15).fill(0x777))));
  assert.deepEqual([...inverted.data.subarray(0, 3)], [0, 0, 0]);
  const empty = await readBitmap(degasReader, degas(HIGH, Buffer.alloc(32)));
  assert.deepEqual([...empty.data.subarray(0, 3)], [255, 255, 255]);
});

test('NEOchrome: reads files', async () => {
  const header = Buffer.concat([words(0, 0), ST_PALETTE, Buffer.from('COW     .NEO'), Buffer.alloc(80)]);
  const file = Buffer.concat([header, screen(LOW, pattern(LOW))]);
  assert.ok(isNeochrome(file));
  assertSameBytes((await readBitmap(neochromeReader, file)).data, expected(LOW, pattern(LOW)));
  assert.ok(!isNeochrome(file.subarray(1)));
  assert.ok(!isNeochrome(Buffer.from(file).fill(1, 0, 1)), 'a flag that is never set');
});

/** Three palettes for each line but the first. The colour of a pixel encodes its palette. */
const spectrumColour = (line: number, palette: number, colour: number) =>
  colour === 0 || colour === 15 ? 0 : ((line % 8) << 8) | (palette << 4) | (colour % 8);

const spectrumPalettes = Array.from({ length: 199 }, (_, line) =>
  Array.from({ length: 48 }, (_, at) => spectrumColour(line, at >> 4, at & 15)),
);

/** Returns the palette of a pixel: where the three palettes of a line meet, by the document "ST Picture Formats". */
function paletteOf(x: number, colour: number): number {
  const first = colour % 2 === 1 ? 10 * colour - 5 : 10 * colour + 1;
  if (x < first) return 0;
  return x >= first + 160 ? 2 : 1;
}

const spectrumPixels: Pixels = (x, y) => (y === 0 ? 0 : (x + y) % 15);
const spectrumExpected = expected(
  { ...LOW },
  (x, y) => (y << 9) | x,
  (place) => {
    const [x, y] = [place & 511, place >> 9];
    if (y === 0) return [0, 0, 0];
    const colour = spectrumPixels(x, y);
    const value = spectrumColour(y - 1, paletteOf(x, colour), colour);
    return [value >> 8, (value >> 4) & 7, value & 7].map(eighth);
  },
);

test('Spectrum 512: reads three palettes per line', async () => {
  const file = Buffer.concat([screen(LOW, spectrumPixels), words(...spectrumPalettes.flat())]);
  assert.ok(isSpectrum512(file));
  assertSameBytes((await readBitmap(spectrum512Reader, file)).data, spectrumExpected);
  assert.ok(!isSpectrum512(file.subarray(1)));
});

function runAt(bytes: readonly number[], at: number): number {
  let count = 1;
  while (count < 130 && bytes[at + count] === bytes[at]) count++;
  return count;
}

/** Planes packed by bytes; palettes without their black colours. */
function spectrumPacked(): Buffer {
  const memory = screen(LOW, spectrumPixels);
  const packed: number[] = [];
  const plane = (number: number) =>
    Array.from({ length: 199 * 40 }, (_, at) => {
      const [line, column] = [1 + Math.floor(at / 40), at % 40];
      return memory[line * 160 + ((column >> 1) * 4 + number) * 2 + (column & 1)]!;
    });
  const bytes = [0, 1, 2, 3].flatMap(plane);
  for (let at = 0; at < bytes.length; ) {
    const run = runAt(bytes, at);
    if (run >= 3) {
      packed.push(258 - run, bytes[at]!);
      at += run;
      continue;
    }
    let end = at + 1;
    while (end < bytes.length && end - at < 128 && runAt(bytes, end) < 3) end++;
    packed.push(end - at - 1, ...bytes.slice(at, end));
    at = end;
  }
  if (packed.length & 1) packed.push(0);
  const colours = spectrumPalettes.flatMap((line) =>
    [0, 16, 32].flatMap((start) => {
      const palette = line.slice(start, start + 16);
      const vector = palette.reduce((bits, colour, index) => bits | (colour ? 1 << index : 0), 0);
      return [vector, ...palette.filter((colour) => colour)];
    }),
  );
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(packed.length);
  lengths.writeUInt32BE(colours.length * 2, 4);
  return Buffer.concat([Buffer.from('SP\0\0'), lengths, Buffer.from(packed), words(...colours)]);
}

test('Spectrum 512: reads packed files', async () => {
  const file = spectrumPacked();
  assert.ok(isSpectrum512(file));
  assertSameBytes((await readBitmap(spectrum512Reader, file)).data, spectrumExpected);
  assert.ok(!isSpectrum512(file.subarray(0, -1)));
});

/** Writes columns of words, with each kind of control byte. */
function tiny(mode: Mode, animated: boolean): Buffer {
  const memory = screen(mode, pattern(mode));
  const order = Array.from({ length: 16_000 }, (_, at) => {
    const [plane, column, line] = [Math.floor(at / 4000), Math.floor(at / 200) % 20, at % 200];
    return memory.readUInt16BE((line * 80 + column * 4 + plane) * 2);
  });
  const control: number[] = [];
  const data: number[] = [];
  for (let at = 0; at < order.length; ) {
    let run = 1;
    while (at + run < order.length && order[at + run] === order[at]) run++;
    if (run >= 2) {
      if (run < 128) control.push(run);
      else control.push(0, run >> 8, run & 255);
      data.push(order[at]!);
      at += run;
      continue;
    }
    let literal = 1;
    while (at + literal < order.length && order[at + literal] !== order[at + literal + 1] && literal < 300) literal++;
    if (literal < 128) control.push(256 - literal);
    else control.push(1, literal >> 8, literal & 255);
    data.push(...order.slice(at, at + literal));
    at += literal;
  }
  return Buffer.concat([
    Buffer.from(animated ? [mode.number + 3, 0x12, 5, 0, 9] : [mode.number]),
    mode === HIGH ? words(0x777, ...new Array<number>(15).fill(0)) : ST_PALETTE,
    words(control.length, data.length),
    Buffer.from(control),
    words(...data),
  ]);
}

test('Tiny: reads three resolutions, with and without animation', async () => {
  for (const mode of MODES) {
    for (const animated of [false, true]) {
      const file = tiny(mode, animated);
      assert.ok(isTiny(file));
      const { data } = await readBitmap(tinyReader, file);
      assertSameBytes(data, expected(mode, pattern(mode), mode === HIGH ? monochrome : stRgb));
    }
  }
  const file = Buffer.from(tiny(LOW, false));
  assert.ok(!isTiny(file.subarray(0, -2)));
  assert.ok(!isTiny(Buffer.from(file).fill(6, 0, 1)), 'an unknown resolution');
});

test('enforces the limits of pixels and pages', async () => {
  const file = degas(MEDIUM);
  assert.deepEqual((await probeWith(degasReader, file)).height, 400);
  await assert.rejects(decodeWith(degasReader, file, { maxPixels: 640 * 400 - 1 }), { code: 'image_too_large' });
  await assert.rejects(probeWith(degasReader, file, { page: 2 }), { code: 'page_out_of_range' });
  await assert.rejects(probeWith(degasReader, file.subarray(1)), { code: 'corrupt_image' });
});

const IMAGE = Buffer.concat([
  Buffer.from('P6\n320 200\n7\n'),
  Buffer.from(Array.from({ length: 320 * 200 }, (_, at) => [(at >> 3) & 3, (at >> 9) & 1, (at >> 12) & 1]).flat()),
]);

for (const [writer, reader, extension] of [
  ['ppmtopi1', degasReader, 'pi1'],
  ['ppmtoneo', neochromeReader, 'neo'],
] as const) {
  test(`reads what ${writer} writes`, { skip: skipWithout(writer) }, async () => {
    // Writes to a file: ppmtoneo omits its gaps if it cannot seek.
    const file = await withFolder(async (folder) => {
      const path = join(folder, `image.${extension}`);
      const output = openSync(path, 'w');
      execFileSync(findProgram(writer)!, { input: IMAGE, stdio: ['pipe', output, 'ignore'] });
      closeSync(output);
      return readFileSync(path);
    });
    const { data } = await readBitmap(reader, file, { extension });
    assertSameBytes(data, [...IMAGE.subarray(13)].map(eighth));
  });
}

test('returns an image or a failure for damaged files', async () => {
  // The damage is mostly near the start, where it breaks the counts of the packed formats.
  const packed = Buffer.concat([words(0x8001), ST_PALETTE, packRows(MEDIUM)]);
  const counts = [
    await readDamaged(degasReader, [degas(LOW)], 40),
    await readDamaged(degasReader, [packed], 60),
    await readDamaged(spectrum512Reader, [spectrumPacked()], 60),
    await readDamaged(tinyReader, [tiny(LOW, true)], 60),
  ];
  assert.ok(
    counts.every((readable) => readable > 5 * TRIED_PART),
    String(counts),
  );
});
