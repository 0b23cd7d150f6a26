import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodePsd } from '../../../../codecs/formats/psd/write.ts';
import { withMagick } from '../../../support/magick.ts';
import { KINDS, makeSamples, SIZES } from '../../../support/samples.ts';

test('writes a background of which ImageMagick reads every pixel', async () => {
  for (const kind of KINDS) {
    for (const [width, height] of SIZES) {
      for (const channels of [1, 3] as const) {
        const image = makeSamples(kind, width, height, channels);
        await withMagick(encodePsd({ ...image, metadata: {} }), 'Psd', (frames) => {
          assert.equal(frames.length, 1);
          assert.deepEqual(frames[0]!.samples(channels), image.data, `${kind} ${width} x ${height} x ${channels}`);
          assert.equal(frames[0]!.hasAlpha, false);
        });
      }
    }
  }
});

test('writes transparency as one layer that keeps every sample', async () => {
  for (const kind of KINDS) {
    for (const [width, height] of SIZES) {
      const image = makeSamples(kind, width, height, 4);
      await withMagick(encodePsd({ ...image, metadata: {} }), 'Psd', (frames) => {
        assert.equal(frames.length, 2);
        assert.deepEqual(frames[1]!.samples(4), image.data, `${kind} ${width} x ${height}`);
      });
    }
  }
});

test('pads the layer information to an even length, as the format requires', () => {
  const lengths = new Set<number>();
  for (let width = 1; width < 10; width++) {
    const image = makeSamples('noise', width, 1, 4);
    for (let pixel = 0; pixel < width; pixel++) image.data[pixel * 4 + 3] = 255;
    const file = encodePsd({ ...image, metadata: {} });
    const view = new DataView(file.buffer);
    const sectionLength = view.getUint32(34);
    const infoLength = view.getUint32(38);
    assert.equal(infoLength % 2, 0);
    assert.equal(sectionLength, 4 + infoLength + 4);
    assert.equal(view.getUint16(38 + sectionLength), 1, 'the merged image follows');
    lengths.add(infoLength);
  }
  assert.ok(lengths.size > 2);
});

test('blends the merged image with white and keeps its transparency', async () => {
  const image = makeSamples('ramp', 256, 2, 4);
  for (let pixel = 0; pixel < 512; pixel++) image.data.set([200, 100, 0, pixel & 0xff], pixel * 4);
  const before = new Uint8Array(image.data);
  const file = encodePsd({ ...image, data: Buffer.from(image.data.buffer), metadata: {} });
  assert.deepEqual(image.data, before, 'the input is not changed');
  await withMagick(file, 'Psd', ([merged]) => {
    // ImageMagick removes the white again. At low alpha this loses precision.
    const samples = merged!.samples(4);
    for (let at = 0; at < samples.length; at += 4) {
      const alpha = samples[at + 3]!;
      assert.equal(alpha, image.data[at + 3]);
      if (alpha === 0) continue;
      for (let channel = 0; channel < 3; channel++) {
        const off = Math.abs(samples[at + channel]! - image.data[at + channel]!);
        assert.ok(off <= Math.ceil(128 / alpha) + 1, `off by ${off} at alpha ${alpha}`);
      }
    }
  });
});

test('writes metadata as image resources', async () => {
  const icc = Uint8Array.from({ length: 131 }, (_, at) => at);
  const exif = Buffer.from('II*\0\x08\0\0\0\0\0\0\0\0\0', 'latin1');
  const xmp = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');
  const iptc = Uint8Array.of(0x1c, 2, 5, 0, 1, 0x41);
  const metadata = { icc, exif, xmp, iptc, density: { x: 300.5, y: 150 } };
  await withMagick(encodePsd({ ...makeSamples('ramp', 5, 5, 3), metadata }), 'Psd', ([frame]) => {
    assert.deepEqual(frame!.density, { x: 300.5, y: 150 });
    for (const name of ['icc', 'exif', 'xmp', 'iptc'] as const) {
      assert.deepEqual(Buffer.from(frame!.profile(name)!), Buffer.from(metadata[name]), name);
    }
  });
  const plain = encodePsd({ ...makeSamples('ramp', 5, 5, 3), metadata: {} });
  assert.ok(!Buffer.from(plain).includes('8BIM'));
});

test('writes a side of 30,000 pixels and rejects one more', async () => {
  const widest = encodePsd({ ...makeSamples('runs', 30_000, 1, 1), metadata: {} });
  await withMagick(widest, 'Psd', ([frame]) => assert.equal(frame!.width, 30_000));
  assert.throws(() => encodePsd({ ...makeSamples('flat', 1, 30_001, 1), metadata: {} }), {
    code: 'unsupported_output',
    message: 'Expected at most 30000 pixels a side with psd for format but received 1 x 30001 pixels.',
  });
});
