import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Failure } from '../../../base/failure.ts';
import type { Bitmap } from '../../../codecs/bitmap.ts';
import type { FormatReader, ReaderContext } from '../../../codecs/format-reader.ts';
import { loadCodec } from '../../../codecs/formats/codecs.ts';
import { hasSignature } from '../../../codecs/sniff.ts';
import { corpus, corpusFiles, corpusSkipReason } from '../../support/corpus.ts';
import { damaged, TRIED_PART } from '../../support/damage.ts';
import { failureOf } from '../../support/failure.ts';
import { analyze, mgh, nifti1, nifti2, pack } from './files.ts';

const niftiReader = (await loadCodec('nifti')).reader!;
const analyzeReader = (await loadCodec('analyze')).reader!;
const mghReader = (await loadCodec('mgh')).reader!;
const recogniseVolume = (bytes: Uint8Array) =>
  (['nifti', 'analyze', 'mgh'] as const).find((id) => hasSignature(bytes, id));

const MAX_PIXELS = 1_000_000;
// The volume readers use nothing from the context.
const context = {} as ReaderContext;

const probe = (bytes: Uint8Array, page = 1, reader: FormatReader = niftiReader) =>
  reader.probe(bytes, { page, extension: '' }, context);

async function read(bytes: Uint8Array, page = 1, reader: FormatReader = niftiReader): Promise<Bitmap> {
  const content = await reader.decode(bytes, { page, extension: '', maxPixels: MAX_PIXELS, scale: 1 }, context);
  assert.ok('bitmap' in content);
  return content.bitmap;
}

const levels = async (...reading: Parameters<typeof read>) => [...(await read(...reading)).data];

const UINT8 = 2;
const INT16 = 4;

/** Six voxels from 0 to 250: two columns, three rows, stored from the bottom up. */
const RAMP = [0, 50, 100, 150, 200, 250];
const RAMP_UPRIGHT = [204, 255, 102, 153, 0, 51];

test('reads every number type in both byte orders and both versions', async () => {
  const types = [
    [UINT8, 'UInt8', RAMP],
    [256, 'Int8', [-128, -77, -26, 25, 76, 127]],
    [INT16, 'Int16', [-30000, -18000, -6000, 6000, 18000, 30000]],
    [512, 'UInt16', [0, 12000, 24000, 36000, 48000, 60000]],
    [8, 'Int32', [-(2 ** 31), -(2 ** 30), 0, 2 ** 30, 2 ** 31 - 1, 2 ** 31 - 1]],
    [768, 'UInt32', [0, 800_000_000, 1_600_000_000, 2_400_000_000, 3_200_000_000, 4_000_000_000]],
    [1024, 'BigInt64', [-5e15, -3e15, -1e15, 1e15, 3e15, 5e15]],
    [1280, 'BigUInt64', [0, 2e15, 4e15, 6e15, 8e15, 10e15]],
    [16, 'Float', [-0.5, -0.25, 0, 0.25, 0.5, 0.75]],
    [64, 'Double', [1e-300, 2e-300, 3e-300, 4e-300, 5e-300, 6e-300]],
  ] as const;
  for (const [datatype, packing, values] of types) {
    const low = Math.min(...values);
    const expected = values.map((value) => Math.round(((value - low) / (Math.max(...values) - low)) * 255));
    const upright = [4, 5, 2, 3, 0, 1].map((index) => expected[index]);
    for (const order of ['LE', 'BE'] as const) {
      for (const write of [nifti1, nifti2]) {
        const file = write({ dim: [2, 3], datatype, order, voxels: pack(packing, values, order) });
        assert.deepEqual(await levels(file), upright, `${packing} ${order} ${write.name}`);
      }
    }
  }
});

test('shows complex numbers by their magnitude', async () => {
  const values = [3, 4, 0, 0, -5, 12, 0, -26];
  for (const [datatype, packing] of [
    [32, 'Float'],
    [1792, 'Double'],
  ] as const) {
    const file = nifti1({ dim: [4, 1], datatype, voxels: pack(packing, values) });
    assert.deepEqual(
      await levels(file),
      [5, 0, 13, 26].map((value) => Math.round((value * 255) / 26)),
    );
  }
});

test('reads colours unchanged', async () => {
  const rgb = await read(nifti1({ dim: [1, 2], datatype: 128, voxels: pack('UInt8', [1, 2, 3, 200, 201, 202]) }));
  assert.deepEqual([rgb.channels, ...rgb.data], [3, 200, 201, 202, 1, 2, 3]);
  const file = nifti1({ dim: [1, 2], datatype: 2304, voxels: pack('UInt8', [1, 2, 3, 4, 200, 201, 202, 203]) });
  const rgba = await read(file);
  assert.deepEqual([rgba.channels, ...rgba.data], [4, 200, 201, 202, 203, 1, 2, 3, 4]);
  assert.deepEqual(await probe(file), { width: 1, height: 2, pages: 1, depth: 8, storedDepth: 8, hasAlpha: true });
});

test('uses the display range of the file, in scaled values', async () => {
  const scaled = { slope: 2, intercept: 100, calMin: 200, calMax: 455 };
  const file = nifti1({ dim: [2, 3], datatype: UINT8, voxels: pack('UInt8', RAMP), ...scaled });
  // The range 200 to 455 is stored as 50 to 177.5.
  assert.deepEqual(await levels(file), [255, 255, 100, 200, 0, 0]);
  // An empty or inverted range counts as unset.
  const unset = nifti1({ dim: [2, 3], datatype: UINT8, voxels: pack('UInt8', RAMP), calMin: 9, calMax: 9 });
  assert.deepEqual(await levels(unset), RAMP_UPRIGHT);
});

test('inverts black and white with a negative slope, and ignores a slope of 0', async () => {
  const voxels = pack('UInt8', RAMP);
  const negative = nifti1({ dim: [2, 3], datatype: UINT8, voxels, slope: -1, intercept: 7 });
  assert.deepEqual(
    await levels(negative),
    RAMP_UPRIGHT.map((level) => 255 - level),
  );
  assert.deepEqual(
    await levels(nifti2({ dim: [2, 3], datatype: UINT8, voxels, slope: 0, intercept: 7 })),
    RAMP_UPRIGHT,
  );
});

test('ignores a thousandth of the voxels at each end without a display range', async () => {
  const values = Array.from({ length: 2000 }, (_, i) => 1000 + (i % 100));
  values[77] = -32768;
  values[1234] = 32767;
  const data = await levels(nifti1({ dim: [100, 20], datatype: INT16, voxels: pack('Int16', values) }));
  assert.deepEqual([Math.max(...data), Math.min(...data)], [255, 0]);
  assert.equal(data[19 * 100 + 50], Math.round((50 * 255) / 99));
});

test('shows a small mask although nearly all voxels are 0', async () => {
  const values = new Array<number>(4000).fill(0);
  values[3999] = 1;
  const data = await levels(nifti1({ dim: [100, 40], datatype: UINT8, voxels: pack('UInt8', values) }));
  assert.equal(data[99], 255);
  assert.equal(
    data.reduce((sum, level) => sum + level),
    255,
  );
});

test('ignores NaN and infinity for the range, and shows them as black or white', async () => {
  const values = [Number.NaN, 0, 10, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 20];
  const file = nifti1({ dim: [6, 1], datatype: 16, voxels: pack('Float', values) });
  assert.deepEqual(await levels(file), [0, 0, 128, 255, 0, 255]);
  const nothing = nifti1({ dim: [1, 1], datatype: 16, voxels: pack('Float', [Number.NaN]) });
  assert.deepEqual(await levels(nothing), [0]);
});

test('reads the planes of the first volume as pages with one range', async () => {
  const voxels = pack('UInt8', [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 255]);
  const file = nifti1({ dim: [2, 1, 3, 2], datatype: UINT8, voxels });
  assert.deepEqual(await probe(file), { width: 2, height: 1, pages: 3, depth: 8, storedDepth: 8, hasAlpha: false });
  assert.deepEqual(await levels(file, 1), [0, 51]);
  assert.deepEqual(await levels(file, 3), [204, 255]);
  const failure = await failureOf('page_out_of_range', () => probe(file, 4));
  assert.equal(failure.message, 'Expected a page from 1 to 3 for page but received 4.');
  await failureOf('page_out_of_range', () => read(file, 4));
});

test('counts dimensions of 0 as one', async () => {
  const file = nifti1({ dim: [2, 3, 0, 0, 1], datatype: UINT8, voxels: pack('UInt8', RAMP) });
  assert.equal((await probe(file)).pages, 1);
});

test('shows anterior or superior at the top', async () => {
  const asStored = RAMP.map((value) => Math.round((value * 255) / 250));
  const cases: [string, Partial<Parameters<typeof nifti1>[0]>, number[]][] = [
    ['RAS', { srow: [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0] }, RAMP_UPRIGHT],
    ['LAS', { srow: [-2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0] }, RAMP_UPRIGHT],
    ['LPS', { srow: [-2, 0, 0, 0, 0, -2, 0, 0, 0, 0, 2, 0] }, asStored],
    ['oblique LIA', { srow: [-1, 0, 0, 0, 0, 0.2, 0.9, 0, 0, -0.9, 0.2, 0] }, asStored],
    ['no transform', {}, RAMP_UPRIGHT],
    ['turned by 180 degrees about z', { quaternion: [0, 0, 1] }, asStored],
    ['turned by 90 degrees about z', { quaternion: [0, 0, Math.SQRT1_2] }, asStored],
    ['turned back by 90 degrees about z', { quaternion: [0, 0, -Math.SQRT1_2] }, RAMP_UPRIGHT],
    ['turned by 90 degrees about x', { quaternion: [Math.SQRT1_2, 0, 0] }, RAMP_UPRIGHT],
    ['turned back by 90 degrees about x', { quaternion: [-Math.SQRT1_2, 0, 0] }, asStored],
    ['turned by 180 degrees about y', { quaternion: [0, 1, 0] }, RAMP_UPRIGHT],
    [
      'transform before quaternion',
      { quaternion: [0, 0, 1], srow: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] },
      RAMP_UPRIGHT,
    ],
  ];
  for (const [name, orientation, expected] of cases) {
    for (const write of [nifti1, nifti2]) {
      const file = write({ dim: [2, 3], datatype: UINT8, voxels: pack('UInt8', RAMP), ...orientation });
      assert.deepEqual(await levels(file), expected, `${name} ${write.name}`);
    }
  }
});

test('reads any page of a compressed file', async () => {
  const side = 512;
  const voxels = new Uint8Array(side * side * 3);
  for (let at = 0; at < voxels.length; at++) voxels[at] = (at / (side * side)) * 85 + (at % 7);
  const plain = nifti2({ dim: [side, side, 3], datatype: UINT8, voxels, voxelsAt: 600 });
  for (const page of [1, 2, 3]) {
    assert.deepEqual((await read(gzipSync(plain), page)).data, (await read(plain, page)).data);
  }
  const windowed = nifti1({ dim: [side, side, 3], datatype: UINT8, voxels, calMax: 255 });
  assert.deepEqual((await read(gzipSync(windowed), 2)).data, (await read(windowed, 2)).data);
});

test('samples all columns of a large volume', async () => {
  const side = 2000;
  // Every sixteenth column is brighter. The reader samples one sixteenth of the 4,000,000 voxels.
  const voxels = Uint8Array.from({ length: side * side }, (_, at) => ((at % side) % 16 === 8 ? 200 : 100));
  const file = nifti1({ dim: [side, side], datatype: UINT8, voxels });
  const content = await niftiReader.decode(file, { page: 1, extension: '', maxPixels: side * side, scale: 1 }, context);
  assert.ok('bitmap' in content);
  assert.deepEqual([...content.bitmap.data.subarray(7, 10)], [0, 255, 0]);
});

test('reads a voxel across two chunks of the decompressed file', async () => {
  const values = new Uint16Array(600 * 1000);
  const PIECE = 256 * 1024;
  const voxelsAt = 357;
  // The reader samples every third of these voxels. The bytes of this one are in two pieces.
  const across = (PIECE - 1 - voxelsAt) / 2;
  assert.equal(across % 3, 0);
  values[across] = 256;
  values[1] = 64;
  const voxels = new Uint8Array(values.buffer);
  const { data } = await read(gzipSync(nifti1({ dim: [600, 1000], datatype: 512, voxels, voxelsAt })));
  assert.equal(data[999 * 600 + 1], 64);
});

test('keeps the rows of a file that ends early', async () => {
  const file = nifti1({ dim: [2, 3], datatype: UINT8, voxels: pack('UInt8', [0, 20, 100]) });
  const { data, truncated } = await read(file);
  assert.equal(truncated, true);
  assert.deepEqual([...data], [0, 0, 255, 0, 0, 51]);
  await failureOf('corrupt_image', () =>
    read(nifti1({ dim: [2, 3, 2], datatype: UINT8, voxels: pack('UInt8', RAMP) }), 2),
  );
  const voxels = Uint8Array.from({ length: 10_000 }, (_, at) => (at * at) >> 3);
  const packed = gzipSync(nifti1({ dim: [100, 100], datatype: UINT8, voxels }));
  const cut = await read(packed.subarray(0, packed.length / 2));
  assert.equal(cut.truncated, true);
  assert.ok(cut.data.subarray(-100).some((level) => level > 0));
});

test('rejects volumes with voxels in another file or of an unknown type, with the reason', async () => {
  const pair = nifti1({ dim: [2, 3], datatype: UINT8, voxels: pack('UInt8', RAMP), magic: 'ni1\0' });
  const failure = await failureOf('unsupported_format', () => probe(pair));
  assert.match(failure.message, /a NIfTI header whose voxels are in another file/);
  const bits = nifti1({ dim: [2, 3], datatype: 1, voxels: pack('UInt8', RAMP) });
  assert.match((await failureOf('unsupported_format', () => probe(bits))).message, /a NIfTI volume of data type 1,/);
});

test('rejects a decompression bomb by its header', async () => {
  const bomb = gzipSync(nifti1({ dim: [1000, 1000, 2000], datatype: UINT8, voxels: new Uint8Array(1_000_000) }));
  assert.ok(bomb.length < 3000);
  await failureOf('image_too_large', () => read(bomb));
  const wide = nifti2({ dim: [2 ** 20, 2 ** 20], datatype: UINT8, voxels: new Uint8Array() });
  await failureOf('image_too_large', () => read(wide));
  const endless = nifti1({
    dim: [99, 32767, 32767, 32767, 32767, 32767, 32767],
    datatype: UINT8,
    voxels: new Uint8Array(),
  });
  await failureOf('image_too_large', () => read(endless));
});

test('reads Analyze, with colours by plane and rows as the orientation says', async () => {
  const file = analyze({
    dim: [2, 3, 1, 0],
    datatype: INT16,
    bitpix: 16,
    order: 'BE',
    voxels: pack('Int16', RAMP, 'BE'),
  });
  assert.equal(recogniseVolume(file), 'analyze');
  const { storedDepth, ...probed } = await probe(file, 1, analyzeReader);
  assert.deepEqual(probed, { width: 2, height: 3, pages: 1, depth: 8, hasAlpha: false });
  assert.equal(storedDepth, 16);
  assert.deepEqual(await levels(file, 1, analyzeReader), RAMP_UPRIGHT);
  const flipped = analyze({
    dim: [2, 3],
    datatype: UINT8,
    bitpix: 8,
    orient: 3,
    calMax: 255,
    voxels: pack('UInt8', RAMP),
  });
  assert.deepEqual(await levels(flipped, 1, analyzeReader), RAMP);
  const rgb = analyze({
    dim: [2, 1, 2],
    datatype: 128,
    bitpix: 24,
    voxels: pack('UInt8', [...RAMP, 1, 2, 3, 4, 5, 6]),
  });
  assert.deepEqual(await levels(rgb, 2, analyzeReader), [1, 3, 5, 2, 4, 6]);
  const offset = analyze({ dim: [2, 3], datatype: UINT8, bitpix: 8, voxelsAt: 512, voxels: pack('UInt8', RAMP) });
  assert.deepEqual(await levels(gzipSync(offset), 1, analyzeReader), RAMP_UPRIGHT);
});

test('recognises an Analyze header alone and rejects it with the reason', async () => {
  const header = analyze({ dim: [2, 3], datatype: UINT8, bitpix: 8, voxels: new Uint8Array() });
  assert.equal(recogniseVolume(header), 'analyze');
  const { message } = await failureOf('unsupported_format', () => probe(header, 1, analyzeReader));
  assert.match(message, /an Analyze 7.5 header whose voxels are in another file/);
});

test('reads MGH, compressed or not', async () => {
  const file = mgh({ dim: [2, 3, 1, 1], type: 4, voxels: pack('Int16', RAMP, 'BE'), second: [0, 0, -1] });
  assert.equal(recogniseVolume(file), 'mgh');
  const asStored = RAMP.map((value) => Math.round((value * 255) / 250));
  assert.deepEqual(await levels(file, 1, mghReader), asStored);
  assert.deepEqual(await levels(gzipSync(file), 1, mghReader), asStored);
  const axial = mgh({ dim: [2, 3, 1, 1], type: 0, voxels: pack('UInt8', RAMP), second: [0.1, 1, 0] });
  assert.deepEqual(await levels(axial, 1, mghReader), RAMP_UPRIGHT);
  const plain = mgh({ dim: [2, 3, 1, 1], type: 1, voxels: pack('Int32', RAMP, 'BE') });
  assert.deepEqual(await levels(plain, 1, mghReader), asStored);
  const frames = mgh({ dim: [1, 1, 2, 2], type: 3, voxels: pack('Float', [0, 1, 2, 4], 'BE') });
  assert.equal((await probe(frames, 1, mghReader)).pages, 2);
  assert.deepEqual(await levels(frames, 2, mghReader), [255]);
});

test('recognises volumes by their content, and no other files', () => {
  const file = nifti1({ dim: [2, 3], datatype: UINT8, voxels: pack('UInt8', RAMP) });
  assert.equal(recogniseVolume(file), 'nifti');
  assert.equal(recogniseVolume(gzipSync(file)), 'nifti');
  assert.equal(
    recogniseVolume(nifti2({ dim: [2, 3], datatype: UINT8, order: 'BE', voxels: new Uint8Array() })),
    'nifti',
  );
  const notVolumes = [
    new Uint8Array(),
    Uint8Array.of(0x1f, 0x8b, 8),
    gzipSync(new Uint8Array(50_000_000)).subarray(0, 40_000),
    gzipSync('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    file.subarray(0, 347),
    Buffer.alloc(600, 1),
    new Uint8Array(600),
    analyze({ dim: [2, 3], datatype: UINT8, bitpix: 16, voxels: pack('UInt8', RAMP) }),
    analyze({ dim: [2, 0], datatype: UINT8, bitpix: 8, voxels: pack('UInt8', RAMP) }),
    mgh({ dim: [2, 3, 0, 1], type: 0, voxels: pack('UInt8', RAMP) }),
    Buffer.from(mgh({ dim: [2, 3, 1, 1], type: 0, voxels: pack('UInt8', RAMP) })).fill('text', 100, 200),
  ];
  for (const [index, bytes] of notVolumes.entries()) assert.equal(recogniseVolume(bytes), undefined, `${index}`);
});

test('throws nothing but a Failure on damaged files', async () => {
  const voxels = Uint8Array.from({ length: 4096 }, (_, at) => at * 31);
  const dim = [16, 16, 4] as const;
  const files: [FormatReader, Uint8Array][] = [
    [niftiReader, nifti1({ dim, datatype: INT16, voxels, slope: 2 })],
    [niftiReader, nifti2({ dim, datatype: 16, voxels, order: 'BE' })],
    [niftiReader, gzipSync(nifti1({ dim, datatype: 128, voxels }))],
    [analyzeReader, analyze({ dim, datatype: UINT8, bitpix: 8, voxels })],
    [mghReader, mgh({ dim: [16, 16, 2, 2], type: 3, voxels })],
  ];
  let read = 0;
  for (const [reader, file] of files) {
    for (const [index, bytes] of [...damaged(file, 300, 11)].entries()) {
      try {
        recogniseVolume(bytes);
        await reader.probe(bytes, { page: 1 + (index % 4), extension: 'nii' }, context);
        await reader.decode(bytes, { page: 1 + (index % 4), extension: 'nii', maxPixels: 10_000, scale: 1 }, context);
        read++;
      } catch (error) {
        assert.ok(error instanceof Failure, String(error));
      }
    }
  }
  assert.ok(read > 100 * TRIED_PART, `${read} were read`);
});

/**
 * Sizes, planes and the weighted sum of the levels of one page, computed by nibabel and numpy from the first volume.
 */
const FACTS = [
  ['nibabel--anatomical.nii', 33, 41, 25, 13, 24350642],
  ['nibabel--data--test.mgz', 3, 4, 5, 3, 8085],
  ['nibabel--example4d.nii.gz', 128, 96, 24, 13, 62938511],
  ['nibabel--example_nifti2.nii.gz', 32, 20, 12, 7, 7122462],
  ['nibabel--functional.nii', 17, 21, 3, 2, 6037668],
  ['nibabel--reoriented_anat_moved.nii', 21, 26, 22, 12, 7857512],
  ['nibabel--someones_anatomy.nii.gz', 57, 67, 56, 29, 73480812],
  ['nibabel--standard.nii.gz', 4, 5, 7, 4, 15300],
] as const;

test('shows real volumes as nibabel and numpy compute them', { skip: corpusSkipReason }, async () => {
  const readers = { nifti: niftiReader, analyze: analyzeReader, mgh: mghReader };
  for (const [name, width, height, pages, page, sum] of FACTS) {
    const bytes = corpus(`nifti/${name}`);
    assert.ok(bytes, name);
    const format = recogniseVolume(bytes);
    assert.equal(format, name.endsWith('mgz') ? 'mgh' : 'nifti');
    const reader = readers[format];
    const { storedDepth, ...probed } = await probe(bytes, page, reader);
    assert.deepEqual(probed, { width, height, pages, depth: 8, hasAlpha: false }, name);
    assert.ok(storedDepth! >= 8, name);
    const { data, truncated } = await read(bytes, page, reader);
    assert.equal(truncated, false);
    let total = 0;
    for (const [at, level] of data.entries()) total += level * ((at % 251) + 1);
    assert.equal(total, sum, name);
  }
  assert.deepEqual(
    corpusFiles('nifti').map((path) => path.slice('nifti/'.length)),
    FACTS.map(([name]) => name),
  );
});
