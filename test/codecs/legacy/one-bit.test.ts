/** MSP, WBMP, MacPaint and XBM: the black-and-white formats. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCodec } from '../../../codecs/formats/codecs.ts';
import { isMacPaint } from '../../../codecs/formats/macpaint/read.ts';
import { isXbm } from '../../../codecs/formats/xbm/read.ts';
import { TRIED_PART } from '../../support/damage.ts';
import { decodeWith, probeWith, readBitmap, readDamaged } from '../../support/readers.ts';

const macpaintReader = (await loadCodec('macpaint')).reader!;
const mspReader = (await loadCodec('msp')).reader!;
const wbmpReader = (await loadCodec('wbmp')).reader!;
const xbmReader = (await loadCodec('xbm')).reader!;

/** Returns grey samples of rows of bits; `one` is the level of a 1. */
function grey(rows: readonly string[], one: 0 | 255): number[] {
  return [...rows.join('')].map((bit) => (bit === '1' ? one : 255 - one));
}

function msp(key: string, width: number, height: number, body: number[]): Uint8Array {
  const file = Buffer.alloc(32);
  file.write(key, 'latin1');
  file.writeUInt16LE(width, 4);
  file.writeUInt16LE(height, 6);
  return Buffer.concat([file, Buffer.from(body)]);
}

test('MSP 1: reads 1 as white', async () => {
  const { data } = await readBitmap(mspReader, msp('DanM', 10, 2, [0b10110000, 0x40, 0, 0x80]));
  assert.deepEqual([...data], grey(['1011000001', '0000000010'], 255));
});

test('MSP 2: reads runs, literals and white rows', async () => {
  const lengths = [3, 0, 4, 5];
  const table = lengths.flatMap((length) => [length, 0]);
  const body = [...table, 0, 3, 0xaa, 3, 1, 2, 3, 1, 0x0f, 0, 2, 0xf0];
  const { data, truncated } = await readBitmap(mspReader, msp('LinS', 24, 4, body));
  const bits = (...bytes: number[]) => bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  assert.deepEqual(
    [...data],
    grey([bits(0xaa, 0xaa, 0xaa), bits(255, 255, 255), bits(1, 2, 3), bits(0x0f, 0xf0, 0xf0)], 255),
  );
  assert.equal(truncated, false);
  const cut = await readBitmap(mspReader, msp('LinS', 24, 4, body).subarray(0, -2));
  assert.equal(cut.truncated, true);
  assert.deepEqual([...cut.data.subarray(72)], new Array(24).fill(0), 'what is missing is black');
});

test('WBMP: reads sizes of several bytes, and 1 as white', async () => {
  const file = Buffer.from([0, 0, 0x81, 0x02, 1, ...new Array(16).fill(0xaa), 0x40]);
  const { data, width } = await readBitmap(wbmpReader, file);
  assert.equal(width, 130);
  assert.deepEqual([...data.subarray(0, 4), ...data.subarray(128)], [255, 0, 255, 0, 0, 255]);
});

test('WBMP: rejects corrupt headers', async () => {
  for (const bytes of [
    [1, 0, 8, 1, 0],
    [0, 1, 8, 1, 0],
    [0, 0, 0, 1],
    [0, 0, 0x80],
  ]) {
    await assert.rejects(probeWith(wbmpReader, Buffer.from(bytes)), { code: 'corrupt_image' }, String(bytes));
  }
  await assert.rejects(probeWith(wbmpReader, Buffer.from([0, 0, 0xff, 0xff, 0xff, 0xff, 0x7f, 1])), {
    code: 'corrupt_image',
  });
  const cut = await readBitmap(wbmpReader, Buffer.from([0, 0, 8, 2, 0xff]));
  assert.deepEqual([cut.truncated, cut.data[0], cut.data[8]], [true, 255, 0]);
});

/** Writes black rows, the first with a white stripe. */
function macPaint(macBinary: boolean): Uint8Array {
  const rows = [...[15, ...new Array(16).fill(0x0f), 201, 0xff], ...new Array(719).fill([185, 0xff]).flat()];
  const header = Buffer.alloc(macBinary ? 640 : 512);
  if (macBinary) {
    header[1] = 4;
    header.write('COWSPNTG', 61, 'latin1');
  }
  return Buffer.concat([header, Buffer.from(rows)]);
}

test('MacPaint: reads rows of PackBits, with and without MacBinary', async () => {
  for (const macBinary of [false, true]) {
    const file = macPaint(macBinary);
    assert.ok(isMacPaint(file));
    const { data, width, height } = await readBitmap(macpaintReader, file);
    assert.deepEqual([width, height], [576, 720]);
    assert.deepEqual([...data.subarray(0, 8)], [255, 255, 255, 255, 0, 0, 0, 0]);
    assert.ok(data.subarray(128).every((sample) => sample === 0));
  }
});

test('MacPaint: recognises a file without MacBinary only if its rows have the right length', async () => {
  const file = Buffer.from(macPaint(false));
  assert.ok(!isMacPaint(file.subarray(0, -2)));
  assert.ok(!isMacPaint(Buffer.from(file).fill(9, 3, 4)), 'an unknown version');
  assert.ok(!isMacPaint(Buffer.from(file).fill(1, 400, 401)), 'something after the patterns');
  const cut = await readBitmap(macpaintReader, file.subarray(0, -100));
  assert.equal(cut.truncated, true);
  await assert.rejects(decodeWith(macpaintReader, file.subarray(0, 520)), { code: 'corrupt_image' });
});

const XBM = `#define cat_width 10
#define cat_height 2
#define cat_x_hot 1
/* a comment */
static unsigned char cat_bits[] = {
  0x05, 0X2, 7,
  010 };
`;

test('XBM: reads the lowest bit on the left and 1 as black; hexadecimal, decimal and octal', async () => {
  const { data } = await readBitmap(xbmReader, Buffer.from(XBM));
  assert.deepEqual([...data], grey(['1010000001', '1110000000'], 0));
});

test('XBM: reads the 16-bit numbers of X10', async () => {
  const text = XBM.replace('unsigned char', 'short').replace(/\{[^}]*\}/, '{ 0x0205, 0x0081 }');
  const { data } = await readBitmap(xbmReader, Buffer.from(text));
  assert.deepEqual([...data], grey(['1010000001', '1000000100'], 0));
});

test('XBM: rejects other C source and keeps the pixels of a file that ends early', async () => {
  assert.ok(isXbm(Buffer.from(XBM)));
  assert.ok(!isXbm(Buffer.from(XBM.replace('_width', '_breadth'))));
  assert.ok(!isXbm(Buffer.from(XBM.replace('cat_bits', 'cat'))));
  assert.ok(!isXbm(Buffer.from('#define x_width 1\n'.repeat(5))));
  const cut = await readBitmap(xbmReader, Buffer.from(XBM.slice(0, XBM.indexOf('7,'))));
  assert.deepEqual([cut.truncated, ...cut.data.subarray(0, 3)], [true, 0, 255, 0]);
  await assert.rejects(decodeWith(xbmReader, Buffer.from(XBM), { maxPixels: 19 }), { code: 'image_too_large' });
});

test('XBM: the search for the bits ends for any content', { timeout: 10_000 }, () => {
  for (const text of ['char bits', `char ${'bits'.repeat(5000)}`, 'char '.repeat(5000), `char ${'x'.repeat(20_000)}`]) {
    assert.ok(!isXbm(Buffer.from(text.repeat(3))));
  }
});

test('returns an image or a failure for damaged files', async () => {
  const body = Array.from({ length: 60 }, (_, at) => (at * 83) & 255);
  assert.ok(
    (await readDamaged(mspReader, [msp('DanM', 16, 20, body), msp('LinS', 16, 10, body)], 500)) > 200 * TRIED_PART,
  );
  assert.ok((await readDamaged(wbmpReader, [Buffer.from([0, 0, 0x81, 0x02, 3, ...body])], 500)) > 100 * TRIED_PART);
  assert.ok((await readDamaged(macpaintReader, [macPaint(true)], 60)) > 20 * TRIED_PART);
  assert.ok((await readDamaged(xbmReader, [Buffer.from(XBM)], 500)) > 50 * TRIED_PART);
});
