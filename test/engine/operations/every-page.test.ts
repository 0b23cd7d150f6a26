/** A TIFF stays a TIFF with all of its pages, whichever operation makes the result. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { Failure } from '../../../base/failure.ts';
import { readMetadata, writeMetadata } from '../../../codecs/metadata/index.ts';
import { compress, inspect } from '../../support/engine.ts';
import { decode, difference, flat, pattern, pixel, sharpOf } from '../../support/test-images.ts';
import { bigEndianTiff, joinTiffs } from '../../support/tiff-pages.ts';
import { blurFaces } from '../blur-faces/support.ts';
import { pipeline } from '../pipeline/support.ts';
import { upscale } from '../upscale/support.ts';

const PHOTO = pattern(90, 60);
const LETTER = pattern(40, 70);

const pageOf = (file: Uint8Array, page: number): Promise<Buffer> =>
  sharp(file, { page: page - 1 })
    .png()
    .toBuffer();

async function sizesOf(file: Uint8Array): Promise<string[]> {
  const { pages = 1 } = await sharp(file).metadata();
  const one = async (_: unknown, index: number) => {
    const { width, height } = await sharp(file, { page: index }).metadata();
    return `${width} x ${height}`;
  };
  return Promise.all(Array.from({ length: pages }, one));
}

/** A drawing in black and white with one bit per pixel. */
const drawing = (): Promise<Buffer> => {
  const data = Buffer.from(Array.from({ length: 300 * 200 }, (_, at) => (at % 50 < 3 ? 0 : 255)));
  return sharp(data, { raw: { width: 300, height: 200, channels: 1 } })
    .toColourspace('b-w')
    .tiff({ bitdepth: 1, compression: 'ccittfax4' })
    .toBuffer();
};

describe('a TIFF of pages of different sizes and depths', () => {
  let file: Buffer;

  before(async () => {
    const deep = await sharpOf(LETTER).toColourspace('rgb16').tiff({ compression: 'none' }).toBuffer();
    const named = await sharpOf(PHOTO)
      .withExif({ IFD0: { Artist: 'One' } })
      .jpeg()
      .toBuffer();
    const bare = await sharpOf(PHOTO).tiff({ compression: 'none' }).toBuffer();
    const photo = writeMetadata('tiff', bare, readMetadata('jpeg', named));
    file = joinTiffs([photo, deep, await drawing()]);
  });

  it('keeps all pages, each smaller', async () => {
    const { bytes, outcome, warnings, width, height, source } = await compress(file);
    assert.deepEqual([outcome, warnings, width, height], ['reduced', ['depth_reduced'], 90, 60]);
    assert.equal(source.bytes, file.length);
    assert.ok(bytes.length < file.length / 3, `${bytes.length} of ${file.length} bytes`);
    assert.deepEqual(await sizesOf(bytes), ['90 x 60', '40 x 70', '300 x 200']);
    for (const [index, original] of [PHOTO, LETTER].entries()) {
      assert.ok(difference(await decode(await pageOf(bytes, index + 1)), original).mean < 8);
    }
  });

  it('keeps every sample of every page without loss', async () => {
    const { bytes } = await compress(file, { mode: 'lossless', flip: 'h' });
    const samples = (from: Uint8Array, page: number) =>
      sharp(from, { page }).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
    for (const page of [0, 1, 2]) {
      const flipped = await sharp(file, { page }).flop().toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
      assert.deepEqual(await samples(bytes, page), flipped);
    }
    const depths = await Promise.all([0, 1, 2].map(async (page) => (await sharp(bytes, { page }).metadata()).depth));
    assert.deepEqual(depths, ['uchar', 'ushort', 'uchar']);
    assert.equal((await inspect(bytes, { page: 3 })).color.bit_depth, 1);
  });

  it('has every step done on each page', async () => {
    const { bytes } = await compress(file, { width: 20, border: 5, border_color: '#ff0000' });
    assert.deepEqual(await sizesOf(bytes), ['30 x 23', '30 x 45', '30 x 23']);
    for (const page of [1, 2, 3]) {
      const [red, green, blue] = pixel(await decode(await pageOf(bytes, page)), 1, 1);
      assert.ok(red! > 240 && green! < 15 && blue! < 15, `${red} ${green} ${blue} on page ${page}`);
    }
  });

  it('fits a size with about the same quality on all pages', async () => {
    const { bytes, outcome, similarity } = await compress(file, { target_bytes: 7000, score: true });
    assert.equal(outcome, 'target_met');
    assert.ok(bytes.length <= 7000, `${bytes.length} bytes`);
    assert.deepEqual(await sizesOf(bytes), ['90 x 60', '40 x 70', '300 x 200']);
    assert.ok(similarity! > 0.9, `similarity ${similarity}`);
    assert.equal((await compress(file, { target_bytes: 500 })).outcome, 'unreachable');
  });

  it('is one page if that page is asked for', async () => {
    assert.deepEqual(await sizesOf((await compress(file, { page: 2 })).bytes), ['40 x 70']);
  });

  it('keeps the metadata of each page, or none', async () => {
    const kept = await compress(file, { metadata: 'keep', quality: 60 });
    assert.equal((await inspect(kept.bytes)).metadata.exif?.Artist, 'One');
    const named = ({ bytes }: { bytes: Buffer }) => bytes.toString('latin1').split('One').length - 1;
    assert.deepEqual([named(kept), named(await compress(file, { quality: 60 }))], [1, 0]);
  });

  it('has the steps of a pipeline done on each page, as the dry run says', async () => {
    const { bytes, warnings, plan, steps } = await pipeline(file, [
      { op: 'crop', params: { crop_ratio: '1:1' } },
      { op: 'compress', params: { quality: 60 } },
    ]);
    // Only the first page is known beforehand.
    assert.deepEqual([warnings, plan.warnings], [['depth_reduced'], []]);
    assert.deepEqual(
      steps.map(({ op, reason }) => [op, reason]),
      [
        ['crop', null],
        ['compress', null],
      ],
    );
    assert.deepEqual(await sizesOf(bytes), ['60 x 60', '40 x 40', '200 x 200']);
  });

  it('is covered by blur-faces on each page', async () => {
    const { bytes, faces, warnings } = await blurFaces(file, { boxes: '0,0,20,20', effect: 'pixelate', strength: 100 });
    assert.deepEqual([faces, warnings], [3, ['depth_reduced']]);
    assert.deepEqual(await sizesOf(bytes), ['90 x 60', '40 x 70', '300 x 200']);
    for (const page of [1, 2, 3]) {
      const covered = await decode(await pageOf(bytes, page));
      assert.deepEqual(pixel(covered, 9, 9), pixel(covered, 10, 10), `page ${page}`);
    }
  });

  it('is enlarged on each page', async () => {
    const { bytes } = await upscale(file);
    assert.deepEqual(await sizesOf(bytes), ['180 x 120', '80 x 140', '600 x 400']);
  });

  it('is refused with the number of the page that cannot be done', async () => {
    await assert.rejects(compress(file, { crop: '0,0,80,50' }), (error) => {
      assert.ok(error instanceof Failure);
      assert.deepEqual([error.code, error.param], ['invalid_parameter', 'crop']);
      assert.match(error.message, /on page 2 but received/);
      return true;
    });
  });
});

it('pages that no encoding makes smaller are kept, and the whole file if nothing else is asked for', async () => {
  const page = (await compress(await drawing())).bytes;
  const file = joinTiffs([page, page]);
  const { bytes, outcome } = await compress(file, { metadata: 'keep' });
  assert.deepEqual([outcome, bytes], ['kept_original', file]);
  const stripped = await compress(file);
  assert.equal(stripped.outcome, 'kept_original');
  assert.deepEqual(await sizesOf(stripped.bytes), ['300 x 200', '300 x 200']);
});

it('smaller copies of a page are not pages', async () => {
  const file = joinTiffs([bigEndianTiff(PHOTO), bigEndianTiff(pattern(9, 6), 1)]);
  const { bytes, warnings } = await compress(file);
  assert.deepEqual([await sizesOf(bytes), warnings], [['90 x 60'], ['depth_reduced']]);
});

it('a kept page of the other byte order has the same samples', async () => {
  const file = joinTiffs([bigEndianTiff(pattern(2, 2)), bigEndianTiff(flat(90, 60, 200, 100, 50))]);
  const { bytes } = await compress(file, { mode: 'lossless' });
  const samples = (from: Uint8Array, page: number) => sharp(from, { page }).raw({ depth: 'ushort' }).toBuffer();
  for (const page of [0, 1]) assert.deepEqual(await samples(bytes, page), await samples(file, page));
  assert.ok(bytes.length < file.length / 4, `${bytes.length} of ${file.length} bytes`);
});
