/** ZX Spectrum, MSX, Apple II and 8-bit Atari screens, and how the reader distinguishes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isApple2 } from '../../../codecs/formats/apple2/read.ts';
import { isAtari8 } from '../../../codecs/formats/atari8/read.ts';
import { loadCodec } from '../../../codecs/formats/codecs.ts';
import { isMsx } from '../../../codecs/formats/msx/read.ts';
import { FORMATS, INPUT_FORMATS } from '../../../codecs/formats/registry.ts';
import { isZxScreen } from '../../../codecs/formats/zxscreen/read.ts';
import { TRIED_PART } from '../../support/damage.ts';
import { probeWith, readBitmap, readDamaged } from '../../support/readers.ts';

const recogniseScreen = (extension: string, bytes: Uint8Array) =>
  INPUT_FORMATS.find(
    (id) => FORMATS[id].extensions.includes(extension) && FORMATS[id].matchesNamed?.(bytes, extension),
  );

const apple2Reader = (await loadCodec('apple2')).reader!;
const atari8Reader = (await loadCodec('atari8')).reader!;
const msxReader = (await loadCodec('msx')).reader!;
const zxscreenReader = (await loadCodec('zxscreen')).reader!;

/** Returns the colour of a pixel as 0xRRGGBB. */
function at({ data, width }: { data: Uint8Array | Uint16Array; width: number }, x: number, y: number): number {
  const from = (y * width + x) * 3;
  return (data[from]! << 16) | (data[from + 1]! << 8) | data[from + 2]!;
}

test('ZX Spectrum: reads thirds, cells and bright colours', async () => {
  const file = Buffer.alloc(6912);
  // The second line of the first row of characters, and the first line of the second third.
  file[256] = 0b10000000;
  file[2048 + 31] = 0b00000001;
  // Red on green; bright yellow on blue. Flashing cells are drawn without flashing.
  file[6144] = 0b00100010;
  file[6144 + 8 * 32 + 31] = 0b11001110;
  assert.ok(isZxScreen(file));
  const bitmap = await readBitmap(zxscreenReader, file);
  assert.deepEqual([bitmap.width, bitmap.height], [256, 192]);
  assert.deepEqual([at(bitmap, 0, 1), at(bitmap, 1, 1), at(bitmap, 0, 0)], [0xd80000, 0x00d800, 0x00d800]);
  assert.deepEqual([at(bitmap, 255, 64), at(bitmap, 254, 64)], [0xffff00, 0x0000ff]);
  assert.equal(at(bitmap, 100, 100), 0, 'black on black');
});

test('ZX Spectrum: reads a file without colours as black on white', async () => {
  const bitmap = await readBitmap(zxscreenReader, Buffer.alloc(6144).fill(0x80, 0, 1));
  assert.deepEqual([at(bitmap, 0, 0), at(bitmap, 1, 0)], [0x000000, 0xd8d8d8]);
});

test('Timex: reads colours for each line, and 512 pixels per line', async () => {
  const lines = Buffer.alloc(12_288);
  lines[256] = 0xf0;
  lines[6144 + 256] = 0b01010011;
  const colours = await readBitmap(zxscreenReader, lines);
  assert.deepEqual([at(colours, 0, 1), at(colours, 4, 1), at(colours, 0, 0)], [0xff00ff, 0xff0000, 0x000000]);
  const wide = Buffer.alloc(12_289);
  wide[1] = 0x80;
  wide[6144] = 0x01;
  wide[12_288] = 0b00001110;
  const bitmap = await readBitmap(zxscreenReader, wide);
  assert.deepEqual([bitmap.width, bitmap.height], [512, 384]);
  const [blue, yellow] = [0x0000ff, 0xffff00];
  assert.deepEqual(
    [15, 16, 14].map((x) => at(bitmap, x, 0)),
    [blue, blue, yellow],
  );
  assert.deepEqual(
    [15, 16, 14].map((x) => at(bitmap, x, 1)),
    [blue, blue, yellow],
  );
  assert.equal(at(bitmap, 15, 2), yellow);
});

/** Writes video memory from address 0, as BSAVE does. */
function bsave(memory: Buffer): Buffer {
  const header = Buffer.from([0xfe, 0, 0, 0, 0, 0, 0]);
  header.writeUInt16LE(memory.length - 1, 3);
  return Buffer.concat([header, memory]);
}

const third = (value: number) => Math.round((value * 255) / 7);
const rgb3 = (red: number, green: number, blue: number) => (third(red) << 16) | (third(green) << 8) | third(blue);

test('MSX screen 2: reads patterns, names and colours', async () => {
  const memory = Buffer.alloc(0x3800);
  // In the second third, character 5 of row 9 is pattern 3, whose line 2 has two pixels of light red on dark blue.
  memory[0x1800 + 9 * 32 + 5] = 3;
  memory[0x800 + 3 * 8 + 2] = 0b11000000;
  memory[0x2000 + 0x800 + 3 * 8 + 2] = 0x94;
  const file = bsave(memory);
  assert.ok(isMsx(file, 'sc2') && isMsx(file, 'grp') && !isMsx(file, 'sc5') && !isMsx(file, ''));
  const bitmap = await readBitmap(msxReader, file, { extension: 'sc2' });
  assert.deepEqual([bitmap.width, bitmap.height], [256, 192]);
  assert.deepEqual(
    [41, 42].map((x) => at(bitmap, x, 74)),
    [rgb3(7, 3, 3), rgb3(1, 1, 7)],
  );
  assert.equal(at(bitmap, 41, 75), 0);
});

test('MSX2: reads bitmap screens, with a stored palette or the default one', async () => {
  const five = Buffer.alloc(0x7680 + 32);
  five[128 + 1] = 0x2f;
  const plain = await readBitmap(msxReader, bsave(five), { extension: 'sc5' });
  assert.deepEqual([plain.width, plain.height], [256, 212]);
  assert.deepEqual([at(plain, 2, 1), at(plain, 3, 1)], [rgb3(1, 6, 1), rgb3(7, 7, 7)]);
  // Sets colour 2 to red 5, green 4, blue 3.
  five.set([0x53, 0x04], 0x7680 + 4);
  const coloured = await readBitmap(msxReader, bsave(five), { extension: 'ge5' });
  assert.deepEqual([at(coloured, 2, 1), at(coloured, 3, 1)], [rgb3(5, 4, 3), 0]);

  const six = Buffer.alloc(27_136);
  six[128] = 0b00011011;
  const narrow = await readBitmap(msxReader, bsave(six), { extension: 'sc6' });
  assert.deepEqual([narrow.width, narrow.height], [512, 424]);
  assert.deepEqual(
    [0, 1, 2, 3].map((x) => at(narrow, x, 3)),
    [0, 0, rgb3(1, 6, 1), rgb3(3, 7, 3)],
  );

  const seven = Buffer.alloc(0xfa80 + 32);
  seven[256] = 0x80;
  seven.set([0x70, 0x02], 0xfa80 + 16);
  const wide = await readBitmap(msxReader, bsave(seven), { extension: 'sc7' });
  assert.deepEqual([wide.width, wide.height, at(wide, 0, 2)], [512, 424, rgb3(7, 2, 0)]);

  const eight = Buffer.alloc(256 * 192);
  eight[256] = 0b11001101;
  const direct = await readBitmap(msxReader, bsave(eight), { extension: 'sc8' });
  assert.deepEqual([direct.width, direct.height, at(direct, 0, 1)], [256, 192, rgb3(3, 6, 2)]);
});

test('MSX: does not recognise other files', () => {
  const file = bsave(Buffer.alloc(27_136));
  assert.ok(isMsx(file, 'sr5'));
  assert.ok(!isMsx(file.subarray(0, 20_000), 'sc5'), 'shorter than it says');
  assert.ok(!isMsx(Buffer.from(file).fill(0xfd, 0, 1), 'sc5'));
  assert.ok(!isMsx(Buffer.from(file).fill(1, 1, 2), 'sc5'), 'from another address');
  assert.ok(!isMsx(file, 'sc7'), 'too few lines');
});

const PURPLE = 0xdd22dd;
const GREEN = 0x11dd00;
const BLUE = 0x2222ff;
const ORANGE = 0xff6600;
const WHITE = 0xffffff;

test('Apple II high resolution: reads colours by column and by the top bit', async () => {
  const file = Buffer.alloc(8192);
  // Line 65 is the second line of the second third.
  const line = 0x400 + 0x28;
  file.set([0b0000001, 0b0000001, 0x80 | 0b0010001, 0x80 | 0b0000001, 0b0000110, 0b0101010], line);
  assert.ok(isApple2(file) && isApple2(file.subarray(0, 8184)) && !isApple2(file.subarray(0, 8191)));
  const bitmap = await readBitmap(apple2Reader, file);
  assert.deepEqual([bitmap.width, bitmap.height], [280, 192]);
  const dots = (from: number, to: number) => Array.from({ length: to - from }, (_, x) => at(bitmap, from + x, 65));
  // A single dot in an even and in an odd column.
  assert.deepEqual(
    [dots(0, 2), dots(7, 9)],
    [
      [PURPLE, 0],
      [GREEN, 0],
    ],
  );
  assert.deepEqual([dots(14, 15), dots(18, 19), dots(21, 22)], [[BLUE], [BLUE], [ORANGE]]);
  assert.deepEqual(dots(28, 32), [0, WHITE, WHITE, 0]);
  // Every second dot is set. The gaps take the same colour.
  assert.deepEqual(dots(36, 41), [PURPLE, PURPLE, PURPLE, PURPLE, PURPLE]);
  assert.equal(at(bitmap, 0, 64), 0);
});

test('Apple II double high resolution: reads dots of both memory banks, four per pixel', async () => {
  // The bytes that the IIe Technical Reference Manual gives for an orange line: auxiliary, main, auxiliary, main.
  const file = Buffer.alloc(16_384);
  file.set([0x4c, 0x33], 0);
  file.set([0x19, 0x66], 8192);
  const bitmap = await readBitmap(apple2Reader, file);
  assert.deepEqual([bitmap.width, bitmap.height], [560, 384]);
  for (let x = 0; x < 28; x++) assert.deepEqual([at(bitmap, x, 0), at(bitmap, x, 1)], [ORANGE, ORANGE], `dot ${x}`);
  assert.deepEqual([at(bitmap, 28, 0), at(bitmap, 0, 2)], [0, 0]);
  const magenta = Buffer.alloc(16_384);
  magenta.set([0x08, 0x22], 0);
  magenta.set([0x11, 0x44], 8192);
  assert.equal(at(await readBitmap(apple2Reader, magenta), 0, 0), 0xdd0033);
});

function superHires(controls: number[]): Buffer {
  const file = Buffer.alloc(32_768);
  file.set(controls, 0x7d00);
  for (let colour = 0; colour < 16; colour++) {
    file.writeUInt16LE(colour * 0x111, 0x7e00 + colour * 2);
    file.writeUInt16LE(0xf00 | colour, 0x7e00 + 3 * 32 + colour * 2);
  }
  return file;
}

test('Apple IIGS: reads a palette per line, and fill mode', async () => {
  const file = superHires([0, 3, 0x20]);
  file.set([0x5a], 0);
  file.set([0x5a], 160);
  file.set([0x50, 0x07], 320);
  const bitmap = await readBitmap(apple2Reader, file);
  assert.deepEqual([bitmap.width, bitmap.height], [320, 200]);
  assert.deepEqual([at(bitmap, 0, 0), at(bitmap, 1, 0)], [0x555555, 0xaaaaaa]);
  assert.deepEqual([at(bitmap, 0, 1), at(bitmap, 1, 1)], [0xff0055, 0xff00aa]);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((x) => at(bitmap, x, 2)),
    [0x555555, 0x555555, 0x555555, 0x777777, 0x777777],
  );
});

test('Apple IIGS: reads lines of 640 pixels among lines of 320', async () => {
  const file = superHires([0x80, 0]);
  file.set([0b00011011], 0);
  file.set([0x5a], 160);
  const bitmap = await readBitmap(apple2Reader, file);
  assert.deepEqual([bitmap.width, bitmap.height], [640, 400]);
  // The third group of four colours, the last, the first, the second.
  for (const y of [0, 1]) {
    assert.deepEqual(
      [0, 1, 2, 3].map((x) => at(bitmap, x, y)),
      [0x888888, 0xdddddd, 0x222222, 0x777777],
    );
  }
  assert.deepEqual(
    [0, 1, 2].map((x) => at(bitmap, x, 2)),
    [0x555555, 0x555555, 0xaaaaaa],
  );
});

test('8-bit Atari: reads graphics 8 and 9, and Micro-Painter in greys', async () => {
  const file = Buffer.alloc(7680);
  file[40] = 0b00011011;
  const expected = {
    gr8: [0, 0, 0, 255, 255, 0, 255, 255],
    mic: [0, 0, 85, 85, 170, 170, 255, 255],
    gr9: [17, 17, 17, 17, 187, 187, 187, 187],
  };
  for (const [extension, levels] of Object.entries(expected)) {
    assert.ok(isAtari8(file, extension));
    const bitmap = await readBitmap(atari8Reader, file, { extension });
    assert.deepEqual([bitmap.width, bitmap.height], [320, 192]);
    assert.deepEqual(
      levels.map((_, x) => at(bitmap, x, 1) & 255),
      levels,
      extension,
    );
  }
  assert.ok(isAtari8(Buffer.alloc(7684), 'mic') && !isAtari8(Buffer.alloc(7684), 'gr8') && !isAtari8(file, ''));
});

test('recognises screens by extension and length', () => {
  const koala = Buffer.alloc(10_003).fill(0x60, 1, 2);
  const art = Buffer.alloc(9009).fill(0x20, 1, 2);
  const cases: [extension: string, bytes: Uint8Array, format: string | undefined][] = [
    ['scr', Buffer.alloc(6912), 'zxscreen'],
    ['scr', Buffer.alloc(6913), undefined],
    ['pi1', Buffer.alloc(32_034), 'degas'],
    ['pi3', Buffer.alloc(32_066), 'degas'],
    ['neo', Buffer.alloc(32_128), 'neochrome'],
    ['spu', Buffer.alloc(51_104), 'spectrum512'],
    ['koa', koala, 'koala'],
    ['gg', koala, 'koala'],
    ['art', art, 'artstudio'],
    ['art', koala, undefined],
    ['dd', Buffer.alloc(9218).fill(0x5c, 1, 2), 'doodle'],
    ['sc5', bsave(Buffer.alloc(27_136)), 'msx'],
    ['hgr', Buffer.alloc(8192), 'apple2'],
    ['dhgr', Buffer.alloc(16_384), 'apple2'],
    ['shr', Buffer.alloc(32_768), 'apple2'],
    ['gr9', Buffer.alloc(7680), 'atari8'],
    ['jpg', Buffer.alloc(6912), undefined],
    ['', Buffer.alloc(6912), undefined],
    ['constructor', Buffer.alloc(6912), undefined],
  ];
  for (const [extension, bytes, format] of cases) assert.equal(recogniseScreen(extension, bytes), format, extension);
  const extensions = ['pi1', 'pc1', 'neo', 'spc', 'tny', 'kla', 'art', 'jj', 'scr', 'sc2', 'sc8', 'hgr', 'mic'];
  for (const extension of extensions) {
    for (let length = 0; length < 200; length++)
      assert.equal(recogniseScreen(extension, Buffer.alloc(length, 0xfe)), undefined);
  }
});

test('returns an image or a failure for damaged files', async () => {
  assert.ok((await readDamaged(zxscreenReader, [Buffer.alloc(6912, 7)], 100)) > 20 * TRIED_PART);
  assert.ok(
    (await readDamaged(msxReader, [bsave(Buffer.alloc(0x3800, 7))], 60, { extension: 'sc2' })) > 5 * TRIED_PART,
  );
  assert.ok(
    (await readDamaged(msxReader, [bsave(Buffer.alloc(27_136, 7))], 60, { extension: 'sc6' })) > 5 * TRIED_PART,
  );
  assert.ok((await readDamaged(apple2Reader, [superHires([0x80])], 60)) > 20 * TRIED_PART);
  assert.ok((await readDamaged(atari8Reader, [Buffer.alloc(7680)], 60, { extension: 'mic' })) > 20 * TRIED_PART);
  await assert.rejects(probeWith(apple2Reader, Buffer.alloc(9)), { code: 'corrupt_image' });
});
