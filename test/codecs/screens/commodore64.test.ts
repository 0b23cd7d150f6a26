/** Koala Painter, Art Studio and Doodle. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isArtStudio } from '../../../codecs/formats/artstudio/read.ts';
import { loadCodec } from '../../../codecs/formats/codecs.ts';
import { isDoodle } from '../../../codecs/formats/doodle/read.ts';
import { isKoala } from '../../../codecs/formats/koala/read.ts';
import { TRIED_PART } from '../../support/damage.ts';
import { assertSameBytes, decodeWith, readBitmap, readDamaged } from '../../support/readers.ts';

const artstudioReader = (await loadCodec('artstudio')).reader!;
const doodleReader = (await loadCodec('doodle')).reader!;
const koalaReader = (await loadCodec('koala')).reader!;

/** The Colodore palette at its default settings, as published at colodore.com. */
const COLODORE = [
  '000000',
  'ffffff',
  '813338',
  '75cec8',
  '8e3c97',
  '56ac4d',
  '2e2c9b',
  'edf171',
  '8e5029',
  '553800',
  'c46c71',
  '4a4a4a',
  '7b7b7b',
  'a9ff9f',
  '706deb',
  'b2b2b2',
].map((hex) => [...Buffer.from(hex, 'hex')]);

const byte = (at: number) => ((at >> 2) * 37 + (at >> 7)) & 255;
const BITMAP = Buffer.from(Array.from({ length: 8000 }, (_, at) => byte(at)));
const SCREEN = Buffer.from(Array.from({ length: 1000 }, (_, at) => byte(at + 5)));
const COLOURS = Buffer.from(Array.from({ length: 1000 }, (_, at) => byte(at + 9)));
const BACKGROUND = 6;

function expected(colourAt: (x: number, y: number) => number): number[] {
  return Array.from({ length: 320 * 200 }, (_, at) => COLODORE[colourAt(at % 320, Math.floor(at / 320))]!).flat();
}

/** Returns the index of a pixel's cell. A cell has eight bytes; a row has forty cells. */
const cellOf = (x: number, y: number) => (y >> 3) * 40 + (x >> 3);

const MULTICOLOUR = expected((x, y) => {
  const cell = cellOf(x, y);
  const pair = (BITMAP[cell * 8 + (y & 7)]! >> (6 - (x & 6))) & 3;
  return [BACKGROUND, SCREEN[cell]! >> 4, SCREEN[cell]! & 15, COLOURS[cell]! & 15][pair]!;
});

const HIRES = expected((x, y) => {
  const cell = cellOf(x, y);
  return (BITMAP[cell * 8 + (y & 7)]! >> (7 - (x & 7))) & 1 ? SCREEN[cell]! >> 4 : SCREEN[cell]! & 15;
});

const address = (value: number) => Buffer.from([value & 255, value >> 8]);

/** Packs runs of more than three bytes, and the escape byte itself. */
function pack(bytes: Buffer): Buffer {
  const out: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let count = 1;
    while (count < 255 && bytes[at + count] === bytes[at]) count++;
    if (count > 3 || bytes[at] === 0xfe) out.push(0xfe, bytes[at]!, count);
    else out.push(...bytes.subarray(at, at + count));
    at += count;
  }
  return Buffer.from(out);
}

const KOALA = Buffer.concat([BITMAP, SCREEN, COLOURS, Buffer.from([BACKGROUND])]);

test('Koala Painter: reads wide pixels of four colours per cell', async () => {
  const file = Buffer.concat([address(0x6000), KOALA]);
  assert.equal(file.length, 10_003);
  assert.ok(isKoala(file));
  assertSameBytes((await readBitmap(koalaReader, file)).data, MULTICOLOUR);
  assert.ok(isKoala(Buffer.concat([file, Buffer.alloc(109)])), 'the last block of a transfer');
  assert.ok(!isKoala(Buffer.concat([file, Buffer.alloc(110)])));
  assert.ok(!isKoala(Buffer.concat([address(0x4000), KOALA])));
});

test('Koala Painter: reads packed files', async () => {
  const file = Buffer.concat([address(0x6000), pack(KOALA)]);
  assert.ok(file.length < 10_003);
  assertSameBytes((await readBitmap(koalaReader, file)).data, MULTICOLOUR);
  assert.ok(!isKoala(file.subarray(0, -1)));
});

test('Art Studio: reads two colours per cell', async () => {
  for (const rest of [0, 1, 7]) {
    const file = Buffer.concat([address(0x2000), BITMAP, SCREEN, Buffer.alloc(rest)]);
    assert.ok(isArtStudio(file));
    assertSameBytes((await readBitmap(artstudioReader, file)).data, HIRES);
  }
  assert.ok(!isArtStudio(Buffer.concat([address(0x2000), BITMAP, SCREEN, Buffer.alloc(2)])));
  assert.ok(!isArtStudio(Buffer.concat([address(0x2001), BITMAP, SCREEN])));
});

test('Advanced Art Studio: reads files', async () => {
  const file = Buffer.concat([
    address(0x2000),
    BITMAP,
    SCREEN,
    Buffer.from([9, BACKGROUND]),
    Buffer.alloc(14),
    COLOURS,
  ]);
  assert.equal(file.length, 10_018);
  assert.ok(isArtStudio(file));
  assertSameBytes((await readBitmap(artstudioReader, file)).data, MULTICOLOUR);
});

test('Doodle: reads packed and unpacked files', async () => {
  const image = Buffer.concat([SCREEN, Buffer.alloc(24), BITMAP, Buffer.alloc(192)]);
  for (const start of [0x5c00, 0x1c00]) {
    const file = Buffer.concat([address(start), image]);
    assert.equal(file.length, 9218);
    assert.ok(isDoodle(file));
    assertSameBytes((await readBitmap(doodleReader, file)).data, HIRES);
  }
  const packed = Buffer.concat([address(0x5c00), pack(image)]);
  assertSameBytes((await readBitmap(doodleReader, packed)).data, HIRES);
  assert.ok(!isDoodle(Buffer.concat([address(0x5c00), image, Buffer.alloc(1)])));
  assert.ok(!isDoodle(packed.subarray(0, 4000)));
});

test('enforces the limits', async () => {
  const file = Buffer.concat([address(0x6000), KOALA]);
  await assert.rejects(decodeWith(koalaReader, file, { maxPixels: 63_999 }), { code: 'image_too_large' });
  await assert.rejects(decodeWith(koalaReader, file.subarray(0, 100)), { code: 'corrupt_image' });
});

test('returns an image or a failure for damaged files', async () => {
  assert.ok((await readDamaged(koalaReader, [Buffer.concat([address(0x6000), pack(KOALA)])], 100)) > 5 * TRIED_PART);
  assert.ok((await readDamaged(doodleReader, [Buffer.concat([address(0x5c00), pack(KOALA)])], 100)) > 5 * TRIED_PART);
  assert.ok(
    (await readDamaged(artstudioReader, [Buffer.concat([address(0x2000), BITMAP, SCREEN])], 100)) > 5 * TRIED_PART,
  );
});
