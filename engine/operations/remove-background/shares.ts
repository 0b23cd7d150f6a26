/** One byte a pixel for how much of it is subject: a coarse mask at the full size, and soft edges. */
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { Size } from '../../steps/step.ts';
import type { Levels } from './levels.ts';

/** Row by row. */
export interface Shares extends Size {
  data: Uint8Array;
}

const TAPS = 4;

/**
 * A mask at a size as large or larger, with other levels: cubic between the middles of its pixels (R. Keys, "Cubic
 * Convolution Interpolation for Digital Image Processing", 1981, a = -1/2). libvips takes more than twice as long.
 */
export function enlargedShares(mask: Shares, { width, height }: Size, [low, high]: Levels): Shares {
  const across = cubicTaps(width, mask.width);
  const down = cubicTaps(height, mask.height);
  const { data: samples, width: pitch } = mask;
  const factor = 255 / (high - low);
  const line = new Float32Array(pitch);
  // It rounds and clamps.
  const data = new Uint8ClampedArray(width * height);
  for (let y = 0, at = 0; y < height; y += 1) {
    const [first, second, third, fourth] = down.weights.subarray(TAPS * y, TAPS * (y + 1)) as unknown as Four;
    const [above, upper, lower, below] = down.places.subarray(TAPS * y, TAPS * (y + 1)) as unknown as Four;
    for (let x = 0; x < pitch; x += 1) {
      const value =
        first * samples[above * pitch + x]! +
        second * samples[upper * pitch + x]! +
        third * samples[lower * pitch + x]! +
        fourth * samples[below * pitch + x]!;
      line[x] = (value - low) * factor;
    }
    const { places, weights } = across;
    for (let tap = 0; tap < places.length; tap += TAPS, at += 1) {
      data[at] =
        weights[tap]! * line[places[tap]!]! +
        weights[tap + 1]! * line[places[tap + 1]!]! +
        weights[tap + 2]! * line[places[tap + 2]!]! +
        weights[tap + 3]! * line[places[tap + 3]!]!;
    }
  }
  return { data: new Uint8Array(data.buffer), width, height };
}

type Four = readonly [number, number, number, number];

/** Along one side: the four values of the mask that each pixel is made of, and their weights. Beyond its edges the mask goes on as it ends. */
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

/** A Gaussian curve is cut off where it is lower than this, as libvips does by default. */
const LEAST_WEIGHT = 0.2;

/** The weights of a pixel and of those beside it on one side; with those of the other side they make 1. */
function gaussian(sigma: number): Float32Array {
  const weights = [1];
  const weightAt = (distance: number) => Math.exp(-(distance ** 2) / (2 * sigma ** 2));
  while (weightAt(weights.length) >= LEAST_WEIGHT) weights.push(weightAt(weights.length));
  const sum = 2 * weights.reduce((total, weight) => total + weight) - 1;
  return Float32Array.from(weights, (weight) => weight / sum);
}

/**
 * A Gaussian blur in place. Most of a mask is all subject or all background, where there is nothing to compute.
 * @param sigma standard deviation in pixels
 */
export function soften(shares: Shares, sigma: number): void {
  const weights = gaussian(sigma);
  if (weights.length === 1) return;
  softenRows(shares, weights);
  softenColumns(shares, weights);
}

function softenRows({ data, width, height }: Shares, weights: Float32Array): void {
  const radius = weights.length - 1;
  const reach = 2 * radius;
  // A row, with as many pixels more on both sides as the blur reaches.
  const line = new Uint8Array(width + reach);
  for (let y = 0; y < height; y += 1) {
    const start = y * width;
    line.fill(data[start]!, 0, radius);
    line.set(data.subarray(start, start + width), radius);
    line.fill(data[start + width - 1]!, radius + width);
    /** How many pixels before the last that is seen are like it. */
    let alike = 0;
    for (let last = 1; last < line.length; last += 1) {
      alike = line[last] === line[last - 1] ? alike + 1 : 0;
      if (alike >= reach || last < reach) continue;
      const middle = last - radius;
      let sum = weights[0]! * line[middle]! + 0.5;
      for (let distance = 1; distance <= radius; distance += 1)
        sum += weights[distance]! * (line[middle - distance]! + line[middle + distance]!);
      data[start + middle - radius] = sum;
    }
  }
}

function softenColumns({ data, width, height }: Shares, weights: Float32Array): void {
  const radius = weights.length - 1;
  const reach = 2 * radius;
  const before = data.slice();
  /** Of each column, how many pixels above the last that is seen are like it. */
  const alike = new Int32Array(width);
  const rowAt = (y: number) => Math.min(Math.max(y, 0), height - 1) * width;
  for (let last = 1 - radius; last < height + radius; last += 1) {
    const seen = rowAt(last);
    const above = rowAt(last - 1);
    const middle = last - radius;
    for (let x = 0; x < width; x += 1) {
      const count = before[seen + x] === before[above + x] ? alike[x]! + 1 : 0;
      alike[x] = count;
      if (count >= reach || middle < 0) continue;
      let sum = weights[0]! * before[middle * width + x]! + 0.5;
      for (let distance = 1; distance <= radius; distance += 1)
        sum += weights[distance]! * (before[rowAt(middle - distance) + x]! + before[rowAt(middle + distance) + x]!);
      data[middle * width + x] = sum;
    }
  }
}

/** The least of the pixels around each, so many on every side, as far as there are any. */
export function leastAround({ data, width, height }: Shares, radius: number): Uint8Array {
  // First along the rows, then along the columns: the least of the least.
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

export function sharesOf(image: Image): Shares {
  return { data: image.writeToMemory() as Uint8Array, width: image.width, height: image.height };
}

export function imageOfShares(vips: VipsApi, { data, width, height }: Shares): Image {
  return vips.Image.newFromMemory(data, width, height, 1, vips.BandFormat.uchar).copy({ interpretation: 'b-w' });
}
