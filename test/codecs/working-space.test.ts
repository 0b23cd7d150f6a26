import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compileModules } from '../../codecs/modules.ts';
import { startVips } from '../../codecs/vips.ts';
import { toWorkingSpace } from '../../codecs/working-space.ts';

const { vips } = await startVips(await compileModules());

it('channels behind colour and alpha are left out', () => {
  const request = { keepProfile: false, keepGreyProfile: false, keepCodePoints: false, keepDepth: false };
  for (const [interpretation, most] of [
    ['srgb', 4],
    ['b-w', 2],
  ] as const) {
    for (const bands of [most, most + 1, 98]) {
      const samples = Uint8Array.from({ length: bands * 6 }, (_, at) => at % bands);
      const file = vips.Image.newFromMemory(samples, 3, 2, bands, vips.BandFormat.uchar).copy({ interpretation });
      const { image } = toWorkingSpace(vips, file, request);
      const kept = Math.min(bands, most);
      assert.deepEqual([image.bands, String(image.interpretation)], [kept, interpretation]);
      assert.deepEqual(
        image.getpoint(2, 1),
        Array.from({ length: kept }, (_, band) => band),
      );
    }
  }
});
