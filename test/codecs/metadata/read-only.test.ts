/** Metadata of containers that are only read, and how they carry over into a written file. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { readExif } from '../../../codecs/metadata/exif.ts';
import { readMetadata, selectMetadata, writeMetadata } from '../../../codecs/metadata/index.ts';
import { openExifSections, readExifTags } from '../../../codecs/tags/exif-tags.ts';
import { MetadataBudget } from '../../../codecs/tags/plain.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { withoutMetadata, XMP } from './fixtures.ts';

const tagsOf = (exif: Uint8Array | undefined) =>
  exif ? readExifTags(openExifSections(exif), new MetadataBudget()) : {};

describe('metadata of read-only containers', { skip: corpusSkipReason }, () => {
  it('are read from HEIC: EXIF, XMP, and a profile that only the tiles have', () => {
    const phone = readMetadata('heic', corpus('heic/photoprism--iphone_7.heic')!);
    assert.equal(tagsOf(phone.exif).Model, 'iPhone 7');
    assert.equal(phone.icc?.length, 548);
    const drawn = readMetadata('heic', corpus('heic/kimageformats--metadata.heic')!);
    assert.ok(drawn.xmp && drawn.exif);
  });

  it('are read from HEIC that ends early', () => {
    const whole = corpus('heic/photoprism--iphone_7.heic')!;
    const cut = readMetadata('heic', whole.subarray(0, whole.length - 1000));
    assert.equal(cut.icc?.length, 548);
  });

  it('are read from Photoshop documents: EXIF, XMP, IPTC, profile and resolution', () => {
    const psd = readMetadata('psd', corpus('psd/kimageformats--16bit_grayscale.psd')!);
    assert.deepEqual(Object.keys(psd).sort(), ['density', 'exif', 'icc', 'iptc', 'xmp']);
    assert.deepEqual(psd.density, { x: 56.7, y: 56.7 });
  });

  it('are read from raw files: one EXIF stream, also of a CR3 with separate directories', () => {
    const canon = tagsOf(readMetadata('raw', corpus('raw/file-type--fixture.cr3')!).exif);
    assert.deepEqual([canon.Make, canon.FNumber, canon.Orientation], ['Canon', 4, 6]);
    const apple = readMetadata('raw', corpus('raw/exiv2--IMG_1361.dng')!);
    assert.equal(tagsOf(apple.exif).GPSLatitude, 34.0596083333);
    assert.equal(readExif(apple.exif!).hasGps, true);
  });

  it('are copied to the written files', async () => {
    const stored = readMetadata('raw', corpus('raw/exiv2--IMG_1361.dng')!);
    const facts = { width: 40, height: 30, pixelsChanged: true };
    const kept = writeMetadata('jpeg', await withoutMetadata('jpeg'), selectMetadata(stored, 'keep', facts));
    const { exif, orientation } = await sharp(kept).metadata();
    assert.equal(orientation, 1);
    assert.equal(tagsOf(exif?.subarray(6)).Model, 'iPhone 12 Pro');
    const without = selectMetadata(stored, 'no_gps', facts);
    assert.equal(readExif(without.exif!).hasGps, false);
    assert.equal(tagsOf(without.exif).Model, 'iPhone 12 Pro');
  });
});

describe('metadata of JPEG 2000', () => {
  const box = (type: string, ...content: Uint8Array[]) => {
    const data = Buffer.concat(content);
    const size = Buffer.alloc(4);
    size.writeUInt32BE(data.length + 8);
    return Buffer.concat([size, Buffer.from(type, 'latin1'), data]);
  };
  const uuid = (id: string, data: Uint8Array) => box('uuid', Buffer.from(id, 'hex'), data);

  it('are read from uuid and colour boxes', () => {
    const exif = Buffer.from('II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x03\0\0\0\0\0\0\0', 'latin1');
    const iptc = Buffer.from([0x1c, 2, 120, 0, 2, 0x6f, 0x6b]);
    const icc = Buffer.alloc(200, 7);
    const file = Buffer.concat([
      box('jP  ', Buffer.from([0x0d, 0x0a, 0x87, 0x0a])),
      box('jp2h', box('colr', Buffer.from([2, 0, 0]), icc)),
      uuid('be7acfcb97a942e89c71999491e3afac', Buffer.from(XMP)),
      uuid('4a706754696666457869662d3e4a5032', exif),
      uuid('33c7a4d2b81d4723a0baf1a3e097ad38', iptc),
      uuid('00000000000000000000000000000000', Buffer.from('nothing we know')),
    ]);
    const { exif: foundExif, xmp, iptc: foundIptc, icc: foundIcc } = readMetadata('jp2', file);
    assert.deepEqual(Buffer.from(foundExif!), exif);
    assert.equal(readExif(foundExif!).orientation, 3);
    assert.equal(Buffer.from(xmp!).toString(), XMP);
    assert.deepEqual(Buffer.from(foundIptc!), iptc);
    assert.deepEqual(Buffer.from(foundIcc!), icc);
    assert.deepEqual(readMetadata('jp2', Buffer.from('\xff\x4f\xff\x51', 'latin1')), {});
  });
});
