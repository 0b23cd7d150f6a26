/**
 * Measures how close upscaling brings a halved image to its original. As in the literature: peak signal-to-noise ratio
 * and structural similarity of luma without a border of 2 pixels, over the Kodak images that were not used in training.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import type { Engine } from '../../engine/engine.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { upscaleParams } from '../../engine/operations/upscale/params.ts';

/** Interleaved RGB, 8 bits. */
interface Rgb {
  data: Uint8Array;
  width: number;
  height: number;
}

export interface UpscaleRow {
  input: string;
  images: number;
  /** In decibels. */
  psnr: { own: number; bicubic: number };
  ssim: { own: number; bicubic: number };
}

const FOLDER = join(import.meta.dirname, '../../../shared/training/sr/check');
const QUALITIES = [95, 85, 75] as const;
const MAX_PIXELS = 2_250_000;

/** Returns no rows if the images are not there. */
export async function measureUpscale(engine: Engine): Promise<UpscaleRow[]> {
  const names = existsSync(FOLDER)
    ? readdirSync(FOLDER)
        .filter((name) => name.endsWith('.png'))
        .sort()
    : [];
  const inputs = [
    { input: 'halved', encode: (small: Rgb) => image(small).png().toBuffer() },
    ...QUALITIES.map((quality) => ({
      input: `halved, JPEG of quality ${quality}`,
      encode: (small: Rgb) => image(small).jpeg({ quality }).toBuffer(),
    })),
  ];
  const rows: UpscaleRow[] = [];
  for (const { input, encode } of inputs) {
    const scores: { own: Score; bicubic: Score }[] = [];
    for (const name of names) {
      const original = await evenSides(join(FOLDER, name));
      const file = await encode(halved(original));
      const params = { ...sourceParams.parse({}), ...upscaleParams.parse({ format: 'png' }) };
      const { data } = await engine.run('upscale', {
        image: { data: new Uint8Array(file).buffer },
        params,
        maxPixels: MAX_PIXELS,
      });
      scores.push({
        own: scoreOf(original, await pixels(sharp(Buffer.from(data)))),
        bicubic: scoreOf(original, doubled(await pixels(sharp(file)))),
      });
    }
    const mean = (value: (score: { own: Score; bicubic: Score }) => number) =>
      scores.reduce((sum, score) => sum + value(score), 0) / scores.length;
    if (scores.length === 0) continue;
    rows.push({
      input,
      images: scores.length,
      psnr: { own: mean(({ own }) => own.psnr), bicubic: mean(({ bicubic }) => bicubic.psnr) },
      ssim: { own: mean(({ own }) => own.ssim), bicubic: mean(({ bicubic }) => bicubic.ssim) },
    });
  }
  return rows;
}

const image = ({ data, width, height }: Rgb) => sharp(data, { raw: { width, height, channels: 3 } });

async function pixels(source: Sharp): Promise<Rgb> {
  const { data, info } = await source.removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

async function evenSides(path: string): Promise<Rgb> {
  const { width, height } = await sharp(path).metadata();
  return pixels(sharp(path).extract({ left: 0, top: 0, width: width & ~1, height: height & ~1 }));
}

/** Keys' cubic convolution with a = -0.5 (IEEE Trans. ASSP 29, 1981), which Pillow and the literature call bicubic. */
function cubic(distance: number): number {
  const x = Math.abs(distance);
  if (x < 1) return 1.5 * x ** 3 - 2.5 * x ** 2 + 1;
  return x < 2 ? -0.5 * x ** 3 + 2.5 * x ** 2 - 4 * x + 2 : 0;
}

const halved = (source: Rgb) => resampled(source, source.width / 2, source.height / 2);
const doubled = (source: Rgb) => resampled(source, source.width * 2, source.height * 2);

/**
 * Resizes as Pillow does: rows first, rounded to 8 bits in between. A shrinking kernel is widened by the factor. The
 * kernel is cut off at the edges.
 */
function resampled(source: Rgb, width: number, height: number): Rgb {
  const { data, width: from } = source;
  const wide = { data: new Uint8ClampedArray(width * source.height * 3), width, height: source.height };
  for (const [x, taps] of tapsOf(from, width).entries()) {
    for (let y = 0; y < source.height; y += 1) {
      for (let band = 0; band < 3; band += 1) {
        let sum = 0;
        for (const { at, weight } of taps) sum += weight * data[(y * from + at) * 3 + band]!;
        wide.data[(y * width + x) * 3 + band] = sum;
      }
    }
  }
  const result = new Uint8ClampedArray(width * height * 3);
  for (const [y, taps] of tapsOf(source.height, height).entries()) {
    for (let at = 0; at < width * 3; at += 1) {
      let sum = 0;
      for (const { at: row, weight } of taps) sum += weight * wide.data[row * width * 3 + at]!;
      result[y * width * 3 + at] = sum;
    }
  }
  return { data: new Uint8Array(result.buffer), width, height };
}

function tapsOf(from: number, to: number): { at: number; weight: number }[][] {
  const scale = from / to;
  const stretch = Math.max(1, scale);
  return Array.from({ length: to }, (_, index) => {
    const centre = (index + 0.5) * scale;
    const first = Math.max(0, Math.floor(centre - 2 * stretch + 0.5));
    const last = Math.min(from - 1, Math.floor(centre + 2 * stretch + 0.5) - 1);
    const taps = Array.from({ length: last - first + 1 }, (_, n) => ({
      at: first + n,
      weight: cubic((first + n + 0.5 - centre) / stretch),
    }));
    const sum = taps.reduce((total, { weight }) => total + weight, 0);
    return taps.map(({ at, weight }) => ({ at, weight: weight / sum }));
  });
}

interface Score {
  psnr: number;
  ssim: number;
}

const BORDER = 2;

function scoreOf(reference: Rgb, result: Rgb): Score {
  const one = luma(reference);
  const other = luma(result);
  const width = reference.width - 2 * BORDER;
  const squares = one.reduce((sum, value, index) => sum + (value - other[index]!) ** 2, 0);
  return { psnr: 10 * Math.log10(255 ** 2 / (squares / one.length)), ssim: ssim(one, other, width) };
}

/** Luma of ITU-R BT.601 in studio range, without the border. */
function luma({ data, width, height }: Rgb): Float64Array {
  const plane = new Float64Array((width - 2 * BORDER) * (height - 2 * BORDER));
  let to = 0;
  for (let y = BORDER; y < height - BORDER; y += 1) {
    for (let x = BORDER; x < width - BORDER; x += 1) {
      const at = (y * width + x) * 3;
      plane[to] = 16 + (65.481 * data[at]! + 128.553 * data[at + 1]! + 24.966 * data[at + 2]!) / 255;
      to += 1;
    }
  }
  return plane;
}

/** Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment", IEEE Trans. Image Processing 13, 2004. */
const RADIUS = 5;
const SIGMA = 1.5;
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

function ssim(one: Float64Array, other: Float64Array, width: number): number {
  const product = (a: Float64Array, b: Float64Array) => a.map((value, index) => value * b[index]!);
  const mean = (plane: Float64Array) => blurred(plane, width);
  const [x, y] = [mean(one), mean(other)];
  const [xx, yy, xy] = [mean(product(one, one)), mean(product(other, other)), mean(product(one, other))];
  let sum = 0;
  for (const [index, mx] of x.entries()) {
    const my = y[index]!;
    const covariance = xy[index]! - mx * my;
    const variances = xx[index]! - mx ** 2 + yy[index]! - my ** 2;
    sum += ((2 * mx * my + C1) * (2 * covariance + C2)) / ((mx ** 2 + my ** 2 + C1) * (variances + C2));
  }
  return sum / x.length;
}

/** Applies a Gaussian window of 11 x 11 wherever it fits into the plane. */
function blurred(plane: Float64Array, width: number): Float64Array {
  const window = Array.from({ length: 2 * RADIUS + 1 }, (_, n) => Math.exp(-((n - RADIUS) ** 2) / (2 * SIGMA ** 2)));
  const total = window.reduce((sum, weight) => sum + weight, 0);
  const height = plane.length / width;
  const narrow = width - 2 * RADIUS;
  const rows = new Float64Array(narrow * height);
  for (let at = 0; at < rows.length; at += 1) {
    const from = Math.floor(at / narrow) * width + (at % narrow);
    for (const [n, weight] of window.entries()) rows[at]! += (weight / total) * plane[from + n]!;
  }
  const result = new Float64Array(narrow * (height - 2 * RADIUS));
  for (let at = 0; at < result.length; at += 1) {
    for (const [n, weight] of window.entries()) result[at]! += (weight / total) * rows[at + n * narrow]!;
  }
  return result;
}
