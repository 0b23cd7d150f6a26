import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeTga } from '../../../../codecs/formats/tga/write.ts';
import { withMagick } from '../../../support/magick.ts';
import { KINDS, makeSamples, SIZES } from '../../../support/samples.ts';

test('writes files of which ImageMagick reads every pixel', async () => {
  for (const kind of KINDS) {
    for (const [width, height] of SIZES) {
      for (const channels of [1, 3, 4] as const) {
        const image = makeSamples(kind, width, height, channels);
        await withMagick(encodeTga(image), 'Tga', ([frame]) => {
          assert.deepEqual(frame!.samples(channels), image.data, `${kind} ${width} x ${height} x ${channels}`);
          assert.equal(frame!.hasAlpha, channels === 4);
        });
      }
    }
  }
});

test('packs runs, and enlarges noise by no more than a packet header per 128 pixels', () => {
  const overhead = 18 + 495 + 26;
  assert.equal(encodeTga(makeSamples('flat', 300, 20, 4)).length, overhead + 20 * 3 * 5);
  for (const channels of [1, 3, 4] as const) {
    const size = encodeTga(makeSamples('noise', 300, 20, channels)).length - overhead;
    assert.ok(size <= 20 * (300 * channels + 3), `${channels} channels: ${size}`);
  }
});

test('writes a footer to an extension area that says what the fourth channel means', () => {
  for (const [channels, attributes] of [
    [3, 0],
    [4, 3],
  ] as const) {
    const file = encodeTga(makeSamples('runs', 20, 20, channels));
    assert.equal(Buffer.from(file.subarray(-18)).toString('latin1'), 'TRUEVISION-XFILE.\0');
    const extensionAt = new DataView(file.buffer).getUint32(file.length - 26, true);
    assert.equal(extensionAt, file.length - 26 - 495);
    assert.equal(new DataView(file.buffer).getUint16(extensionAt, true), 495);
    assert.equal(file[extensionAt + 494], attributes);
  }
});

test('writes a side of 65,535 pixels and rejects one more', () => {
  assert.equal(encodeTga(makeSamples('flat', 65_535, 1, 1)).length, 18 + 512 * 2 + 495 + 26);
  assert.throws(() => encodeTga(makeSamples('flat', 1, 65_536, 1)), {
    code: 'unsupported_output',
    message: 'Expected at most 65535 pixels a side with tga for format but received 1 x 65536 pixels.',
  });
});
