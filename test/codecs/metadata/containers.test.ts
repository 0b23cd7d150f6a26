import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import type { FormatId } from '../../../codecs/formats/registry.ts';
import { readExif } from '../../../codecs/metadata/exif.ts';
import { readMetadata, selectMetadata, writeMetadata } from '../../../codecs/metadata/index.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../support/corpus.ts';
import { contains, containsSecret, HEIGHT, pixels, WIDTH, withMetadata, withoutMetadata } from './fixtures.ts';

const FORMATS = ['jpeg', 'png', 'webp', 'avif', 'tiff'] as const;
const FACTS = { width: WIDTH, height: HEIGHT, pixelsChanged: false };

/** Returns what sharp reads. Where libvips does not look (EXIF in TIFF, density in EXIF), uses our own reader. */
async function readBySharp(format: FormatId, file: Uint8Array) {
  const { icc, exif, xmp, iptc, density } = await sharp(file).metadata();
  const ours = readMetadata(format, file);
  return {
    icc,
    xmp,
    iptc,
    exif: format === 'tiff' ? ours.exif : exif,
    density: format === 'webp' || format === 'avif' ? ours.density?.x : density,
  };
}

describe('every container', () => {
  const files: Partial<Record<FormatId, { rich: Uint8Array; plain: Uint8Array }>> = {};
  before(async () => {
    for (const format of FORMATS)
      files[format] = { rich: await withMetadata(format), plain: await withoutMetadata(format) };
  });
  const fileOf = (format: FormatId) => files[format]!;

  for (const format of FORMATS) {
    describe(format, () => {
      it('is read as sharp reads it', async () => {
        const seen = await readBySharp(format, fileOf(format).rich);
        const { icc, exif, xmp, density } = readMetadata(format, fileOf(format).rich);
        assert.deepEqual(Buffer.from(icc!), seen.icc);
        assert.deepEqual(Buffer.from(xmp!), seen.xmp);
        assert.equal(contains(exif!, seen.exif!.subarray(format === 'tiff' ? 0 : 'Exif\0\0'.length)), true);
        assert.equal(seen.density, 300);
        assert.deepEqual(density, { x: 300, y: 300 });
        assert.equal(readExif(exif!).hasGps, true);
      });

      it('is stripped of all metadata, with the same pixels', async () => {
        const stripped = writeMetadata(format, fileOf(format).rich, {});
        const seen = await readBySharp(format, stripped);
        assert.deepEqual([seen.icc, seen.exif, seen.xmp, seen.iptc], [undefined, undefined, undefined, undefined]);
        assert.deepEqual(readMetadata(format, stripped), {});
        assert.deepEqual(await pixels(stripped), await pixels(fileOf(format).rich));
        assert.equal(contains(stripped, 'Acme') || contains(stripped, 'Ljubljana') || containsSecret(stripped), false);
        assert.deepEqual(writeMetadata(format, stripped, {}), stripped);
      });

      it('keeps all metadata through a round trip', async () => {
        const before = readMetadata(format, fileOf(format).rich);
        const after = writeMetadata(format, fileOf(format).plain, before);
        assert.deepEqual(await pixels(after), await pixels(fileOf(format).plain));
        const seen = await readBySharp(format, after);
        assert.deepEqual(seen.icc, Buffer.from(before.icc!));
        assert.deepEqual(seen.xmp, Buffer.from(before.xmp!));
        assert.equal(seen.density, 300);
        assert.equal(contains(seen.exif!, 'Acme'), true);
        assert.deepEqual(writeMetadata(format, after, before), after);
      });

      it('accepts the metadata of every other format', async () => {
        for (const source of FORMATS) {
          const stored = readMetadata(source, fileOf(source).rich);
          const seen = await readBySharp(format, writeMetadata(format, fileOf(format).plain, stored));
          assert.deepEqual([seen.density, seen.icc?.length], [300, stored.icc!.length], source);
          assert.equal(contains(seen.exif!, 'Acme') && contains(seen.xmp!, 'Ljubljana'), true, source);
        }
      });

      it('loses only the location with no_gps', async () => {
        const selected = selectMetadata(readMetadata(format, fileOf(format).rich), 'no_gps', FACTS);
        const written = writeMetadata(format, fileOf(format).rich, selected);
        assert.equal(containsSecret(written) || contains(written, 'Ljubljana') || contains(written, 'GPSLat'), false);
        const seen = await readBySharp(format, written);
        assert.equal(contains(seen.exif!, 'Acme') && contains(seen.xmp!, 'image/jpeg'), true);
        assert.deepEqual(
          [seen.density, seen.icc?.length],
          [300, readMetadata(format, fileOf(format).rich).icc!.length],
        );
      });

      it('can have a density and nothing else', async () => {
        const written = writeMetadata(format, fileOf(format).plain, { density: { x: 144, y: 144 } });
        assert.equal(Math.round((await readBySharp(format, written)).density!), 144);
        assert.deepEqual(readMetadata(format, written).density, { x: 144, y: 144 });
        assert.deepEqual(await pixels(written), await pixels(fileOf(format).plain));
      });

      it('rejects a file of another format, and reads nothing from it', () => {
        assert.throws(() => writeMetadata(format, new Uint8Array(100), {}), { code: 'corrupt_image' });
        assert.deepEqual(readMetadata(format, new Uint8Array(100)), {});
      });
    });
  }
});

describe('real files', { skip: corpusSkipReason }, () => {
  for (const format of ['jpeg', 'png', 'webp', 'tiff', 'gif'] as const) {
    it(`of ${format} keep their pixels when their metadata are removed`, async () => {
      const files = corpusFiles(format).filter((path) =>
        /\.(jpe?g|mpo|webp|tiff?|gif)$|libvips--.*png|pillow--.*png/.test(path),
      );
      assert.ok(files.length > 10);
      for (const path of files) {
        const file = corpus(path)!;
        const before = await pixels(file).catch(() => undefined);
        if (!before || path.endsWith('rotation--0.png')) continue;
        const stripped = writeMetadata(format, file, {});
        assert.deepEqual(await pixels(stripped), before, path);
        const { exif, xmp, iptc, icc } = await sharp(stripped).metadata();
        assert.deepEqual([exif, xmp, iptc, icc], [undefined, undefined, undefined, undefined], path);
      }
    });
  }
});
