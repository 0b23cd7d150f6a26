import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBmp } from '../../../../codecs/formats/bmp/write.ts';
import { withMagick } from '../../../support/magick.ts';
import { KINDS, makeSamples, SIZES } from '../../../support/samples.ts';

test('writes files of which ImageMagick reads every pixel', async () => {
  for (const kind of KINDS) {
    for (const [width, height] of SIZES) {
      for (const channels of [1, 3] as const) {
        const image = makeSamples(kind, width, height, channels);
        await withMagick(encodeBmp(image), 'Bmp', ([frame]) => {
          assert.deepEqual(frame!.samples(channels), image.data, `${kind} ${width} x ${height} x ${channels}`);
          assert.equal(frame!.hasAlpha, false);
        });
      }
    }
  }
});

test('writes the resolution per axis, and none when there is none', async () => {
  const image = makeSamples('ramp', 4, 4, 3);
  await withMagick(encodeBmp({ ...image, density: { x: 300, y: 72 } }), 'Bmp', ([frame]) => {
    assert.equal(Math.round(frame!.density.x), 300);
    assert.equal(Math.round(frame!.density.y), 72);
  });
  const bare = encodeBmp(image);
  assert.deepEqual(bare.subarray(38, 46), new Uint8Array(8));
});

test('pads rows to four bytes and writes the right sizes in the header', () => {
  const file = encodeBmp(makeSamples('noise', 3, 2, 3));
  const view = new DataView(file.buffer);
  assert.equal(file.length, 54 + 2 * 12);
  assert.equal(view.getUint32(2, true), file.length);
  assert.equal(view.getUint32(34, true), 2 * 12);
});
