/** Warnings that a dry run predicts, against those of the run. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { chunk } from '../../../codecs/metadata/png-chunks.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { pattern, sharpOf } from '../../support/test-images.ts';
import { pipeline, plan, type RawStep } from './support.ts';

const KEEP: RawStep = { op: 'metadata', params: { metadata: 'keep' } };
const to = (format: string): RawStep => ({ op: 'convert', params: { format } });
const HALF: RawStep = { op: 'resize', params: { percent: 50 } };
const ADJUST: RawStep = { op: 'adjust', params: { brightness: 5 } };

const image = () => sharpOf(pattern(32, 24));

/** A PNG whose samples are in PQ with the primaries of BT.2020. */
async function pqPng(): Promise<Buffer> {
  const file = await image().toColourspace('rgb16').png().toBuffer();
  const headerBytes = 33;
  const code = chunk('cICP', Uint8Array.of(9, 16, 0, 1));
  return Buffer.concat([file.subarray(0, headerBytes), code, file.subarray(headerBytes)]);
}

async function check(source: Uint8Array, steps: RawStep[], isConverted: boolean): Promise<void> {
  const { warnings } = await pipeline(source, steps);
  const planned = (await plan(source, steps)).warnings;
  const expected = [isConverted, isConverted];
  const found = [warnings, planned].map((list) => list.includes('color_converted'));
  assert.deepEqual(found, expected, JSON.stringify(steps));
}

describe('a dry run predicts color_converted', () => {
  it('for PQ, unless the result keeps it', async () => {
    const source = await pqPng();
    await check(source, [HALF, to('jpeg')], true);
    await check(source, [HALF, to('avif')], false);
    await check(source, [ADJUST, to('avif')], true);
    await check(source, [to('jxl')], false);
  });

  it('for a wide gamut, unless its profile is kept', async () => {
    const source = await image().withIccProfile('p3').jpeg().toBuffer();
    await check(source, [to('png')], true);
    await check(source, [KEEP, HALF, to('png')], false);
    await check(source, [KEEP, to('bmp')], true);
  });

  it('not for sRGB, with a profile or without', async () => {
    await check(await image().withIccProfile('srgb').jpeg().toBuffer(), [to('webp')], false);
    await check(await image().png().toBuffer(), [to('jpeg')], false);
  });

  it('for CMYK and Lab, whatever reads them', { skip: corpusSkipReason }, async () => {
    const cmyk = await image().toColourspace('cmyk').jpeg().toBuffer();
    await check(cmyk, [KEEP, to('png')], true);
    await check(await sharp(cmyk).toColourspace('cmyk').tiff().toBuffer(), [HALF, to('jpeg')], true);
    for (const path of [
      'psd/kimageformats--cmyk8_testcard.psd',
      'psd/psd-tools--4x4_8bit_lab.psd',
      'tiff/pillow--hopper.Lab.tif',
    ])
      await check(corpus(path)!, [to('png')], true);
  });

  it('for a profile that only the decoder finds', { skip: corpusSkipReason }, async () => {
    await check(corpus('jxl/kimageformats--gray_linear_lossy.jxl')!, [to('png')], true);
    await check(corpus('jxl/kimageformats--rgb.jxl')!, [to('png')], false);
  });
});
