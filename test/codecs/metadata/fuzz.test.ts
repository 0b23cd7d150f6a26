import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../../base/failure.ts';
import type { FormatId } from '../../../codecs/formats/registry.ts';
import { editExif, readExif } from '../../../codecs/metadata/exif.ts';
import { readMetadata, selectMetadata, writeMetadata } from '../../../codecs/metadata/index.ts';
import { padTo } from '../../../codecs/metadata/padding.ts';
import { editXmp } from '../../../codecs/metadata/xmp.ts';
import { damaged } from '../../support/damage.ts';
import { type Entry, emptyStream, exifStream, putDirectory, withMetadata, withoutMetadata } from './fixtures.ts';

const COPIES = 400;
const FACTS = { width: 10, height: 10, pixelsChanged: true };

/** Runs work that may fail, but only with a Failure of code corrupt_image. */
function allowFailure(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.code, 'corrupt_image');
  }
}

async function source(format: FormatId): Promise<Uint8Array> {
  if (format === 'gif') return withoutMetadata('gif');
  if (format !== 'jxl') return withMetadata(format);
  return writeMetadata('jxl', Buffer.from('ff0a0000', 'hex'), readMetadata('jpeg', await withMetadata('jpeg')));
}

describe('files made to exhaust memory or time', () => {
  it('of TIFF have endless chains of directories, or empty directories', () => {
    const circle = emptyStream(30);
    putDirectory(circle, 8, [], 8);
    allowFailure(() => writeMetadata('tiff', circle, {}));

    const chain = emptyStream(1_000_000);
    for (let at = 8; at + 12 < chain.length; at += 6) chain.writeUInt32BE(at + 6, at + 2);
    assert.throws(() => writeMetadata('tiff', chain, {}), { code: 'corrupt_image' });
  });

  it('of TIFF have pages that share data far larger than the file', () => {
    const shared = emptyStream(100_000);
    for (let page = 0; page < 1000; page += 1) {
      const at = 8 + page * 18;
      putDirectory(shared, at, [[320, 7, 70_000, 20_000]], page < 999 ? at + 18 : 0);
    }
    assert.throws(() => writeMetadata('tiff', shared, {}), { code: 'corrupt_image' });
  });

  it('of EXIF refer to the whole stream again and again', () => {
    const exif = emptyStream(800_000);
    const everything = Array.from({ length: 60_000 }, (_, index): Entry => [index, 7, 799_992, 8]);
    putDirectory(exif, 8, [[0x8825, 4, 1, 100]]);
    putDirectory(exif, 100, everything);
    const edited = editExif(exif, { removeGps: true });
    assert.equal(edited?.some((byte, at) => at >= 100 && byte !== 0) ?? false, false);
  });

  it('of XMP nest elements endlessly', () => {
    const depth = 100_000;
    assert.equal(editXmp(Buffer.from('<a>'.repeat(depth) + '</a>'.repeat(depth)), { removeLocation: true }), undefined);
  });

  it('of AVIF have deeply nested tracks', async () => {
    const header = (size: number) => Buffer.concat([Buffer.from([0, 0, size >> 8, size & 255]), Buffer.from('trak')]);
    const tracks = Buffer.concat(Array.from({ length: 1000 }, (_, index) => header(8 * (1000 - index))));
    const movie = Buffer.concat([Buffer.from([0, 0, 0x1f, 0x48]), Buffer.from('moov'), tracks]);
    const file = Buffer.concat([await withoutMetadata('avif'), movie]);
    assert.throws(() => writeMetadata('avif', file, {}), { code: 'corrupt_image' });
  });
});

describe('damaged files', () => {
  for (const [seed, format] of (['jpeg', 'png', 'webp', 'avif', 'tiff', 'jxl', 'gif'] as const).entries()) {
    it(`of ${format} are read as far as possible, and written or rejected`, { timeout: 60_000 }, async () => {
      const file = await source(format);
      const stored = readMetadata(format, file);
      for (const broken of damaged(file, COPIES, seed)) {
        const found = readMetadata(format, broken);
        selectMetadata(found, 'no_gps', FACTS);
        for (const metadata of [{}, stored, found]) allowFailure(() => writeMetadata(format, broken, metadata));
        if (format === 'jpeg' || format === 'png') allowFailure(() => padTo(format, broken, broken.length + 100));
      }
    });
  }

  it('of EXIF are edited or rejected', { timeout: 60_000 }, async () => {
    for (const broken of damaged(await exifStream(), 10 * COPIES, 99)) {
      readExif(broken);
      editExif(broken, {
        orientation: 1,
        removeGps: true,
        removeThumbnail: true,
        density: { x: 1, y: 2 },
        width: 3,
        height: 4,
      });
    }
  });
});
