import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import type { ReaderContext } from '../../../../codecs/format-reader.ts';
import { findPreviews } from '../../../../codecs/formats/raw/previews.ts';
import { reader as rawReader } from '../../../../codecs/formats/raw/read.ts';
import { isCameraRaw } from '../../../../codecs/formats/raw/recognise.ts';
import { wasmMemoryBytes } from '../../../../codecs/memory.ts';
import { createExif } from '../../../../codecs/metadata/exif.ts';
import { compileModules } from '../../../../codecs/modules.ts';
import { startVips } from '../../../../codecs/vips.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../../support/corpus.ts';
import { damaged, TRIED_PART } from '../../../support/damage.ts';
import { dng } from '../../../support/dng.ts';
import { failureOf } from '../../../support/failure.ts';
import { nightlyOnly } from '../../../support/nightly.ts';
import { readBitmap, readDamaged } from '../../../support/readers.ts';

const modules = await compileModules();
const { vips } = await startVips(modules);
const context: ReaderContext = { vips, modules };
const request = { page: 1, extension: '' };

const probe = async (bytes: Uint8Array) => await rawReader.probe(bytes, request, context);
const decode = async (bytes: Uint8Array) =>
  await rawReader.decode(bytes, { ...request, maxPixels: 50_000_000, scale: 1 }, context);

const jpeg = (width: number, height: number, orientation?: number) => {
  const made = sharp({ create: { width, height, channels: 3, background: '#c03020' } }).jpeg();
  return (orientation ? made.withMetadata({ orientation }) : made).toBuffer();
};

/** Returns the colour of the middle pixel. */
function middle({ data, width, height }: { data: ArrayLike<number>; width: number; height: number }): number[] {
  const at = (Math.floor(height / 2) * width + Math.floor(width / 2)) * 3;
  return [data[at]!, data[at + 1]!, data[at + 2]!];
}

test('develops sensor data, upright and in colour', async () => {
  const red = dng({ width: 96, height: 64, colour: [50_000, 4_000, 4_000] });
  const bitmap = await readBitmap(rawReader, red);
  assert.deepEqual([bitmap.width, bitmap.height, bitmap.truncated], [96, 64, undefined]);
  const [r, g, b] = middle(bitmap);
  assert.ok(r! > 2 * g! && r! > 2 * b!, `${r}, ${g}, ${b}`);
  const turned = await readBitmap(
    rawReader,
    dng({ width: 96, height: 64, colour: [9_000, 9_000, 9_000], orientation: 6 }),
  );
  assert.deepEqual([turned.width, turned.height], [64, 96]);
});

test('frees the memory of a large file and develops the next one in the same way', { skip: nightlyOnly }, async () => {
  const large = dng({ width: 4000, height: 2600, colour: [50_000, 4_000, 4_000] });
  const before = wasmMemoryBytes();
  const first = await readBitmap(rawReader, large, { maxPixels: 11_000_000 });
  // Without the release, 22 bytes per pixel (229 MB) would stay allocated.
  assert.ok(wasmMemoryBytes() - before < 100e6, `${wasmMemoryBytes() - before} bytes`);
  assert.deepEqual((await readBitmap(rawReader, large, { maxPixels: 11_000_000 })).data, first.data);
});

test('shows a preview of full size instead of the sensor data, and says so', async () => {
  const file = dng({ width: 96, height: 64, colour: [9_000, 9_000, 9_000], preview: await jpeg(90, 60) });
  assert.deepEqual(await probe(file), { width: 90, height: 60, pages: 1, depth: 8, hasAlpha: false, preview: true });
  const content = await decode(file);
  assert.ok('embedded' in content && content.embedded.format === 'jpeg');
});

/** Returns a file in Fujifilm's container: a header of 160 bytes, a JPEG, and no sensor data that LibRaw knows. */
function raf(preview: Uint8Array): Buffer {
  const header = Buffer.alloc(160);
  header.write('FUJIFILMCCD-RAW 0201FF129502FinePix S5000');
  header.writeUInt32BE(header.length, 84);
  header.writeUInt32BE(preview.length, 88);
  return Buffer.concat([header, preview]);
}

test('reads a Fujifilm file whose sensor data LibRaw does not know as its preview, never as a few pixels', async () => {
  const { width, height, preview } = await probe(raf(await jpeg(90, 60)));
  assert.deepEqual([width, height, preview], [90, 60, true]);
  await failureOf('corrupt_image', () => probe(raf(Buffer.alloc(0))));
  await failureOf('corrupt_image', async () => await probe(raf(await jpeg(8, 8))));
});

test('ignores a small preview', async () => {
  const file = dng({ width: 96, height: 64, colour: [9_000, 9_000, 9_000], preview: await jpeg(48, 32) });
  const { width, height, preview } = await probe(file);
  assert.deepEqual([width, height, preview], [96, 64, undefined]);
});

test('uses the orientation of the preview, or that of the raw file if it has none', async () => {
  const colour = [9_000, 9_000, 9_000] as const;
  for (const [own, orientation, size] of [
    [undefined, 6, [60, 90]],
    [undefined, 1, [90, 60]],
    [1, 6, [90, 60]],
    [8, 1, [60, 90]],
  ] as const) {
    const file = dng({ width: 96, height: 64, colour, orientation, preview: await jpeg(90, 60, own) });
    const { width, height } = await probe(file);
    assert.deepEqual([width, height], size);
    const content = await decode(file);
    assert.ok('embedded' in content);
    const shown = await sharp(content.embedded.bytes).rotate().toBuffer({ resolveWithObject: true });
    assert.deepEqual([shown.info.width, shown.info.height], size);
  }
});

test('shows the preview of a truncated file, or the part that is there', async () => {
  const whole = dng({ width: 96, height: 64, colour: [9_000, 9_000, 9_000], preview: await jpeg(48, 32) });
  assert.deepEqual((await probe(whole.subarray(0, whole.length - 3_000))).preview, true);
  const bare = dng({ width: 96, height: 64, colour: [9_000, 9_000, 9_000] });
  const bitmap = await readBitmap(rawReader, bare.subarray(0, bare.length - 3_000));
  assert.equal(bitmap.truncated, true);
  const [top, bottom] = [bitmap.data[96 * 3 * 8]!, bitmap.data[96 * 3 * 62]!];
  assert.ok(top > 100 && bottom === 0, `${top}, ${bottom}`);
});

test('finds previews anywhere and takes the largest complete one', async () => {
  const [small, large, cut] = [await jpeg(16, 16), await jpeg(64, 48), (await jpeg(200, 200)).subarray(0, -20)];
  const noise = Buffer.from([0xff, 0xd8, 0xff, 0x00, 0xff, 0xd8, 0xff, 0xc3, 0, 8]);
  const found = findPreviews(Buffer.concat([noise, small, noise, large, noise, cut]));
  assert.deepEqual(
    found.map(({ width, height, complete }) => [width, height, complete]),
    [
      [64, 48, true],
      [16, 16, true],
      [200, 200, false],
    ],
  );
  assert.deepEqual(Buffer.from(found[0]!.bytes), large);
  const start = noise.length;
  assert.equal(findPreviews(Buffer.concat([noise, small]), [{ start, end: start + small.length }]).length, 0);
});

test('tells raw files from plain TIFF', async () => {
  const colour = [1, 1, 1] as const;
  assert.ok(isCameraRaw(dng({ width: 8, height: 8, colour })));
  assert.ok(
    !isCameraRaw(
      await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
        .tiff()
        .toBuffer(),
    ),
  );
  assert.ok(!isCameraRaw(createExif({ orientation: 3 })));
  for (const start of [
    'FUJIFILMCCD-RAW 0201',
    'IIU\0',
    'IIRO',
    'IIRS',
    'MMOR',
    'FOVb',
    '\0MRM',
    'II\x1a\0\0\0HEAPCCDR',
    '\0\0\0\x18ftypcrx ',
    'II*\0\x10\0\0\0CR\x02\0',
  ]) {
    assert.ok(isCameraRaw(Buffer.from(start, 'latin1')), start);
  }
  for (const start of ['', 'II', 'II*\0', 'MM\0*\0\0\0\x08\xff\xff'])
    assert.ok(!isCameraRaw(Buffer.from(start, 'latin1')));
});

test('recognises real raw files, and takes no real TIFF for one', { skip: corpusSkipReason }, () => {
  for (const file of corpusFiles('raw')) assert.ok(isCameraRaw(corpus(file)!), file);
  for (const folder of ['tiff', 'heic', 'avif', 'jpeg', 'png']) {
    for (const file of corpusFiles(folder)) assert.ok(!isCameraRaw(corpus(file)!), file);
  }
});

/** Upright sizes as developed by LibRaw 0.20. For the three truncated files, the size of the thumbnail. */
const REAL = [
  ['digicam_corpus--P003911.KDC', 1301, 976, false],
  ['exiv2--IMG_1361.dng', 3024, 4032, false],
  ['file-type--fixture-Leica-M10.dng', 120, 160, true],
  ['file-type--fixture-sony-zv-e10.arw', 120, 160, true],
  ['file-type--fixture.cr3', 120, 160, true],
  ['tinydng--colorchart.dng', 1734, 1156, false],
] as const;

test('reads the size of real raw files as LibRaw does', { skip: corpusSkipReason || nightlyOnly }, async () => {
  for (const [file, width, height, preview] of REAL) {
    const bytes = corpus(`raw/${file}`)!;
    const found = await probe(bytes);
    assert.deepEqual([found.width, found.height, found.preview ?? false], [width, height, preview], file);
    const content = await decode(bytes);
    assert.equal('embedded' in content, preview, file);
    if ('bitmap' in content) assert.deepEqual([content.bitmap.width, content.bitmap.height], [width, height], file);
  }
});

test('returns a failure or an image of the declared size for damaged files', async () => {
  const seeds = [dng({ width: 24, height: 16, colour: [9_000, 9_000, 9_000], orientation: 8 })];
  await readDamaged(rawReader, seeds, 25);
  const recognised = [...damaged(seeds[0]!, 200, 7)].filter((bytes) => isCameraRaw(bytes));
  assert.ok(recognised.length > 100 * TRIED_PART);
});

test('rejects empty content as corrupt', async () => {
  await failureOf('corrupt_image', () => probe(Buffer.from('IIU\0')));
  await failureOf('page_out_of_range', () => rawReader.probe(new Uint8Array(9), { page: 2, extension: '' }, context));
});
