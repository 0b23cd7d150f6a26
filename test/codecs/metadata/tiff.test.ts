import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { fieldOf, numbersOf, openTiff, readDirectory } from '../../../codecs/metadata/directory.ts';
import { editExif, readExif } from '../../../codecs/metadata/exif.ts';
import { readMetadata, writeMetadata } from '../../../codecs/metadata/index.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { contains, containsSecret, IPTC, pixels, withMetadata, withoutMetadata } from './fixtures.ts';

describe('tiff', () => {
  it('edits all pages in the same way', async () => {
    const pages = await sharp([await withoutMetadata('png'), await withoutMetadata('jpeg')], {
      join: { animated: true },
    })
      .withIccProfile('p3')
      .tiff()
      .toBuffer();
    const profiles = async (file: Uint8Array) =>
      Promise.all([0, 1].map(async (page) => (await sharp(file, { page }).metadata()).icc?.length));
    const { icc } = readMetadata('tiff', pages);
    assert.deepEqual(await profiles(pages), [icc!.length, icc!.length]);
    assert.deepEqual(await profiles(writeMetadata('tiff', pages, { icc: icc! })), [icc!.length, icc!.length]);
    const stripped = writeMetadata('tiff', pages, {});
    assert.deepEqual(await profiles(stripped), [undefined, undefined]);
    const both = (file: Uint8Array) => sharp(file, { pages: -1, ignoreIcc: true }).raw().toBuffer();
    assert.deepEqual(await both(stripped), await both(pages));
  });

  it('stops at a circular chain of pages', async () => {
    const file = Buffer.from(await withMetadata('tiff'));
    file.writeUInt32BE(8, 8 + 2 + file.readUInt16BE(8) * 12);
    assert.deepEqual(writeMetadata('tiff', file, {}), writeMetadata('tiff', await withMetadata('tiff'), {}));
  });

  it('moves the tables of old-style JPEG', { skip: corpusSkipReason }, () => {
    const file = corpus('tiff/libvips--ojpeg-tile.tif')!;
    const tablesOf = (bytes: Uint8Array) => {
      const stream = openTiff(bytes, 'tiff');
      const page = readDirectory(stream, stream.first);
      return [519, 520, 521].flatMap((tag) =>
        numbersOf(stream, fieldOf(page, tag)!).map((at) => Buffer.from(bytes.subarray(at, at + 28)).toString('hex')),
      );
    };
    assert.equal(tablesOf(file).length, 9);
    assert.deepEqual(tablesOf(writeMetadata('tiff', file, {})), tablesOf(file));
  });

  it('of any layout keeps its pixels when metadata are added, kept and removed', async () => {
    const stored = readMetadata('tiff', await withMetadata('tiff'));
    const layouts = [
      { bigtiff: true },
      { tile: true, tileWidth: 16, tileHeight: 16 },
      { compression: 'jpeg' },
    ] as const;
    for (const layout of layouts) {
      const file = await sharp(await withoutMetadata('png'))
        .tiff(layout)
        .toBuffer();
      const kept = writeMetadata('tiff', file, stored);
      assert.deepEqual(await pixels(kept), await pixels(file));
      const found = readMetadata('tiff', kept);
      assert.deepEqual([found.icc, found.xmp, found.density], [stored.icc, stored.xmp, stored.density]);
      assert.equal(readExif(found.exif!).hasGps && contains(found.exif!, 'Acme'), true);
      const stripped = writeMetadata('tiff', kept, {});
      assert.deepEqual(await pixels(stripped), await pixels(file));
      assert.deepEqual(readMetadata('tiff', stripped), {});
      assert.equal(contains(stripped, 'Acme') || contains(stripped, 'Ljubljana') || containsSecret(stripped), false);
    }
  });

  it('accepts EXIF of the other byte order', async () => {
    assert.equal(Buffer.from(await withoutMetadata('tiff')).toString('latin1', 0, 2), 'II');
    const exif = editExif(bigEndian(), { density: { x: 72, y: 72 } })!;
    const written = writeMetadata('tiff', await withoutMetadata('tiff'), { exif });
    const stored = readMetadata('tiff', written);
    assert.deepEqual(readExif(stored.exif!), { orientation: 6, density: { x: 72, y: 72 }, hasGps: false });
    assert.equal((await sharp(written).metadata()).orientation, 6);
  });

  function bigEndian(): Uint8Array {
    return Buffer.from('MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0', 'latin1');
  }

  it('holds IPTC that sharp can read', async () => {
    const written = writeMetadata('tiff', await withoutMetadata('tiff'), { iptc: IPTC });
    assert.equal(contains((await sharp(written).metadata()).iptc!, 'Lake'), true);
    assert.equal(contains(readMetadata('tiff', written).iptc!, 'Lake'), true);
  });

  it('rejects circular directories below a page', async () => {
    const file = Buffer.from(await withoutMetadata('tiff'));
    const first = file.readUInt32LE(4);
    // Turns the last entry into SubIFDs that point at their own page.
    const entry = first + 2 + (file.readUInt16LE(first) - 1) * 12;
    file.writeUInt16LE(330, entry);
    file.writeUInt16LE(4, entry + 2);
    file.writeUInt32LE(1, entry + 4);
    file.writeUInt32LE(first, entry + 8);
    assert.throws(() => writeMetadata('tiff', file, {}), { code: 'corrupt_image' });
  });
});
