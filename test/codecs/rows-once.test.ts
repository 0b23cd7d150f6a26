/**
 * Lossless encoders inspect an image before they encode it. These tests give them images whose rows can be read only
 * once.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { imageInMemory, isSequential } from '../../codecs/decoded-image.ts';
import { encodeLosslessJxl } from '../../codecs/formats/jxl/write.ts';
import { compileModules, type Modules } from '../../codecs/modules.ts';
import { openSource } from '../../codecs/read.ts';
import { WHOLE_IMAGE } from '../../codecs/source.ts';
import { type Image, startVips, type VipsApi, withFreedHandles } from '../../codecs/vips.ts';
import { encodeLosslessWebp } from '../../codecs/webp.ts';
import { scene } from '../support/scenes.ts';
import { pattern, type RawImage, sharpOf } from '../support/test-images.ts';

/** Draws flat areas with more colours than a palette holds. On such images, each encoder spends more effort. */
function screenshot(): RawImage {
  const raw = scene('print', 200, 150);
  raw.data.set(pattern(200, 50).data);
  return { ...raw, channels: 3 };
}

describe('an image whose rows are read once', () => {
  let modules: Modules;
  let vips: VipsApi;
  before(async () => {
    modules = await compileModules();
    ({ vips } = await startVips(modules));
  });

  const ENCODERS = [
    { name: 'WebP', encode: encodeLosslessWebp },
    { name: 'JPEG XL', encode: encodeLosslessJxl },
  ];
  for (const { name, encode } of ENCODERS)
    it(`is encoded as ${name} like an image in memory`, async () => {
      const bytes = await sharpOf(screenshot()).tiff({ compression: 'lzw' }).toBuffer();
      const source = await openSource({ vips, modules }, { bytes, format: 'tiff', page: 1 });
      const encoded = (prepare: (image: Image) => Image) =>
        withFreedHandles(vips, async () => {
          const { frames } = await source.open({
            ...WHOLE_IMAGE,
            keepDepth: false,
            keepProfile: false,
            sequential: true,
          });
          assert.ok(isSequential(frames[0]));
          return encode(prepare(frames[0]));
        });
      assert.deepEqual(await encoded((image) => image), await encoded(imageInMemory));
    });
});
