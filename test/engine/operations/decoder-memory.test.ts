/** Memory that a decoder holds even if it streams its rows. It counts before anything is decoded. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import sharp from 'sharp';
import { manyScansJpeg, repeatedScansJpeg } from '../../../bench/bombs/jpeg.ts';
import type { InputFormat } from '../../../codecs/formats/registry.ts';
import { compileModules, type Modules } from '../../../codecs/modules.ts';
import { openSource } from '../../../codecs/read.ts';
import { startVips, type VipsApi } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../../engine/context.ts';
import { blurFaces } from '../../../engine/operations/blur-faces/definition.ts';
import { heldBytes, NeedsMemory } from '../../../engine/operations/decoding.ts';
import { checkSourceSize } from '../../../engine/operations/source-size.ts';
import { openStill } from '../../../engine/operations/still.ts';
import { DEFAULT_LIMITS } from '../../../engine/settings.ts';
import { failureOf } from '../../support/failure.ts';

describe('decoder memory', () => {
  let modules: Modules;
  let vips: VipsApi;
  before(async () => {
    modules = await compileModules();
    ({ vips } = await startVips(modules, DEFAULT_LIMITS.decodedBytes));
  });

  const open = (bytes: Uint8Array, format: InputFormat) => openSource({ vips, modules }, { bytes, format, page: 1 });
  const contextWith = (countedBytes: number, limits = DEFAULT_LIMITS) =>
    ({ vips, modules, limits, countedBytes }) as WorkerContext;
  const tiled = () =>
    sharp({ create: { width: 9000, height: 6000, channels: 3, background: 'grey' } })
      .tiff({ compression: 'deflate', tile: true, tileWidth: 2048, tileHeight: 2048 })
      .toBuffer();

  const files: Record<string, [InputFormat, number, () => Buffer | Promise<Buffer>]> = {
    'a progressive JPEG': ['jpeg', 2 * 81e6, () => manyScansJpeg(2, 9000, 9000)],
    'a sequential JPEG of several scans': ['jpeg', 6 * 36e6, () => repeatedScansJpeg(3, 6000, 6000)],
    'a TIFF of large tiles': ['tiff', 3 * (10_240 * 4096 + 2048 * 2048), tiled],
  };
  for (const [what, [format, bytes, make]] of Object.entries(files)) {
    test(`of ${what} counts even though its rows are streamed`, async () => {
      const source = await open(await make(), format);
      assert.deepEqual([source.streams, source.decoderBytes], [true, bytes]);
      const { bytes: needed } = neededBy(() => checkSourceSize(contextWith(0), source, 1));
      assert.equal(needed, bytes);
      checkSourceSize(contextWith(bytes), source, 1);
      const limits = { ...DEFAULT_LIMITS, decodedBytes: bytes - 1 };
      await failureOf('image_too_large', () => checkSourceSize(contextWith(bytes, limits), source, 1));
    });
  }

  test('of a JPEG with several scans does not shrink with the image', async () => {
    const source = await open(manyScansJpeg(2, 4000, 4000), 'jpeg');
    assert.equal(heldBytes(source, { frames: 1, shrink: 1 }), 2 * 16e6 + 2 * 16e6);
    assert.equal(heldBytes(source, { frames: 1, shrink: 8 }), (2 * 16e6) / 64 + 2 * 16e6);
  });

  test('of a file whose size the main thread cannot read counts with the buffers of the operation', async () => {
    const data = new Uint8Array(Buffer.concat([Buffer.from('P4\n4000 3000\n'), Buffer.alloc(500 * 3000)])).buffer;
    const needs = await openStill(
      contextWith(0),
      { data },
      { estimate: blurFaces.estimate, page: 1, tolerant: false },
    ).catch((error) => error);
    assert.ok(needs instanceof NeedsMemory);
    assert.equal(needs.bytes, (8 + 11) * 12e6);
  });

  function neededBy(work: () => void): NeedsMemory {
    try {
      work();
    } catch (error) {
      if (error instanceof NeedsMemory) return error;
      throw error;
    }
    throw new assert.AssertionError({ message: 'Expected NeedsMemory.' });
  }
});
