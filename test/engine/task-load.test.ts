import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { manyScansJpeg, repeatedScansJpeg } from '../../bench/bombs/jpeg.ts';
import { WEBP_BOMBS } from '../../bench/bombs/webp.ts';
import { compressParams } from '../../engine/operations/compress/params.ts';
import { DEFAULT_LIMITS } from '../../engine/settings.ts';
import type { TaskInput, TaskName } from '../../engine/task.ts';
import { loadOf } from '../../engine/task-load.ts';
import { blankPng } from '../support/blank-png.ts';
import { compress, ownBuffer } from '../support/engine.ts';
import { failureOf } from '../support/failure.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { stepsOf } from './pipeline/support.ts';

const load = (name: TaskName, params: object, bytes: Uint8Array) => {
  const image = { data: ownBuffer(bytes) };
  return loadOf(name, { image, params } as TaskInput<TaskName>, [image], DEFAULT_LIMITS);
};
const compressLoad = (bytes: Uint8Array, params: object = {}) =>
  load('compress', { ...compressParams.parse({}), page: 1, ...params }, bytes);

const FRAMES = 20;
const SIDE = 200;
const PIXELS = SIDE * SIDE;

/** Makes frames that all differ, so that no encoder merges them. */
async function animatedGif(): Promise<Buffer> {
  const frames = await Promise.all(
    Array.from({ length: FRAMES }, (_, index) =>
      sharp({ create: { width: SIDE, height: SIDE, channels: 3, background: { r: 9 * index, g: 9, b: 9 } } })
        .png()
        .toBuffer(),
    ),
  );
  return await sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer();
}

describe('an input format', () => {
  it('is decoded by libvips, or into buffers', () => {
    const header = (bytes: Uint8Array) => load('inspect', { page: 1 }, bytes).bufferBytes;
    const bmp = Buffer.alloc(200);
    bmp.write('BM');
    for (const [value, offset] of [
      [54, 10],
      [40, 14],
      [10, 18],
      [10, 22],
    ] as const)
      bmp.writeUInt32LE(value, offset);
    bmp.writeUInt32LE((24 << 16) + 1, 26);
    assert.equal(header(bmp), 8 * 100);
    assert.equal(header(blankPng(10, 10, 6)), 0);
  });
});

describe('an animation', () => {
  it('counts with one frame when one is decoded', async () => {
    const gif = await animatedGif();
    const one = { pixels: PIXELS, heldBytes: (8 + 11) * PIXELS };
    const counted = ({ pixels, heldBytes }: ReturnType<typeof load>) => ({ pixels, heldBytes });
    assert.deepEqual(counted(compressLoad(gif, { format: 'jpeg' })), one);
    const toJpeg = stepsOf([{ op: 'convert', params: { format: 'jpeg' } }]);
    assert.deepEqual(counted(load('pipeline', { steps: toJpeg, maxPixels: 1e8 }, gif)), one);
    assert.deepEqual(counted(load('inspect', { page: 1 }, gif)), { pixels: PIXELS, heldBytes: 8 * PIXELS });
    // The frames before the requested one are decoded too, one after the other.
    assert.deepEqual(counted(compressLoad(gif, { page: 3 })), { ...one, pixels: 3 * PIXELS });
  });

  it('counts with every frame when all are kept', async () => {
    const gif = await animatedGif();
    const all = (8 * FRAMES + 11) * PIXELS;
    for (const format of ['auto', 'gif', 'webp']) {
      const { pixels, heldBytes } = compressLoad(gif, { format });
      assert.deepEqual([pixels, heldBytes], [FRAMES * PIXELS, all], format);
    }
    const maybe = stepsOf([{ op: 'convert', params: { format: 'jpeg' } }]).map((step) => ({ ...step, when: {} }));
    assert.equal(load('pipeline', { steps: maybe, maxPixels: 1e8 }, gif).heldBytes, all, 'a step that may be left out');
    assert.equal(load('gif', { page: 1 }, gif).heldBytes, (8 + 11 + 4 * (FRAMES - 1)) * PIXELS);
  });
});

describe('an image that needs much decoder memory', () => {
  const MEGAPIXELS = 81e6;
  const WIDTH_200 = { width: 200 };
  const RESULT_BYTES = 11 * 200 * 200;

  it('counts with all coefficients of a progressive JPEG, whatever precedes its scans', () => {
    const file = manyScansJpeg(2, 9000, 9000);
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0xff, 0xff]), Buffer.alloc(0xffff - 2)]);
    const behind = Buffer.concat([file.subarray(0, 2), comment, comment, file.subarray(2)]);
    for (const bytes of [file, behind])
      assert.equal(compressLoad(bytes, WIDTH_200).heldBytes, 2 * MEGAPIXELS + RESULT_BYTES);
    const sequential = repeatedScansJpeg(3, 9000, 9000);
    assert.equal(compressLoad(sequential, WIDTH_200).heldBytes, 6 * MEGAPIXELS + RESULT_BYTES);
  });

  it('counts with two rows of tiles of a TIFF', async () => {
    const tiff = (tile: number) =>
      sharp({ create: { width: 3000, height: 2100, channels: 3, background: 'grey' } })
        .tiff({ compression: 'deflate', tile: true, tileWidth: tile, tileHeight: tile })
        .toBuffer();
    const held = async (tile: number) => compressLoad(await tiff(tile), WIDTH_200).heldBytes - RESULT_BYTES;
    assert.equal(await held(256), 3 * (3072 * 512 + 256 * 256));
    assert.equal(await held(1024), 3 * (3072 * 2048 + 1024 * 1024));
    assert.equal(await held(2048), 3 * (4096 * 2100 + 2048 * 2048));
    const strips = sharp({ create: { width: 3000, height: 2100, channels: 3, background: 'grey' } }).tiff({
      compression: 'deflate',
    });
    assert.equal(compressLoad(await strips.toBuffer(), WIDTH_200).heldBytes, RESULT_BYTES);
  });
});

/** Returns the start of an 8-bit PNG: its size, and optionally the beginning of its pixels. */
function png(width: number, height: number, data = ''): Buffer {
  const header = Buffer.alloc(33);
  header.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  header.set([8, 2, 0, 0, 0], 24);
  return Buffer.concat([header, Buffer.from(data, 'latin1')]);
}
const DATA = '\0\0\0\x08IDAT12345678abcd';

function gif(side: number, frames: number): Buffer {
  const header = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
  header.writeUInt16LE(side, 6);
  header.writeUInt16LE(side, 8);
  const frame = Buffer.from('2c0000000001000100000202440100', 'hex');
  return Buffer.concat([header, ...Array<Buffer>(frames).fill(frame), Buffer.from(';')]);
}

const webp = (name: string) => WEBP_BOMBS.find((bomb) => bomb.name.includes(name))!.make() as Buffer;

const withoutScan = (file: Buffer) => file.subarray(0, file.indexOf('ffda', 0, 'hex'));

describe('a file that is rejected from its header', () => {
  const files = {
    'too many pixels': ['image_too_large', png(20_000, 20_000, DATA)],
    'a side that is too long': ['image_too_large', png(1_000_001, 1, DATA)],
    'no pixels at all': ['corrupt_image', png(16_000, 16_000)],
    'too many scans': ['image_too_large', manyScansJpeg(101, 64, 64)],
    'too many coefficients': ['image_too_large', manyScansJpeg(2, 24_000, 24_000)],
    'no scan': ['corrupt_image', withoutScan(manyScansJpeg(2, 10_000, 10_000))],
    'a screen that is too large': ['image_too_large', gif(20_000, 1)],
    'a canvas that is too large': ['image_too_large', webp('16383 x 16383 with a dot')],
    'too many frames of a WebP': ['image_too_large', webp('100,000 dots on 2 x 2')],
    'too many pixels in all frames': ['image_too_large', gif(5000, 5)],
    'no frame': ['corrupt_image', gif(9000, 0)],
  } as const;
  it('counts with the canvas of a WebP with too many frames, which libvips allocates for the header', {
    skip: nightlyOnly,
  }, async () => {
    const bytes = webp('500 whole frames of 9999 x 9999');
    assert.equal(compressLoad(bytes).heldBytes, 4 * 9999 ** 2);
    await failureOf('image_too_large', () => compress(bytes));
  });

  for (const [what, [code, bytes]] of Object.entries(files)) {
    it(`counts with no memory and the cost of a rejection: ${what}`, async () => {
      assert.deepEqual(compressLoad(bytes), {
        bytes: bytes.length,
        pixels: 0,
        heldBytes: 0,
        bufferBytes: 0,
        costMs: 5,
      });
      await failureOf(code, () => compress(bytes));
    });
  }

  it('is distinguished from an accepted one', () => {
    const allowed = [png(16_000, 16_000, DATA), manyScansJpeg(100, 9000, 9000), gif(5000, 3)];
    for (const bytes of allowed) assert.ok(compressLoad(bytes).heldBytes > 1e8);
    assert.ok(compressLoad(gif(5000, 5), { format: 'jpeg' }).heldBytes > 1e8);
  });

  it('is not recognised when the header cannot be read', () => {
    const { pixels, heldBytes } = compressLoad(new Uint8Array(1e6));
    assert.deepEqual([pixels, heldBytes], [1e7, 19e7]);
  });
});
