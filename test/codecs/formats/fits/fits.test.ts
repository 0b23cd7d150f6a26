import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reader as fitsReader } from '../../../../codecs/formats/fits/read.ts';
import { failureOf } from '../../../support/failure.ts';
import { probeWith, readBitmap, readDamaged } from '../../../support/readers.ts';

const BLOCK = 2880;
const pad = (bytes: Buffer, fill: number) =>
  Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK, fill)]);

/** Writes one header and data unit (FITS 4.0, sections 3 and 4). */
function unit(cards: Record<string, string | number>, data: Buffer): Buffer {
  const lines = Object.entries(cards).map(([name, value]) =>
    `${name.padEnd(8)}= ${String(value).padStart(20)}`.padEnd(80),
  );
  return Buffer.concat([pad(Buffer.from(`${lines.join('')}${'END'.padEnd(80)}`, 'latin1'), 0x20), pad(data, 0)]);
}

function axes(bitpix: number, ...sides: number[]): Record<string, string | number> {
  const named = sides.map((side, index) => [`NAXIS${index + 1}`, side] as const);
  return { BITPIX: bitpix, NAXIS: sides.length, ...Object.fromEntries(named) };
}

const primary = (bitpix: number, sides: number[], data: Buffer, more: Record<string, string | number> = {}) =>
  unit({ SIMPLE: 'T', ...axes(bitpix, ...sides), ...more }, data);

function values(bitpix: number, numbers: readonly number[]): Buffer {
  const bytes = Math.abs(bitpix) / 8;
  const data = Buffer.alloc(numbers.length * bytes);
  for (const [index, number] of numbers.entries()) {
    const at = index * bytes;
    if (bitpix === 8) data.writeUInt8(number, at);
    else if (bitpix === 16) data.writeInt16BE(number, at);
    else if (bitpix === 32) data.writeInt32BE(number, at);
    else if (bitpix === 64) data.writeBigInt64BE(BigInt(number), at);
    else if (bitpix === -32) data.writeFloatBE(number, at);
    else data.writeDoubleBE(number, at);
  }
  return data;
}

test('reads bytes as levels, the lowest row first', async () => {
  const bitmap = await readBitmap(fitsReader, primary(8, [2, 2], values(8, [1, 2, 3, 4])));
  assert.deepEqual([bitmap.channels, ...bitmap.data], [1, 3, 4, 1, 2]);
});

test('scales all other values from black to white', async () => {
  for (const bitpix of [16, 32, 64, -32, -64]) {
    const bitmap = await readBitmap(fitsReader, primary(bitpix, [3, 1], values(bitpix, [-100, 0, 100])));
    assert.deepEqual([...bitmap.data], [0, 32_768, 65_535], String(bitpix));
  }
});

test('reads black, white and the scale of the values from the header', async () => {
  const data = values(16, [-32_768, 0, 32_767]);
  const limits = { BZERO: '32768.', BSCALE: '1.0D0', DATAMIN: 0, DATAMAX: '131070 / wide' };
  const bitmap = await readBitmap(fitsReader, primary(16, [3, 1], data, limits));
  assert.deepEqual([...bitmap.data], [0, 16_384, 32_768]);
});

test('reads missing values as black, without a change of other colours', async () => {
  const floats = await readBitmap(fitsReader, primary(-32, [4, 1], values(-32, [Number.NaN, 1, 3, Infinity])));
  assert.deepEqual([...floats.data], [0, 0, 65_535, 65_535]);
  const blank = await readBitmap(fitsReader, primary(16, [3, 1], values(16, [-9999, 5, 7]), { BLANK: -9999 }));
  assert.deepEqual([...blank.data], [0, 0, 65_535]);
});

test('reads three planes as one colour image, and other numbers as pages', async () => {
  const colour = await readBitmap(fitsReader, primary(8, [1, 1, 3], values(8, [10, 20, 30])));
  assert.deepEqual([colour.channels, ...colour.data], [3, 10, 20, 30]);
  const cube = primary(8, [1, 1, 2, 2], values(8, [10, 20, 30, 40]));
  assert.equal((await probeWith(fitsReader, cube)).pages, 4);
  assert.deepEqual([...(await readBitmap(fitsReader, cube, { page: 3 })).data], [30]);
  await failureOf('page_out_of_range', () => probeWith(fitsReader, cube, { page: 5 }));
});

test('reads the images in the extensions after an empty primary array as pages', async () => {
  const table = unit({ XTENSION: "'BINTABLE'", ...axes(8, 4, 2), PCOUNT: 6, GCOUNT: 1 }, Buffer.alloc(14));
  const image = unit({ XTENSION: "'IMAGE   '", ...axes(8, 2, 1), PCOUNT: 0, GCOUNT: 1 }, values(8, [8, 9]));
  const file = Buffer.concat([primary(8, [], Buffer.alloc(0)), table, image, image]);
  assert.equal((await probeWith(fitsReader, file)).pages, 2);
  assert.deepEqual([...(await readBitmap(fitsReader, file, { page: 2 })).data], [8, 9]);
});

test('keeps the rows of a file that ends early', async () => {
  const whole = primary(8, [100, 100], Buffer.alloc(10_000, 200));
  const bitmap = await readBitmap(fitsReader, whole.subarray(0, BLOCK + 150));
  assert.equal(bitmap.truncated, true);
  assert.deepEqual([bitmap.data[9_900], bitmap.data[0]], [200, 0]);
});

test('rejects a missing array, compressed arrays and too many pixels', async () => {
  await failureOf('corrupt_image', () => probeWith(fitsReader, primary(8, [], Buffer.alloc(0))));
  const compressed = unit({ XTENSION: "'BINTABLE'", ...axes(8, 4, 2), ZIMAGE: 'T' }, Buffer.alloc(8));
  const file = Buffer.concat([primary(8, [], Buffer.alloc(0)), compressed]);
  await failureOf('unsupported_format', () => probeWith(fitsReader, file));
  const large = primary(8, [10, 10], Buffer.alloc(100));
  await failureOf('image_too_large', () => readBitmap(fitsReader, large, { maxPixels: 99 }));
});

test('returns a failure or an image of the declared size for damaged files', async () => {
  const seeds = [
    primary(
      -32,
      [6, 5, 2],
      values(
        -32,
        Array.from({ length: 60 }, (_, index) => index),
      ),
    ),
  ];
  await readDamaged(fitsReader, seeds, 300);
});
