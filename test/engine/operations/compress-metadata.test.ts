/** Metadata through the whole operation: what each mode keeps in each format. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { readExif } from '../../../codecs/metadata/exif.ts';
import { readMetadata } from '../../../codecs/metadata/index.ts';
import { compress } from '../../support/engine.ts';
import { pattern, sharpOf } from '../../support/test-images.ts';
import { verifies } from '../../support/verifies.ts';

const XMP =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
  '<rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" exif:GPSLatitude="46,3.1N" dc:format="image/jpeg"/>' +
  '</rdf:RDF></x:xmpmeta>';

/** Makes a photo as written by a phone: rotated, with camera, position, profile, XMP and resolution. */
const photograph = () =>
  sharpOf(pattern(96, 64))
    .withExif({
      IFD0: { Make: 'Imagecam', Software: 'v1' },
      IFD2: { DateTimeOriginal: '2026:11:21 05:20:00' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '46/1 3/1 0/1', GPSLongitudeRef: 'E', GPSLongitude: '14/1 30/1 0/1' },
    })
    .withIccProfile('p3')
    .withXmp(XMP)
    .withMetadata({ orientation: 6, density: 240 })
    .jpeg({ quality: 92 })
    .toBuffer();

const FORMATS = ['jpeg', 'png', 'webp', 'avif', 'tiff', 'jxl'] as const;

describe('metadata', () => {
  for (const format of FORMATS) {
    test(`${format}: strip removes all metadata`, async () => {
      verifies('compress.metadata.strip');
      const { bytes, dpi } = await compress(await photograph(), { format });
      assert.deepEqual(readMetadata(format, bytes), {});
      assert.equal(dpi, null);
      assert.ok(!bytes.includes('Imagecam'));
    });

    test(`${format}: keep keeps all metadata, and the image is upright`, async () => {
      verifies('compress.metadata.keep', 'compress.orient');
      const { bytes, width, height, dpi } = await compress(await photograph(), { format, metadata: 'keep' });
      const kept = readMetadata(format, bytes);
      assert.ok(bytes.includes('Imagecam') && kept.exif && kept.xmp);
      assert.deepEqual([width, height, dpi], [64, 96, 240], 'turned for display');
      const { orientation, hasGps } = readExif(kept.exif);
      assert.deepEqual([orientation, hasGps], [1, true]);
    });

    test(`${format}: no_gps removes the location from EXIF and XMP and keeps the camera`, async () => {
      verifies('compress.metadata.no-gps');
      const { bytes } = await compress(await photograph(), { format, metadata: 'no_gps' });
      const kept = readMetadata(format, bytes);
      assert.ok(kept.exif && bytes.includes('Imagecam') && bytes.includes('2026:11:21 05:20:00'));
      assert.equal(readExif(kept.exif).hasGps, false);
      assert.ok(!Buffer.from(kept.xmp ?? []).includes('GPSLatitude'));
      assert.ok(Buffer.from(kept.xmp ?? []).includes('image/jpeg'), 'the rest of the XMP stays');
    });

    test(`${format}: color keeps only the profile`, async () => {
      verifies('compress.metadata.color');
      const { bytes } = await compress(await photograph(), { format, metadata: 'color' });
      const kept = readMetadata(format, bytes);
      assert.deepEqual([kept.exif, kept.xmp], [undefined, undefined]);
      assert.ok(!bytes.includes('Imagecam'));
      if (format !== 'jxl') assert.ok(kept.icc);
    });
  }

  test('a format that cannot hold metadata causes a warning', async () => {
    for (const format of ['bmp', 'gif', 'ico', 'tga', 'pdf'] as const) {
      const { warnings } = await compress(await photograph(), { format, metadata: 'keep' });
      assert.ok(warnings.includes('metadata_dropped'), format);
    }
    assert.ok(!(await compress(await photograph(), { format: 'bmp' })).warnings.includes('metadata_dropped'));
  });
});

describe('dpi', () => {
  for (const format of ['jpeg', 'png', 'tiff', 'webp', 'avif', 'jxl', 'bmp'] as const) {
    test(`is written into ${format} and changes no pixel size`, async () => {
      verifies('compress.dpi', 'compress.dpi.alone');
      const source = await sharpOf(pattern(60, 40)).png().toBuffer();
      const { bytes, dpi, width } = await compress(source, { format, dpi: 150 });
      assert.deepEqual([dpi, width], [150, 60]);
      const density =
        format === 'bmp' ? { x: Math.round(bytes.readInt32LE(38) * 0.0254) } : readMetadata(format, bytes).density;
      assert.equal(Math.round(density?.x ?? 0), 150);
      if (format === 'jpeg' || format === 'png' || format === 'tiff')
        assert.equal((await sharp(bytes).metadata()).density, 150);
    });
  }

  test('sets the page size of a PDF to the print size', async () => {
    verifies('compress.format.pdf');
    const source = await sharpOf(pattern(600, 300)).png().toBuffer();
    const { bytes } = await compress(source, { format: 'pdf', dpi: 300 });
    assert.match(bytes.toString('latin1'), /\/MediaBox \[0 0 144 72\]/);
    const jpeg = bytes.subarray(bytes.indexOf('\xff\xd8\xff', 0, 'latin1'));
    assert.equal((await sharp(jpeg).metadata()).width, 600);
  });

  test('the source keeps its own resolution when its metadata are kept', async () => {
    const source = await sharpOf(pattern(60, 40)).withMetadata({ density: 96 }).png().toBuffer();
    assert.equal((await compress(source, { metadata: 'keep', width: 30 })).dpi, 96);
    assert.equal((await compress(source, { width: 30 })).dpi, null);
  });
});
