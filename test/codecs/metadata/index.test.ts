import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { readExif } from '../../../codecs/metadata/exif.ts';
import { fitMetadata, readMetadata, selectMetadata, writeMetadata } from '../../../codecs/metadata/index.ts';
import { cameraStream, contains, HEIGHT, IPTC, PREVIEW, WIDTH, withMetadata, withoutMetadata } from './fixtures.ts';

const FACTS = { width: WIDTH, height: HEIGHT, pixelsChanged: false };

describe('selectMetadata', () => {
  it('keeps only the profile with color, and nothing with strip', async () => {
    const stored = readMetadata('jpeg', await withMetadata('jpeg'));
    assert.deepEqual(selectMetadata(stored, 'color', FACTS), { icc: stored.icc });
    assert.deepEqual(selectMetadata(stored, 'strip', FACTS), {});
  });

  it('sets the orientation to upright', async () => {
    const sideways = await sharp(await withoutMetadata('jpeg'))
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const { exif } = selectMetadata(readMetadata('jpeg', sideways), 'keep', FACTS);
    assert.equal(readExif(exif!).orientation, 1);
  });

  it('keeps a packet that it cannot parse, but drops it with no_gps', () => {
    const xmp = new TextEncoder().encode('<a');
    assert.deepEqual(selectMetadata({ xmp }, 'keep', FACTS), { xmp });
    assert.deepEqual(selectMetadata({ xmp }, 'no_gps', FACTS), {});
    assert.deepEqual(selectMetadata({ exif: xmp }, 'no_gps', FACTS), {});
  });

  it('drops thumbnails and writes the new size when the pixels have changed', () => {
    const changed = selectMetadata({ exif: cameraStream() }, 'keep', { ...FACTS, pixelsChanged: true });
    assert.equal(contains(changed.exif!, 'thumbnail') || contains(changed.exif!, PREVIEW), false);
    assert.equal(Buffer.from(changed.exif!).readUInt16BE(120 + 2 + 12 + 8), WIDTH);
    const same = selectMetadata({ exif: cameraStream() }, 'keep', FACTS);
    assert.equal(contains(same.exif!, 'thumbnail') && contains(same.exif!, PREVIEW), true);
    assert.equal(Buffer.from(same.exif!).readUInt16BE(120 + 2 + 12 + 8), 4000);
  });

  it('removes locations from IPTC', () => {
    const { iptc } = selectMetadata({ iptc: IPTC }, 'no_gps', FACTS);
    assert.deepEqual(Buffer.from(iptc!), IPTC.subarray(9));
  });
});

describe('fitMetadata', () => {
  it('leaves out what a format cannot hold', () => {
    const all = { icc: IPTC, exif: IPTC, xmp: IPTC, iptc: IPTC, density: { x: 72, y: 72 } };
    assert.deepEqual(fitMetadata('jpeg', all), all);
    assert.deepEqual(Object.keys(fitMetadata('png', all)), ['icc', 'exif', 'xmp', 'density']);
    assert.deepEqual(fitMetadata('bmp', all), { density: all.density });
    assert.deepEqual(fitMetadata('gif', all), {});
  });

  it('knows the maximum size of a JPEG segment', async () => {
    for (const [block, limit] of [
      ['exif', 65_527],
      ['xmp', 65_504],
    ] as const) {
      for (const [length, fits] of [
        [limit, true],
        [limit + 1, false],
      ] as const) {
        const metadata = { [block]: new Uint8Array(length).fill(65) };
        assert.equal(block in fitMetadata('jpeg', metadata), fits);
        assert.equal(
          block in readMetadata('jpeg', writeMetadata('jpeg', await withoutMetadata('jpeg'), metadata)),
          fits,
        );
        assert.equal(block in fitMetadata('png', metadata), true);
      }
    }
  });
});

describe('formats without metadata', () => {
  it('are returned unchanged', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    assert.deepEqual(readMetadata('bmp', bytes), {});
    assert.equal(writeMetadata('bmp', bytes, { density: { x: 72, y: 72 } }), bytes);
  });
});
