/** Which images keep their chroma at full resolution. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { needsFullChroma } from '../../../codecs/jpeg/chroma.ts';
import { withJpegCodec } from '../../../codecs/jpeg/codec.ts';
import { encodeJpeg } from '../../../codecs/jpeg.ts';
import { compileModules } from '../../../codecs/modules.ts';
import { startVips, type VipsApi } from '../../../codecs/vips.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { decode, flat, type RawImage } from '../../support/test-images.ts';

const PHOTOGRAPH = 'faces/scikit-image--astronaut.png';
const SUBSAMPLED = 'jpeg/testdata--flower.png.im_q85_420_progr.jpg';
const [WIDTH, HEIGHT] = [160, 120];

/** Draws lines of one colour on another. */
function lines(front: readonly [number, number, number], back: readonly [number, number, number]): RawImage {
  const raw = flat(WIDTH, HEIGHT, ...back);
  for (let y = 20; y < 100; y++)
    for (let x = 10; x < 150; x++) if (y % 10 < 5 && (x * 5 + y * 3) % 7 < 2) raw.data.set(front, (y * WIDTH + x) * 3);
  return raw;
}

const modules = await compileModules();

const needs = (raw: RawImage, quality: number) =>
  withJpegCodec(modules, (codec) => needsFullChroma(codec, { ...raw, bands: 3 }, quality));

describe('needsFullChroma', () => {
  it('is true for coloured letters at every quality, and false for black letters', () => {
    for (const quality of [1, 50, 80, 100]) {
      assert.ok(needs(lines([220, 20, 20], [20, 90, 220]), quality), `colours at ${quality}`);
      assert.ok(!needs(lines([0, 0, 0], [255, 255, 255]), quality), `black at ${quality}`);
    }
  });

  it('is true for a photo at high quality only', { skip: corpusSkipReason }, async () => {
    const raw = await decode(corpus(PHOTOGRAPH)!);
    assert.deepEqual(
      [60, 80, 97].map((quality) => needs(raw, quality)),
      [false, false, true],
    );
  });

  it('is false for a photo that was subsampled before', { skip: corpusSkipReason }, async () => {
    const raw = await decode(corpus(SUBSAMPLED)!);
    assert.deepEqual(
      [80, 97].map((quality) => needs(raw, quality)),
      [false, false],
    );
  });

  it('is false for grey and for the smallest images', () => {
    const grey = { data: new Uint8Array(64), width: 8, height: 8, bands: 1 } as const;
    assert.equal(
      withJpegCodec(modules, (codec) => needsFullChroma(codec, grey, 100)),
      false,
    );
    for (const [width, height] of [
      [1, 1],
      [5, 5],
      [5, 100],
      [100, 1],
    ] as const)
      assert.ok(!needs(flat(width, height, 200, 10, 10), 100), `${width} x ${height}`);
  });
});

describe('encodeJpeg', () => {
  let vips: VipsApi;

  before(async () => {
    ({ vips } = await startVips(modules));
  });

  async function samplingOf({ data, width, height }: RawImage, fullChroma = false): Promise<string | undefined> {
    const image = vips.Image.newFromMemory(data, width, height, 3, vips.BandFormat.uchar);
    const file = encodeJpeg({ vips, modules }, image, { quality: 80, fullChroma });
    return (await sharp(file).metadata()).chromaSubsampling;
  }

  it('chooses the chroma subsampling that the image needs', async () => {
    assert.equal(await samplingOf(lines([220, 20, 20], [20, 90, 220])), '4:4:4');
    assert.equal(await samplingOf(lines([0, 0, 0], [255, 255, 255]), true), '4:2:0');
  });

  it('uses the requested subsampling for an image that is too large to analyse', async () => {
    const large = flat(3500, 3300, 0, 0, 0);
    assert.equal(await samplingOf(large, true), '4:4:4');
    assert.equal(await samplingOf(large, false), '4:2:0');
  });
});
