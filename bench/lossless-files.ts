/** The inputs of lossless encoding. */
import sharp from 'sharp';
import { corpus, corpusFiles } from '../test/support/corpus.ts';
import { benchImages } from './images.ts';
import { cutout, page, photograph, screenshot } from './source-images.ts';

/** Smaller files contain little more than headers. */
const MIN_BYTES = 512;

/** A PNG file. */
export interface LosslessInput {
  class: string;
  name: string;
  file: Buffer;
}

/** Returns the sixty images, the PNG files next to the repository that sharp reads, and larger images. */
export async function benchFiles(): Promise<LosslessInput[]> {
  const sixty = (await benchImages()).map(async ({ class: kind, name, data, width, height }) => ({
    class: kind,
    name,
    file: await sharp(data, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  }));
  const found = corpusFiles('png')
    .map((path) => ({ path, bytes: corpus(path)! }))
    .filter(({ bytes }) => bytes.length >= MIN_BYTES)
    .map(async ({ path, bytes }) => ({ class: 'file', name: path, file: await sharp(bytes).png().toBuffer() }));
  const large = Object.entries({
    'screenshot 1920 x 1080': async () => sharp(await screenshot(1920, 1080)).removeAlpha(),
    'photograph 1224 x 816': () => photograph(1224, 816),
    'cut-out 1224 x 816': () => cutout(1224, 816),
    'page 1000 x 1000': async () => sharp(await page(1000)),
  }).map(async ([name, make]) => ({ class: 'large', name, file: await (await make()).png().toBuffer() }));
  const all = await Promise.allSettled([...sixty, ...found, ...large]);
  return all.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
