import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../../base/failure.ts';
import type { FormatId } from '../../../codecs/formats.ts';
import { editExif, readExif } from '../../../codecs/metadata/exif.ts';
import { readMetadata, selectMetadata, writeMetadata } from '../../../codecs/metadata/index.ts';
import { padTo } from '../../../codecs/metadata/padding.ts';
import { damaged } from '../../support/damage.ts';
import { exifStream, plain, rich } from './fixtures.ts';

const COPIES = 400;
const FACTS = { width: 10, height: 10, pixelsChanged: true };

/** The work may fail, but only with the error that says so. */
function mayFail(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.code, 'corrupt_image');
  }
}

async function source(format: FormatId): Promise<Uint8Array> {
  if (format === 'gif') return plain('gif');
  if (format !== 'jxl') return rich(format);
  return writeMetadata('jxl', Buffer.from('ff0a0000', 'hex'), readMetadata('jpeg', await rich('jpeg')));
}

describe('damaged files', () => {
  for (const [seed, format] of (['jpeg', 'png', 'webp', 'avif', 'tiff', 'jxl', 'gif'] as const).entries()) {
    it(`of ${format} are read as far as they go, and written or refused`, { timeout: 60_000 }, async () => {
      const file = await source(format);
      const stored = readMetadata(format, file);
      for (const broken of damaged(file, COPIES, seed)) {
        const found = readMetadata(format, broken);
        selectMetadata(found, 'no_gps', FACTS);
        for (const metadata of [{}, stored, found]) mayFail(() => writeMetadata(format, broken, metadata));
        if (format === 'jpeg' || format === 'png') mayFail(() => padTo(format, broken, broken.length + 100));
      }
    });
  }

  it('of EXIF are edited or given up', { timeout: 60_000 }, async () => {
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
