/** The AVIF encoder's speed for each image size: `codecs/formats/avif/write.ts`. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { encodeAvif } from '../../../../codecs/formats/avif/write.ts';
import { compileModules, type Modules } from '../../../../codecs/modules.ts';
import { startVips, type VipsApi, withFreedHandles } from '../../../../codecs/vips.ts';
import { nightlyOnly } from '../../../support/nightly.ts';
import { decode, difference, grainyPattern, type RawImage } from '../../../support/test-images.ts';

describe('encodeAvif', () => {
  let modules: Modules;
  let vips: VipsApi;
  before(async () => {
    modules = await compileModules();
    ({ vips } = await startVips(modules));
  });

  async function encoded({ data, width, height }: RawImage, wholePixels?: number, repeated = false) {
    const settings = {
      quality: 60,
      fullChroma: false,
      repeated,
      ...(wholePixels === undefined ? {} : { wholePixels }),
    };
    const file = await withFreedHandles(vips, () => {
      const image = vips.Image.newFromMemory(data, width, height, 3, vips.BandFormat.uchar);
      return encodeAvif(image.copy({ interpretation: 'srgb' }), settings, modules);
    });
    return {
      bytes: file.length,
      mean: difference(await decode(Buffer.from(file)), { data, width, height, channels: 3 }).mean,
    };
  }

  it('spends more effort on a small photo than on a part of a large one', { skip: nightlyOnly }, async () => {
    const photograph = grainyPattern(320, 240);
    const small = await encoded(photograph);
    const part = await encoded(photograph, 1_200_000);
    assert.ok(small.bytes < part.bytes && small.mean < part.mean, JSON.stringify({ small, part }));
    assert.notDeepEqual(await encoded(photograph, 5_000_000), part);
  });

  it('encodes one of many images quickly, unless it is very small', async () => {
    const photograph = grainyPattern(400, 300);
    assert.deepEqual(await encoded(photograph, undefined, true), await encoded(photograph, 1_200_000));
    const small = grainyPattern(320, 240);
    assert.deepEqual(await encoded(small, undefined, true), await encoded(small));
  });

  it('chooses the effort by the size of the whole image', async () => {
    const photograph = grainyPattern(320, 240);
    assert.deepEqual(await encoded(photograph), await encoded(photograph, 320 * 240));
  });
});
