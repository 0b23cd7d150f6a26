/**
 * Alpha masks with one byte per pixel for how much of it is subject: enlarges coarse masks to full size, and softens
 * edges.
 */
import type { Size } from '../../../base/geometry.ts';
import { FLOAT_BYTES, type Kernels } from '../../../codecs/kernels/kernels.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { Levels } from './levels.ts';
import { TileMap } from './tile-map.ts';

/** Row by row. */
export interface Shares extends Size {
  data: Uint8Array;
}

const TAPS = 4;

/**
 * Enlarges a mask and applies new levels: cubic interpolation between pixel centres (R. Keys, "Cubic Convolution
 * Interpolation for Digital Image Processing", 1981, a = -1/2). libvips takes more than twice as long.
 */
export function enlargeAlphaMask(kernels: Kernels, mask: Shares, { width, height }: Size, [low, high]: Levels): Shares {
  const across = cubicTaps(width, mask.width);
  const down = cubicTaps(height, mask.height);
  kernels.free();
  const samples = kernels.place(mask.data);
  const downWeights = kernels.place(down.weights);
  const line = kernels.reserve(mask.width * FLOAT_BYTES);
  const runs = runsOf(across.places, line);
  const runsAt = kernels.place(runs);
  const acrossWeights = kernels.place(transposeWeights(across.weights));
  const data = kernels.reserve(width * height);
  const { blendSamples, enlargeRow } = kernels.run;
  const factor = 255 / (high - low);
  for (let y = 0; y < height; y += 1) {
    const row = (tap: number) => samples + down.places[TAPS * y + tap]! * mask.width;
    blendSamples(line, mask.width, row(0), row(1), row(2), row(3), downWeights + TAPS * y * FLOAT_BYTES);
    enlargeRow(data + y * width, runsAt, runs.length / RUN_WORDS, acrossWeights, width * FLOAT_BYTES, low, factor);
  }
  return { data: kernels.bytes(data, width * height).slice(), width, height };
}

/** A run of pixels: the first, the one after the last, and the addresses of their four source values. */
const RUN_WORDS = 2 + TAPS;

/** @param line address of the values */
function runsOf(places: Int32Array, line: number): Int32Array {
  const words: number[] = [];
  const end = places.length / TAPS;
  for (let from = 0, to = 1; from < end; from = to, to += 1) {
    // Compare two places: at the edges of the mask, one of them may be clamped.
    while (to < end && [1, 2].every((tap) => places[TAPS * to + tap] === places[TAPS * from + tap])) to += 1;
    words.push(from, to, ...places.subarray(TAPS * from, TAPS * (from + 1)).map((place) => line + place * FLOAT_BYTES));
  }
  return Int32Array.from(words);
}

/** Reorders to the first weights of all pixels, then the second weights, and so on. */
function transposeWeights(weights: Float32Array): Float32Array {
  const count = weights.length / TAPS;
  return weights.map((_, at) => weights[(at % count) * TAPS + Math.floor(at / count)]!);
}

/**
 * For each pixel along a side: its four source values in the mask, and their weights. Beyond its edges the mask repeats
 * its last value.
 */
function cubicTaps(count: number, maskCount: number): { places: Int32Array; weights: Float32Array } {
  const places = new Int32Array(TAPS * count);
  const weights = new Float32Array(TAPS * count);
  for (let pixel = 0; pixel < count; pixel += 1) {
    const exact = ((pixel + 0.5) * maskCount) / count - 0.5;
    const before = Math.floor(exact);
    const share = exact - before;
    const rest = 1 - share;
    weights[TAPS * pixel] = -0.5 * share * rest * rest;
    weights[TAPS * pixel + 1] = 1 + share * share * (1.5 * share - 2.5);
    weights[TAPS * pixel + 2] = 1 + rest * rest * (1.5 * rest - 2.5);
    weights[TAPS * pixel + 3] = -0.5 * rest * share * share;
    for (let tap = 0; tap < TAPS; tap += 1)
      places[TAPS * pixel + tap] = Math.min(Math.max(before - 1 + tap, 0), maskCount - 1);
  }
  return { places, weights };
}

/** Relative amplitude at which a Gaussian kernel is cut off, as in libvips by default. */
const MIN_WEIGHT = 0.2;

/** Weights of a pixel and of its neighbours on one side. Together with the other side they sum to 1. */
function gaussian(sigma: number): Float32Array {
  const weights = [1];
  const weightAt = (distance: number) => Math.exp(-(distance ** 2) / (2 * sigma ** 2));
  while (weightAt(weights.length) >= MIN_WEIGHT) weights.push(weightAt(weights.length));
  const sum = 2 * weights.reduce((total, weight) => total + weight) - 1;
  return Float32Array.from(weights, (weight) => weight / sum);
}

/**
 * Applies a Gaussian blur in place. Skips the settled cells, which are most of a mask: a blur does not change them.
 * @param sigma standard deviation in pixels
 */
export function soften(kernels: Kernels, shares: Shares, sigma: number): void {
  const weights = gaussian(sigma);
  const radius = weights.length - 1;
  if (radius === 0) return;
  const { data, width, height } = shares;
  const cells = new TileMap(shares, radius);
  kernels.free();
  const weightsAt = kernels.place(weights);
  const line = kernels.reserve(width + 2 * radius);
  const before = kernels.reserve(width * (height + 2 * radius));
  const after = kernels.place(data);
  const softened = kernels.bytes(after, data.length);

  // A piece of a row, extended on both sides by the radius of the blur.
  const piece = kernels.bytes(line, width + 2 * radius);
  for (const { left, right, top, bottom } of cells.unsettled()) {
    const [first, last] = [Math.max(left - radius, 0), Math.min(right + radius, width)];
    for (let row = top * width; row < bottom * width; row += width) {
      piece.fill(data[row]!, 0, first - left + radius);
      piece.set(data.subarray(row + first, row + last), first - left + radius);
      piece.fill(data[row + width - 1]!, last - left + radius, right - left + 2 * radius);
      kernels.run.soften(after + row + left, right - left, line + radius, 1, radius, weightsAt);
    }
  }

  // All rows, extended above and below by the radius.
  const rows = kernels.bytes(before, width * (height + 2 * radius));
  rows.set(softened, radius * width);
  for (let beyond = 0; beyond < radius; beyond += 1) {
    rows.set(softened.subarray(0, width), beyond * width);
    rows.set(softened.subarray(-width), (radius + height + beyond) * width);
  }
  for (const { left, right, top, bottom } of cells.unsettled()) {
    for (let y = top; y < bottom; y += 1) {
      const to = y * width + left;
      kernels.run.soften(after + to, right - left, before + radius * width + to, width, radius, weightsAt);
    }
  }
  data.set(softened);
}

/** Reduces a mask: each pixel is the mean of the pixels it covers. */
export function shrinkAlphaMask({ data, width, height }: Shares, cells: TileMap, size: Size): Shares {
  const small = new Uint8Array(size.width * size.height);
  const across = width / size.width;
  const down = height / size.height;
  for (let y = 0, at = 0; y < size.height; y += 1) {
    const top = Math.floor(y * down);
    const bottom = Math.min(Math.max(Math.ceil((y + 1) * down), top + 1), height);
    for (let x = 0; x < size.width; x += 1, at += 1) {
      const left = Math.floor(x * across);
      const right = Math.min(Math.max(Math.ceil((x + 1) * across), left + 1), width);
      // Everything within one cell of a settled cell has the same value.
      const settled = cells.at(left, top);
      small[at] = settled ?? meanOf(data, width, { left, right, top, bottom });
    }
  }
  return { data: small, ...size };
}

function meanOf(
  data: Uint8Array,
  pitch: number,
  { left, right, top, bottom }: Record<'left' | 'right' | 'top' | 'bottom', number>,
): number {
  let sum = 0;
  for (let y = top; y < bottom; y += 1)
    for (let at = y * pitch + left; at < y * pitch + right; at += 1) sum += data[at]!;
  return Math.round(sum / ((right - left) * (bottom - top)));
}

/** The minimum over the square of `radius` around each pixel, limited to the image. */
export function minimumFilter({ data, width, height }: Shares, radius: number): Uint8Array {
  // First along the rows, then along the columns of the result.
  const across = data.slice();
  for (let y = 0, start = 0; y < height; y += 1, start += width) {
    const end = start + width;
    for (let distance = 1; distance <= radius; distance += 1) {
      for (let at = start + distance; at < end; at += 1)
        if (data[at - distance]! < across[at]!) across[at] = data[at - distance]!;
      for (let at = start; at < end - distance; at += 1)
        if (data[at + distance]! < across[at]!) across[at] = data[at + distance]!;
    }
  }
  const least = across.slice();
  for (let distance = 1; distance <= radius; distance += 1) {
    const step = distance * width;
    for (let at = step; at < least.length; at += 1) if (across[at - step]! < least[at]!) least[at] = across[at - step]!;
    for (let at = 0; at < least.length - step; at += 1)
      if (across[at + step]! < least[at]!) least[at] = across[at + step]!;
  }
  return least;
}

export const sharesOf = (image: Image): Shares => ({
  data: image.writeToMemory() as Uint8Array,
  width: image.width,
  height: image.height,
});

export const imageOfShares = (vips: VipsApi, { data, width, height }: Shares): Image =>
  vips.Image.newFromMemory(data, width, height, 1, vips.BandFormat.uchar).copy({ interpretation: 'b-w' });
