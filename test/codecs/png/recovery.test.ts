import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inflateSync } from 'node:zlib';
import sharp, { type PngOptions } from 'sharp';
import { latin1 } from '../../../codecs/metadata/bytes.ts';
import { chunk, chunksOf } from '../../../codecs/metadata/png-chunks.ts';
import { recoverPng } from '../../../codecs/png/recovery.ts';
import { filteredBytes, passesOf } from '../../../codecs/png/rows.ts';
import { decode, pattern, sharpOf } from '../../support/test-images.ts';

const WIDTH = 200;
const HEIGHT = 1200;

const written = async (options: PngOptions, channels: 3 | 4 = 3) =>
  new Uint8Array(
    await sharpOf(pattern(WIDTH, HEIGHT, channels))
      .png(options)
      .toBuffer(),
  );

/** Returns how many rows from the top equal the whole image, and whether all rows below are empty. */
async function rowsOf(recovered: Uint8Array, whole: Uint8Array): Promise<{ equal: number; restEmpty: boolean }> {
  const [ours, theirs] = [await decode(recovered), await decode(whole)];
  assert.deepEqual([ours.width, ours.height, ours.channels], [theirs.width, theirs.height, theirs.channels]);
  const pitch = ours.width * ours.channels;
  let equal = 0;
  const row = (data: Uint8Array, y: number) => Buffer.from(data.buffer, data.byteOffset + y * pitch, pitch);
  while (equal < ours.height && row(ours.data, equal).equals(row(theirs.data, equal))) equal += 1;
  // The row in which the file ends may be partly decoded.
  const below = ours.data.subarray((equal + 1) * pitch);
  return { equal, restEmpty: below.every((sample) => sample === 0) };
}

describe('a damaged PNG', () => {
  for (const channels of [3, 4] as const) {
    it(`that ends early keeps its rows and leaves the rest empty, ${channels} channels`, async () => {
      const whole = await written({ compressionLevel: 1 }, channels);
      for (const share of [0.2, 0.6, 0.95]) {
        const { equal, restEmpty } = await rowsOf(await recoverPng(whole.subarray(0, whole.length * share)), whole);
        assert.ok(equal > HEIGHT * (share - 0.2) && equal < HEIGHT, `${equal} rows of ${HEIGHT} at ${share}`);
        assert.ok(restEmpty, `rows of its own below, at ${share}`);
      }
    });
  }

  it('with an error inside keeps the rows before it', async () => {
    const whole = await written({ compressionLevel: 1 });
    const broken = whole.slice();
    broken.fill(0xff, whole.length >> 1, (whole.length >> 1) + 64);
    const { equal } = await rowsOf(await recoverPng(broken), whole);
    assert.ok(equal > HEIGHT * 0.2, `${equal} rows`);
  });

  it('with an invalid deflate block keeps the rows before it', async () => {
    const whole = await written({});
    const data = [...chunksOf(whole)].filter(({ name }) => name === 'IDAT').map((each) => each.data);
    const rows = inflateSync(Buffer.concat(data));
    // Stored blocks of ten rows each, then a last block of the invalid type 3 (RFC 1951, section 3.2.3).
    const bytes = 10 * (1 + 3 * WIDTH);
    const blocks = Array.from({ length: 10 }, (_, index) => {
      const length = Buffer.alloc(5);
      length.writeUInt16LE(bytes, 1);
      length.writeUInt16LE(0xffff - bytes, 3);
      return Buffer.concat([length, rows.subarray(index * bytes, (index + 1) * bytes)]);
    });
    const coded = Buffer.concat([Uint8Array.of(0x78, 1), ...blocks, Uint8Array.of(7), Buffer.alloc(64)]);
    const broken = Buffer.concat([whole.subarray(0, 33), chunk('IDAT', coded), chunk('IEND', new Uint8Array(0))]);
    // Makes the checksum wrong.
    broken[33 + 8 + coded.length]! ^= 1;
    const { equal, restEmpty } = await rowsOf(await recoverPng(broken), whole);
    // A fault costs at most 4096 bytes and the block that begins in them.
    assert.ok(equal >= 80 && equal <= 100 && restEmpty, `${equal} rows`);
  });

  it('with a palette, interlaced or of few bits is completed', async () => {
    for (const options of [{ palette: true, colours: 4 }, { progressive: true }]) {
      const whole = await written(options);
      const { width, height } = await sharp(await recoverPng(whole.subarray(0, whole.length >> 1))).metadata();
      assert.deepEqual([width, height], [WIDTH, HEIGHT]);
      await sharp(await recoverPng(whole.subarray(0, whole.length >> 1)), { failOn: 'truncated' })
        .raw()
        .toBuffer();
    }
  });

  it('without its last chunk gets a new one', async () => {
    const whole = await written({ compressionLevel: 1 });
    const recovered = await recoverPng(whole.subarray(0, -12));
    assert.equal(latin1(recovered.subarray(-8, -4)), 'IEND');
    assert.equal((await rowsOf(recovered, whole)).equal, HEIGHT);
  });

  it('gets exactly the bytes of rows that its size needs', async () => {
    for (const progressive of [false, true]) {
      const whole = await written({ progressive });
      const chunks = [...chunksOf(await recoverPng(whole.subarray(0, whole.length >> 1)))];
      const data = chunks.filter(({ name }) => name === 'IDAT').map((each) => each.data);
      assert.equal(inflateSync(Buffer.concat(data)).length, filteredBytes(passesOf(chunks[0]!.data)));
    }
  });

  it('is returned unchanged if nothing is wrong with it', async () => {
    const whole = await written({});
    assert.equal(await recoverPng(whole), whole);
  });

  it('without a row, or without a header, is rejected', async () => {
    const whole = await written({});
    const start = Buffer.from(whole).indexOf('IDAT') + 4;
    await assert.rejects(recoverPng(whole.subarray(0, start)), { code: 'corrupt_image' });
    await assert.rejects(recoverPng(whole.subarray(0, 20)), { code: 'corrupt_image' });
  });
});
