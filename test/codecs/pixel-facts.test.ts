import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { compileModules } from '../../codecs/modules.ts';
import { isMostlyFlat } from '../../codecs/pixel-facts.ts';
import { startVips, type VipsApi } from '../../codecs/vips.ts';

const WIDTH = 90;

describe('isMostlyFlat', () => {
  let vips: VipsApi;

  /** @param isFlat whether a row has one colour; in the others no two neighbours are equal */
  function rows(height: number, isFlat: (y: number) => boolean) {
    const pixels = Uint8Array.from({ length: height * WIDTH * 3 }, (_, at) => {
      const x = Math.floor(at / 3) % WIDTH;
      return isFlat(Math.floor(at / (3 * WIDTH))) ? 7 : x;
    });
    return vips.Image.newFromMemory(pixels, WIDTH, height, 3, vips.BandFormat.uchar);
  }

  before(async () => {
    ({ vips } = await startVips(await compileModules()));
  });

  for (const height of [1, 63, 127, 128, 1000])
    it(`looks at rows from the top to the bottom of ${height}`, () => {
      assert.equal(isMostlyFlat(rows(height, () => true)), true);
      assert.equal(isMostlyFlat(rows(height, () => false)), false);
      if (height === 1) return;
      assert.equal(isMostlyFlat(rows(height, (y) => y < height / 2)), true);
      assert.equal(isMostlyFlat(rows(height, (y) => y > 0.65 * height)), false);
      assert.equal(isMostlyFlat(rows(height, (y) => y > 0.55 * height)), true);
    });
});
