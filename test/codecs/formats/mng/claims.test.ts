import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { mngClaims } from '../../../../codecs/formats/mng/claims.ts';
import { magickReader } from '../../../../codecs/magick/read.ts';
import { failureOf } from '../../../support/failure.ts';
import { probeWith } from '../../../support/readers.ts';

const u32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
};

function chunk(type: string, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), ...content]);
  return Buffer.concat([u32(body.length - 4), body, u32(crc32(body))]);
}

const [WIDTH, HEIGHT] = [8, 4];
const GREY = Uint8Array.of(8, 0, 0, 0, 0);

const frame = (width = WIDTH, height = HEIGHT): Buffer =>
  Buffer.concat([
    chunk('IHDR', u32(width, height), GREY),
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height))),
    chunk('IEND'),
  ]);
const mng = (width: number, height: number, ...chunks: readonly Uint8Array[]): Buffer =>
  Buffer.concat([
    Buffer.from('\x8aMNG\r\n\x1a\n', 'latin1'),
    chunk('MHDR', u32(width, height, 25, 0, 0, 0, 0)),
    ...chunks,
    chunk('MEND'),
  ]);
const loop = (rounds: number, ...chunks: readonly Uint8Array[]): Buffer =>
  Buffer.concat([chunk('LOOP', Uint8Array.of(0), u32(rounds)), ...chunks, chunk('ENDL', Uint8Array.of(0))]);

const PIXELS = WIDTH * HEIGHT;

describe('the pixels that an MNG declares', () => {
  test('are those of its frames, each at least as large as the screen', () => {
    assert.equal(mngClaims(mng(WIDTH, HEIGHT, frame(), frame(1, 1))), 2 * PIXELS);
    assert.equal(mngClaims(mng(1, 1, frame())), PIXELS);
    assert.equal(mngClaims(mng(0xffffffff, 0xffffffff, frame())), 0xffffffff ** 2);
  });

  test('are multiplied by the counts of its loops, also nested ones', () => {
    assert.equal(mngClaims(mng(WIDTH, HEIGHT, loop(5, frame(), loop(7, frame())), frame())), (5 + 35 + 1) * PIXELS);
    assert.equal(mngClaims(mng(WIDTH, HEIGHT, loop(0, frame()))), PIXELS);
  });

  test('are those before the end of a truncated file', () => {
    const whole = mng(WIDTH, HEIGHT, frame(), frame());
    for (let end = 0; end < whole.length; end++) assert.ok(mngClaims(whole.subarray(0, end)) <= 2 * PIXELS);
    assert.equal(mngClaims(Buffer.alloc(0)), 0);
  });

  test('are rejected when there are too many, before a loop runs', async () => {
    const { width, height, pages } = await probeWith(magickReader('mng'), mng(WIDTH, HEIGHT, frame(), frame()));
    assert.deepEqual({ width, height, pages }, { width: WIDTH, height: HEIGHT, pages: 2 });
    for (const file of [
      mng(WIDTH, HEIGHT, loop(0x7fffffff, frame())),
      mng(60_000, 60_000, frame()),
      mng(10_000, 10_000, frame(), frame(), frame()),
    ]) {
      await failureOf('image_too_large', () => probeWith(magickReader('mng'), file));
    }
  });
});
