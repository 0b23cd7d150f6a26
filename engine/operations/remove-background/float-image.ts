/** Reduced images in floating point, and their interpolated values at full size. */
import type { Size } from '../../../base/geometry.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';

/** Interleaved, row by row. */
export interface FloatImage extends Size {
  data: Float32Array;
  channels: number;
}

/** The size of an image reduced so that its longer side has at most `longest` pixels. */
export function fitInside({ width, height }: Size, longest: number): Size {
  const factor = Math.min(1, longest / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

/** Converts the samples of an 8-bit image to numbers from 0 to 1. */
export function toFloatImage(image: Image): FloatImage {
  const { width, height, bands } = image;
  const samples = image.writeToMemory() as Uint8Array;
  // A plain loop, here and below: `from` with a function per sample takes ten times as long.
  const data = new Float32Array(samples.length);
  for (let at = 0; at < data.length; at += 1) data[at] = samples[at]! / 255;
  return { data, width, height, channels: bands };
}

/** Converts back to an 8-bit image. */
export function imageOf(vips: VipsApi, { data, width, height, channels }: FloatImage): Image {
  // Uint8ClampedArray rounds and clamps.
  const samples = new Uint8ClampedArray(data.length);
  for (let at = 0; at < data.length; at += 1) samples[at] = data[at]! * 255;
  const image = vips.Image.newFromMemory(
    new Uint8Array(samples.buffer),
    width,
    height,
    channels,
    vips.BandFormat.uchar,
  );
  return image.copy({ interpretation: channels === 1 ? 'b-w' : 'srgb' });
}

/** Means of the windows of (2 radius + 1)² pixels around each pixel, limited to the image; in place. */
export function boxMeans({ data, width, channels }: FloatImage, radius: number): void {
  const pitch = width * channels;
  const line = new Float32Array(pitch);
  for (let from = 0; from < data.length; from += pitch) {
    line.set(data.subarray(from, from + pitch));
    for (let channel = 0; channel < channels; channel += 1) slide(data, line, { from, channel, channels }, radius);
  }
  slideRows(data, pitch, radius);
}

interface Row {
  /** Its offset in the data. */
  from: number;
  channel: number;
  channels: number;
}

/** Running sums: each window takes two additions, at any radius. @param line the original row */
function slide(data: Float32Array, line: Float32Array, { from, channel, channels }: Row, radius: number): void {
  const count = line.length / channels;
  let sum = 0;
  for (let at = 0; at < Math.min(radius, count); at += 1) sum += line[at * channels + channel]!;
  for (let at = 0; at < count; at += 1) {
    if (at + radius < count) sum += line[(at + radius) * channels + channel]!;
    if (at - radius - 1 >= 0) sum -= line[(at - radius - 1) * channels + channel]!;
    data[from + at * channels + channel] = sum / windowLength(at, count, radius);
  }
}

/** The same from top to bottom, for all columns of a row at a time, in memory order. */
function slideRows(data: Float32Array, pitch: number, radius: number): void {
  const before = data.slice();
  const count = data.length / pitch;
  const sums = new Float64Array(pitch);
  const addRow = (row: number, sign: 1 | -1) => {
    for (let x = 0, at = row * pitch; x < pitch; x += 1, at += 1) sums[x]! += sign * before[at]!;
  };
  for (let row = 0; row < Math.min(radius, count); row += 1) addRow(row, 1);
  for (let row = 0; row < count; row += 1) {
    if (row + radius < count) addRow(row + radius, 1);
    if (row - radius - 1 >= 0) addRow(row - radius - 1, -1);
    const length = windowLength(row, count, radius);
    for (let x = 0, at = row * pitch; x < pitch; x += 1, at += 1) data[at] = sums[x]! / length;
  }
}

/** Length of the part of a window inside the image. */
const windowLength = (at: number, count: number, radius: number): number =>
  Math.min(at + radius, count - 1) - Math.max(at - radius, 0) + 1;

/**
 * Enlarges a float image row by row, with linear interpolation between pixel centres. The whole result would take at
 * least 16 bytes per pixel.
 */
export class Upsampler {
  readonly #data: Float32Array;
  readonly #rows: Taps;
  readonly columns: Taps;
  /** Offsets from a value to its right and to its lower neighbour. */
  readonly right: number;
  readonly #below: number;
  /** The selected row of the result, at the width of the source. */
  readonly line: Float32Array;

  constructor({ data, width: fieldWidth, height: fieldHeight, channels }: FloatImage, { width, height }: Size) {
    this.#data = data;
    const pitch = fieldWidth * channels;
    this.line = new Float32Array(pitch);
    this.columns = placesOf(width, fieldWidth, channels);
    this.#rows = placesOf(height, fieldHeight, pitch);
    this.right = fieldWidth > 1 ? channels : 0;
    this.#below = fieldHeight > 1 ? pitch : 0;
  }

  /** Selects a row of the result. */
  select(y: number): void {
    const data = this.#data;
    const line = this.line;
    const upper = this.#rows.first[y]!;
    const lower = upper + this.#below;
    const down = this.#rows.share[y]!;
    for (let at = 0; at < line.length; at += 1) {
      const above = data[upper + at]!;
      line[at] = above + down * (data[lower + at]! - above);
    }
  }

  /** A value of the selected row. */
  at(x: number, channel: number): number {
    const line = this.line;
    const at = this.columns.first[x]! + channel;
    const left = line[at]!;
    return left + this.columns.share[x]! * (line[at + this.right]! - left);
  }
}

/**
 * For each pixel along a side of the result: the first of the two values it lies between, and the weight of the second.
 */
interface Taps {
  first: Int32Array;
  share: Float32Array;
}

/** @param step from one value to the next */
function placesOf(count: number, fieldCount: number, step: number): Taps {
  const first = new Int32Array(count);
  const share = new Float32Array(count);
  for (let place = 0; place < count; place += 1) {
    const found = between(place, count, fieldCount);
    first[place] = found.first * step;
    share[place] = found.share;
  }
  return { first, share };
}

/** Position of the centre of a result pixel among the source pixels. */
function between(place: number, count: number, fieldCount: number): { first: number; share: number } {
  const exact = Math.min(Math.max(((place + 0.5) * fieldCount) / count - 0.5, 0), fieldCount - 1);
  const first = Math.min(Math.floor(exact), Math.max(fieldCount - 2, 0));
  return { first, share: exact - first };
}

/**
 * Fills unknown pixels from known ones around them, near before far: pull-push over a pyramid of halved images
 * (Gortler, Grzeszczuk, Szeliski and Cohen, "The Lumigraph", 1996, section 3.4).
 * @param colours three channels
 * @param weights one channel: how far each pixel is known, 0 to 1
 * @returns every pixel, weighted by how far it is known, with the rest from the coarser level
 */
export function inpaint(colours: FloatImage, weights: FloatImage): FloatImage {
  const { width, height } = colours;
  if (width === 1 && height === 1) return colours;
  const half = halve(colours, weights);
  const coarse = new Upsampler(inpaint(half.colours, half.weights), { width, height });
  const known = weights.data;
  const data = colours.data.slice();
  for (let y = 0, pixel = 0; y < height; y += 1) {
    coarse.select(y);
    for (let x = 0; x < width; x += 1, pixel += 1) {
      const weight = known[pixel]!;
      if (weight === 1) continue;
      for (let at = 3 * pixel, channel = 0; channel < 3; at += 1, channel += 1) {
        const guess = coarse.at(x, channel);
        data[at] = weight === 0 ? guess : guess + weight * (data[at]! - guess);
      }
    }
  }
  return { ...colours, data };
}

function halve(colours: FloatImage, weights: FloatImage): { colours: FloatImage; weights: FloatImage } {
  const width = Math.ceil(colours.width / 2);
  const height = Math.ceil(colours.height / 2);
  const data = new Float32Array(width * height * 3);
  const known = new Float32Array(width * height);
  const from = colours.data;
  for (let y = 0, pixel = 0; y < colours.height; y += 1) {
    const row = (y >> 1) * width;
    for (let x = 0; x < colours.width; x += 1, pixel += 1) {
      const weight = weights.data[pixel]!;
      if (weight === 0) continue;
      const to = row + (x >> 1);
      known[to]! += weight;
      data[3 * to]! += weight * from[3 * pixel]!;
      data[3 * to + 1]! += weight * from[3 * pixel + 1]!;
      data[3 * to + 2]! += weight * from[3 * pixel + 2]!;
    }
  }
  for (let pixel = 0; pixel < known.length; pixel += 1) {
    const sum = known[pixel]!;
    if (sum === 0) continue;
    data[3 * pixel]! /= sum;
    data[3 * pixel + 1]! /= sum;
    data[3 * pixel + 2]! /= sum;
    // One fully known pixel of the four is enough.
    known[pixel] = Math.min(1, sum);
  }
  return {
    colours: { data, width, height, channels: 3 },
    weights: { data: known, width, height, channels: 1 },
  };
}
