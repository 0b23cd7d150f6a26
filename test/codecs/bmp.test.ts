import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBmp } from '../../codecs/bmp.ts';
import { withMagick } from '../support/magick.ts';
import { KINDS, makeSamples, SIZES } from '../support/samples.ts';

test('ImageMagick reads every pixel back', async () => {
  for (const kind of KINDS) {
    for (const [width, height] of SIZES) {
      for (const channels of [1, 3] as const) {
        const picture = makeSamples(kind, width, height, channels);
        await withMagick(encodeBmp(picture), 'Bmp', ([frame]) => {
          assert.deepEqual(frame!.samples(channels), picture.data, `${kind} ${width} x ${height} x ${channels}`);
          assert.equal(frame!.hasAlpha, false);
        });
      }
    }
  }
});

test('the resolution is written per axis, and left open when there is none', async () => {
  const picture = makeSamples('ramp', 4, 4, 3);
  await withMagick(encodeBmp({ ...picture, density: { x: 300, y: 72 } }), 'Bmp', ([frame]) => {
    assert.equal(Math.round(frame!.density.x), 300);
    assert.equal(Math.round(frame!.density.y), 72);
  });
  const bare = encodeBmp(picture);
  assert.deepEqual(bare.subarray(38, 46), new Uint8Array(8));
});

test('rows are padded to four bytes and the sizes in the header are those of the file', () => {
  const file = encodeBmp(makeSamples('noise', 3, 2, 3));
  const view = new DataView(file.buffer);
  assert.equal(file.length, 54 + 2 * 12);
  assert.equal(view.getUint32(2, true), file.length);
  assert.equal(view.getUint32(34, true), 2 * 12);
});
