/** One byte a pixel for how much of it is subject: a coarse mask at the full size, and soft edges. */
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { Size } from '../../steps/step.ts';
import { Cells } from './cells.ts';
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
  const starts = startsOf(across.places);
  // It rounds and clamps.
  const data = new Uint8ClampedArray(width * height);
  for (let y = 0, row = 0; y < height; y += 1, row += width) {
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
    for (let run = 1; run < starts.length; run += 1) {
      const from = starts[run - 1]!;
      const to = starts[run]!;
      const even = evenValue(line, places, TAPS * from);
      if (even !== undefined) {
        // It is 0 already.
        if (even !== 0) data.fill(even, row + from, row + to);
        continue;
      }
      for (let tap = TAPS * from, at = row + from; tap < TAPS * to; tap += TAPS, at += 1) {
        data[at] =
          weights[tap]! * line[places[tap]!]! +
          weights[tap + 1]! * line[places[tap + 1]!]! +
          weights[tap + 2]! * line[places[tap + 2]!]! +
          weights[tap + 3]! * line[places[tap + 3]!]!;
      }
    }
  }
  return { data: new Uint8Array(data.buffer), width, height };
}

/** Where the pixels begin that are made of the same four values, and where the last ones end. */
function startsOf(places: Int32Array): number[] {
  const starts = [0];
  // Beyond the edges of the mask the second place stays, or the third.
  for (let tap = TAPS; tap < places.length; tap += TAPS)
    if (places[tap + 1] !== places[tap + 1 - TAPS] || places[tap + 2] !== places[tap + 2 - TAPS])
      starts.push(tap / TAPS);
  return [...starts, places.length / TAPS];
}

/** The most that the two outer ones of four weights come to below 0, half-way between two values. */
const OVERSHOOT = 1 / 8;

/** What all pixels between four values come to, when it is 0 or 255 for sure. */
function evenValue(line: Float32Array, places: Int32Array, tap: number): 0 | 255 | undefined {
  const first = line[places[tap]!]!;
  const second = line[places[tap + 1]!]!;
  const third = line[places[tap + 2]!]!;
  const fourth = line[places[tap + 3]!]!;
  const least = Math.min(first, second, third, fourth);
  const most = Math.max(first, second, third, fourth);
  const slack = OVERSHOOT * (most - least);
  if (most + slack <= 0) return 0;
  return least - slack >= 255 ? 255 : undefined;
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
  const cells = new Cells(shares, weights.length - 1);
  softenRows(shares, weights, cells);
  softenColumns(shares, weights, cells);
}

function softenRows({ data, width }: Shares, weights: Float32Array, cells: Cells): void {
  const radius = weights.length - 1;
  // A piece of a row, with as many pixels more on both sides as the blur reaches.
  const line = new Uint8Array(width + 2 * radius);
  for (const { left, right, top, bottom } of cells.unsettled()) {
    for (let y = top; y < bottom; y += 1) {
      const start = y * width;
      for (let x = left - radius; x < right + radius; x += 1)
        line[x - left + radius] = data[start + Math.min(Math.max(x, 0), width - 1)]!;
      for (let x = left, middle = radius; x < right; x += 1, middle += 1) {
        let sum = weights[0]! * line[middle]! + 0.5;
        for (let distance = 1; distance <= radius; distance += 1)
          sum += weights[distance]! * (line[middle - distance]! + line[middle + distance]!);
        data[start + x] = sum;
      }
    }
  }
}

function softenColumns({ data, width, height }: Shares, weights: Float32Array, cells: Cells): void {
  const radius = weights.length - 1;
  const before = data.slice();
  const rowAt = (y: number) => Math.min(Math.max(y, 0), height - 1) * width;
  // All columns of a piece at a time, as they lie in memory.
  const sums = new Float32Array(width);
  for (const { left, right, top, bottom } of cells.unsettled()) {
    for (let y = top; y < bottom; y += 1) {
      const row = rowAt(y);
      for (let x = left; x < right; x += 1) sums[x] = weights[0]! * before[row + x]! + 0.5;
      for (let distance = 1; distance <= radius; distance += 1) {
        const weight = weights[distance]!;
        const above = rowAt(y - distance);
        const below = rowAt(y + distance);
        for (let x = left; x < right; x += 1) sums[x]! += weight * (before[above + x]! + before[below + x]!);
      }
      for (let x = left; x < right; x += 1) data[row + x] = sums[x]!;
    }
  }
}

/** Smaller, each pixel the mean of those that lie in it. */
export function shrunkShares({ data, width, height }: Shares, cells: Cells, size: Size): Shares {
  const small = new Uint8Array(size.width * size.height);
  const across = width / size.width;
  const down = height / size.height;
  for (let y = 0, at = 0; y < size.height; y += 1) {
    const top = Math.floor(y * down);
    const bottom = Math.min(Math.max(Math.ceil((y + 1) * down), top + 1), height);
    for (let x = 0; x < size.width; x += 1, at += 1) {
      const left = Math.floor(x * across);
      const right = Math.min(Math.max(Math.ceil((x + 1) * across), left + 1), width);
      // Around a settled cell there is nothing else as far as it is wide.
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
