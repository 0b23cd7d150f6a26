/** Small pictures of real numbers, computed at a fraction of the size, and their values at the full size. */
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { Size } from '../../steps/step.ts';

/** Interleaved, row by row. */
export interface Field extends Size {
  data: Float32Array;
  channels: number;
}

/** The size that a picture has when its longer side has at most so many pixels. */
export function inside({ width, height }: Size, longest: number): Size {
  const factor = Math.min(1, longest / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

/** The samples of a picture of 8 bits as numbers from 0 to 1. */
export function fieldOf(image: Image): Field {
  const { width, height, bands } = image;
  const samples = image.writeToMemory() as Uint8Array;
  return { data: Float32Array.from(samples, (sample) => sample / 255), width, height, channels: bands };
}

/** The other way. */
export function imageOf(vips: VipsApi, { data, width, height, channels }: Field): Image {
  const samples = Uint8Array.from(data, (value) => Math.round(Math.min(Math.max(value, 0), 1) * 255));
  const image = vips.Image.newFromMemory(samples, width, height, channels, vips.BandFormat.uchar);
  return image.copy({ interpretation: channels === 1 ? 'b-w' : 'srgb' });
}

/** The means of the windows of (2 radius + 1)² pixels around each pixel, of as much of them as lies in the field; in place. */
export function boxMeans({ data, width, height, channels }: Field, radius: number): void {
  const pitch = width * channels;
  const line = new Float32Array(Math.max(width, height));
  for (let y = 0; y < height; y += 1)
    for (let channel = 0; channel < channels; channel += 1)
      slide(data, line, { from: y * pitch + channel, step: channels, count: width }, radius);
  for (let x = 0; x < pitch; x += 1) slide(data, line, { from: x, step: pitch, count: height }, radius);
}

interface Line {
  from: number;
  step: number;
  count: number;
}

/** Running sums: each window takes two additions, however wide it is. */
function slide(data: Float32Array, line: Float32Array, { from, step, count }: Line, radius: number): void {
  for (let at = 0; at < count; at += 1) line[at] = data[from + at * step]!;
  let sum = 0;
  for (let at = 0; at < Math.min(radius, count); at += 1) sum += line[at]!;
  for (let at = 0; at < count; at += 1) {
    if (at + radius < count) sum += line[at + radius]!;
    if (at - radius - 1 >= 0) sum -= line[at - radius - 1]!;
    data[from + at * step] = sum / (Math.min(at + radius, count - 1) - Math.max(at - radius, 0) + 1);
  }
}

/**
 * A field enlarged to another size, linear between the middles of its pixels, one row at a time: the whole would take
 * sixteen bytes a pixel and more.
 */
export class Enlarged {
  readonly #field: Field;
  readonly #height: number;
  /** Of each column of the result: the first of the two values that it lies between, and the share of the second. */
  readonly #left: Int32Array;
  readonly #share: Float32Array;
  readonly #row: Float32Array;

  constructor(field: Field, { width, height }: Size) {
    this.#field = field;
    this.#height = height;
    this.#left = new Int32Array(width);
    this.#share = new Float32Array(width);
    for (let x = 0; x < width; x += 1) {
      const { first, share } = between(x, width, field.width);
      this.#left[x] = first * field.channels;
      this.#share[x] = share;
    }
    // One more pixel, so that the last has a right neighbour.
    this.#row = new Float32Array((field.width + 1) * field.channels);
  }

  /** Goes to a row of the result. */
  select(y: number): void {
    const { data, width, height, channels } = this.#field;
    const { first, share } = between(y, this.#height, height);
    const pitch = width * channels;
    const upper = first * pitch;
    const lower = Math.min(first + 1, height - 1) * pitch;
    for (let at = 0; at < pitch; at += 1) {
      const value = data[upper + at]!;
      this.#row[at] = value + share * (data[lower + at]! - value);
    }
    this.#row.copyWithin(pitch, pitch - channels, pitch);
  }

  /** A value of the selected row. */
  at(x: number, channel: number): number {
    const from = this.#left[x]! + channel;
    const value = this.#row[from]!;
    return value + this.#share[x]! * (this.#row[from + this.#field.channels]! - value);
  }
}

/** Where the middle of a pixel of the result lies among the pixels of the field. */
function between(place: number, count: number, fieldCount: number): { first: number; share: number } {
  const exact = Math.min(Math.max(((place + 0.5) * fieldCount) / count - 0.5, 0), fieldCount - 1);
  const first = Math.min(Math.floor(exact), Math.max(fieldCount - 2, 0));
  return { first, share: exact - first };
}

/**
 * Fills in what is not known of a picture from what is known around it, near before far: pull-push over a pyramid of
 * halves (Gortler, Grzeszczuk, Szeliski and Cohen, "The Lumigraph", 1996, section 3.4).
 * @param colours three channels
 * @param weights one: how far each pixel is known, 0 to 1
 * @returns every pixel, as known as it is, the rest of it from the coarser level
 */
export function fillIn(colours: Field, weights: Field): Field {
  const { width, height } = colours;
  if (width === 1 && height === 1) return colours;
  const half = halve(colours, weights);
  const coarse = new Enlarged(fillIn(half.colours, half.weights), { width, height });
  const data = new Float32Array(colours.data.length);
  for (let y = 0, at = 0, pixel = 0; y < height; y += 1) {
    coarse.select(y);
    for (let x = 0; x < width; x += 1, pixel += 1) {
      const known = weights.data[pixel]!;
      for (let channel = 0; channel < 3; channel += 1, at += 1) {
        data[at] = known * colours.data[at]! + (1 - known) * coarse.at(x, channel);
      }
    }
  }
  return { ...colours, data };
}

/** How much of the knowledge of four pixels their mean has: one that is fully known is enough. */
const most = (sum: number) => Math.min(1, sum);

function halve(colours: Field, weights: Field): { colours: Field; weights: Field } {
  const width = Math.ceil(colours.width / 2);
  const height = Math.ceil(colours.height / 2);
  const data = new Float32Array(width * height * 3);
  const known = new Float32Array(width * height);
  for (let y = 0; y < colours.height; y += 1) {
    for (let x = 0; x < colours.width; x += 1) {
      const from = y * colours.width + x;
      const to = (y >> 1) * width + (x >> 1);
      const weight = weights.data[from]!;
      if (weight === 0) continue;
      known[to]! += weight;
      for (let channel = 0; channel < 3; channel += 1)
        data[3 * to + channel]! += weight * colours.data[3 * from + channel]!;
    }
  }
  for (let pixel = 0; pixel < known.length; pixel += 1) {
    const sum = known[pixel]!;
    if (sum === 0) continue;
    for (let channel = 0; channel < 3; channel += 1) data[3 * pixel + channel]! /= sum;
    known[pixel] = most(sum);
  }
  return {
    colours: { data, width, height, channels: 3 },
    weights: { data: known, width, height, channels: 1 },
  };
}
