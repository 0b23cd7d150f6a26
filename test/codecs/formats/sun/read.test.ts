import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCodec } from '../../../../codecs/formats/codecs.ts';
import { TRIED_PART } from '../../../support/damage.ts';
import { decodeWith, probeWith, readBitmap, readDamaged } from '../../../support/readers.ts';

const sunReader = (await loadCodec('sun')).reader!;

interface Recipe {
  width: number;
  height: number;
  bits: number;
  type?: number;
  map?: number[];
  pixels: number[];
}

/** Writes a file by rasterfile(5). */
function sun({ width, height, bits, type = 1, map = [], pixels }: Recipe): Uint8Array {
  const file = Buffer.alloc(32);
  const fields = [0x59a66a95, width, height, bits, pixels.length, type, map.length > 0 ? 1 : 0, map.length];
  for (const [index, field] of fields.entries()) file.writeUInt32BE(field, index * 4);
  return Buffer.concat([file, Buffer.from(map), Buffer.from(pixels)]);
}

test('reads one bit with 1 as black and rows padded to 16 bits', async () => {
  const pixels = [0b10100000, 0x80, 0b11111111, 0];
  const { data, channels } = await readBitmap(sunReader, sun({ width: 9, height: 2, bits: 1, pixels }));
  assert.equal(channels, 1);
  assert.deepEqual([...data], [0, 255, 0, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255]);
});

test('reads eight bits as grey, or as indices into a colour map', async () => {
  const grey = await readBitmap(sunReader, sun({ width: 3, height: 1, bits: 8, pixels: [0, 128, 255, 9] }));
  assert.deepEqual([grey.channels, ...grey.data], [1, 0, 128, 255]);
  const map = [10, 11, 20, 21, 30, 31];
  const mapped = await readBitmap(sunReader, sun({ width: 3, height: 1, bits: 8, map, pixels: [1, 0, 2, 0] }));
  assert.deepEqual([...mapped.data], [11, 21, 31, 10, 20, 30, 0, 0, 0]);
});

test('skips the padding byte of rows of an odd length', async () => {
  const pixels = [1, 2, 3, 99, 4, 5, 6];
  const { data, truncated } = await readBitmap(sunReader, sun({ width: 3, height: 2, bits: 8, pixels }));
  assert.deepEqual([truncated, ...data], [false, 1, 2, 3, 4, 5, 6]);
});

test('reads one and four bits with a colour map', async () => {
  const map = [1, 2, 3, 4, 5, 6];
  const one = await readBitmap(sunReader, sun({ width: 2, height: 1, bits: 1, map, pixels: [0x40, 0] }));
  assert.deepEqual([...one.data], [1, 3, 5, 2, 4, 6]);
  const four = await readBitmap(sunReader, sun({ width: 2, height: 1, bits: 4, map, pixels: [0x10, 0] }));
  assert.deepEqual([...four.data], [2, 4, 6, 1, 3, 5]);
});

test('reads 24 and 32 bits: BGR, RGB in the RGB type, and ignores the first of four bytes', async () => {
  const at = { width: 1, height: 1 };
  const read = async (bits: number, type: number, pixels: number[]) => [
    ...(await readBitmap(sunReader, sun({ ...at, bits, type, pixels }))).data,
  ];
  assert.deepEqual(await read(24, 1, [1, 2, 3, 0]), [3, 2, 1]);
  assert.deepEqual(await read(24, 0, [1, 2, 3, 0]), [3, 2, 1]);
  assert.deepEqual(await read(24, 3, [1, 2, 3, 0]), [1, 2, 3]);
  assert.deepEqual(await read(32, 1, [9, 1, 2, 3]), [3, 2, 1]);
  assert.deepEqual(await read(32, 3, [9, 1, 2, 3]), [1, 2, 3]);
});

test('reads runs that go on in the next row', async () => {
  const pixels = [0x80, 2, 7, 0x80, 0, 5, 0x80, 1, 6];
  const { data, truncated } = await readBitmap(sunReader, sun({ width: 2, height: 3, bits: 8, type: 2, pixels }));
  assert.deepEqual([...data], [7, 7, 7, 0x80, 5, 6]);
  assert.equal(truncated, false);
});

test('keeps the complete rows of a file that ends early', async () => {
  const file = sun({ width: 3, height: 3, bits: 24, pixels: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 11, 12, 13] });
  const { data, truncated } = await readBitmap(sunReader, file);
  assert.equal(truncated, true);
  assert.deepEqual([...data.subarray(0, 9)], [3, 2, 1, 6, 5, 4, 9, 8, 7]);
  assert.ok(data.subarray(9).every((sample) => sample === 0));
  await assert.rejects(decodeWith(sunReader, file.subarray(0, 40)), { code: 'corrupt_image' });
});

test('rejects what it cannot read with the reason', async () => {
  const good = sun({ width: 1000, height: 1000, bits: 8, type: 2, pixels: [0x80, 255, 1] });
  await assert.rejects(decodeWith(sunReader, good, { maxPixels: 999_999 }), { code: 'image_too_large' });
  await assert.rejects(probeWith(sunReader, good, { page: 2 }), { code: 'page_out_of_range' });
  await assert.rejects(probeWith(sunReader, good.subarray(0, 20)), { code: 'corrupt_image' });
  for (const recipe of [{ width: 0 }, { height: 0 }, { bits: 7 }]) {
    const bad = sun({ width: 1, height: 1, bits: 8, pixels: [1, 2], ...recipe });
    await assert.rejects(probeWith(sunReader, bad), { code: 'corrupt_image' });
  }
});

test('returns an image or a failure for damaged files', async () => {
  const pixels = Array.from({ length: 400 }, (_, at) => (at * 37) & 255);
  const seeds = [
    sun({ width: 10, height: 9, bits: 8, type: 2, map: [1, 2, 3, 4, 5, 6], pixels }),
    sun({ width: 10, height: 10, bits: 32, pixels }),
  ];
  assert.ok((await readDamaged(sunReader, seeds, 1000)) > 400 * TRIED_PART);
});
