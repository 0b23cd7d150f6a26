/**
 * No operation holds more decoded bytes at a time than the limit per request. Larger images are refused from the
 * header.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import type { Engine } from '../../../engine/engine.ts';
import { compressParams } from '../../../engine/operations/compress/params.ts';
import { faviconParams } from '../../../engine/operations/favicon/params.ts';
import { idPhotoParams } from '../../../engine/operations/id-photo/params.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import { createPool } from '../../../engine/pool.ts';
import { DEFAULT_LIMITS } from '../../../engine/settings.ts';
import { compress, ownBuffer } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { blurInput } from '../blur-faces/support.ts';
import { gifInput } from '../gif/support.ts';
import { stepsOf } from '../pipeline/support.ts';

const MiB = 2 ** 20;
const LIMIT = 64 * MiB;
const PROFILE_SIGNATURE_AT = 36;

/** Writes a run-length coded bitmap that contains only one row. */
function rleBitmap(side: number): Buffer {
  const pixels = Buffer.from([10, 5, 0, 0, 0, 1]);
  const file = Buffer.alloc(14 + 40 + 1024 + pixels.length);
  file.write('BM', 'latin1');
  file.writeUInt32LE(14 + 40 + 1024, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(side, 18);
  file.writeInt32LE(side, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(8, 28);
  file.writeUInt32LE(1, 30);
  pixels.copy(file, file.length - pixels.length);
  return file;
}

/** Writes a GIF screen with one small image. */
function gifScreen(side: number): Buffer {
  const header = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
  header.writeUInt16LE(side, 6);
  header.writeUInt16LE(side, 8);
  return Buffer.concat([header, Buffer.from('2c00000000010001000002024401003b', 'hex')]);
}

describe('with a limit of 64 MiB', () => {
  let pool: Engine;
  before(async () => {
    pool = await createPool({ workers: 1, limits: { ...DEFAULT_LIMITS, decodedBytes: LIMIT }, warmThreads: false });
  });
  after(() => pool.close());

  const image = (bytes: Uint8Array) => ({ data: ownBuffer(bytes) });
  const operations: Record<string, (bytes: Uint8Array) => Promise<unknown>> = {
    compress: (bytes) =>
      pool.run('compress', { image: image(bytes), params: compressParams.extend(sourceParams.shape).parse({}) }),
    inspect: (bytes) => pool.run('inspect', { image: image(bytes), params: { page: 1 } }),
    gif: (bytes) => pool.run('gif', gifInput(bytes)),
    favicon: (bytes) =>
      pool.run('favicon', { image: image(bytes), params: faviconParams.extend(sourceParams.shape).parse({}) }),
    'id-photo': (bytes) =>
      pool.run('id-photo', {
        image: image(bytes),
        params: idPhotoParams.extend(sourceParams.shape).parse({ width: 300, height: 400 }),
      }),
    'blur-faces': (bytes) => pool.run('blur-faces', blurInput(bytes, { boxes: '1,1,5,5' })),
    pipeline: (bytes) =>
      pool.run('pipeline', {
        image: image(bytes),
        params: { steps: stepsOf([{ op: 'resize', params: { width: 100 } }]), maxPixels: 100_000_000 },
      }),
  };

  // The pixels alone would fit: 16 million, with three and four bytes each.
  const sources = { 'a bitmap of run lengths': rleBitmap(4000), 'a GIF screen': gifScreen(4000) };
  for (const [what, bytes] of Object.entries(sources)) {
    for (const [name, run] of Object.entries(operations)) {
      test(`${name} rejects ${what} that would exceed it with its buffers, before it allocates`, async () => {
        const before = pool.stats().wasmBytes;
        const { message } = await failureOf('image_too_large', () => run(bytes));
        assert.match(message, /^Expected at most 67108864 bytes of decoded pixels for image/);
        if (before > 0) assert.equal(pool.stats().wasmBytes, before);
      });
    }
  }

  test('every operation accepts an image that fits', async () => {
    for (const run of Object.values(operations)) await run(rleBitmap(300));
  });

  test('a second image has the same limit', async () => {
    const params = compressParams.extend(sourceParams.shape).parse({});
    const watermark = image(rleBitmap(4000));
    const failure = await failureOf('image_too_large', () =>
      pool.run('compress', { image: image(rleBitmap(10)), watermark, params }),
    );
    assert.match(failure.message, /bytes of decoded pixels for watermark_image/);
  });

  test('memory that the encoder uses outside libvips counts', async () => {
    const params = (format: string) => compressParams.extend(sourceParams.shape).parse({ format, mode: 'quality' });
    const source = rleBitmap(1600);
    const run = (format: string) => pool.run('compress', { image: image(source), params: params(format) });
    assert.equal((await run('jpeg')).format, 'jpeg');
    await failureOf('image_too_large', () => run('avif'));
  });
});

test('a damaged colour profile is an error of the file, in JPEG XL too', async () => {
  const file = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
    .withIccProfile('p3')
    .avif()
    .toBuffer();
  const whole = await compress(file, { format: 'jxl', metadata: 'keep' });
  assert.equal(whole.format, 'jxl');
  // Changes a byte in the profile's tag table.
  const at = file.indexOf('acsp', 'latin1') - PROFILE_SIGNATURE_AT + 190;
  file.writeUInt16BE(file.readUInt16BE(at) ^ 0xffff, at);
  const failure = await failureOf('corrupt_image', () => compress(file, { format: 'jxl', metadata: 'keep' }));
  assert.match(failure.message, /ICC profile/);
});
