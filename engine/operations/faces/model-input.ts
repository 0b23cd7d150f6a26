/** Prepares an image at a scale as input of the face model. */
import type { Box, Size } from '../../../base/geometry.ts';
import { toRgb } from '../../../codecs/colour.ts';
import { FLOAT_BYTES, type Kernels } from '../../../codecs/kernels/kernels.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { ModelInput } from '../../../models/faces.ts';

const WHITE = 255;
const CHANNELS = 3;

/**
 * Valid until the kernels are used for something else.
 * @param image in memory, 8 bits, may be grey or have alpha
 */
export const prepareModelInput = (kernels: Kernels, image: Image, size: Size): ModelInput =>
  new Resampled(kernels, reduceTo(image, size), size);

/**
 * Converts to opaque RGB and reduces with libvips as far as that is fast: to the full vertical reduction, and
 * horizontally by a whole factor, to less than twice the width, because libvips takes five times as long for columns as
 * for rows. An image that must be enlarged is not resized here.
 * @param image in memory, 8 bits, may be grey or have alpha
 */
export function reduceTo(image: Image, { width, height }: Size): Image {
  const rgb = toRgb(image);
  const opaque = rgb.hasAlpha() ? rgb.flatten({ background: WHITE }) : rgb;
  if (width > image.width || height > image.height) return opaque;
  const wholeColumns = Math.floor(image.width / width);
  const lower = opaque.reducev(image.height / height, { kernel: 'mitchell' });
  return wholeColumns > 1 ? lower.shrinkh(wholeColumns) : lower;
}

/**
 * An image resampled to another size. Enlarging uses the cubic filter of Mitchell and Netravali ("Reconstruction
 * Filters in Computer Graphics", 1988). Reducing, by less than half, uses a triangle filter two result pixels wide.
 * With softer filters and linear interpolation, the model finds more false faces in enlarged photos; with sharper ones
 * it misses faces. libvips takes three times as long to enlarge.
 */
class Resampled implements ModelInput {
  readonly width: number;
  readonly height: number;
  readonly #kernels: Kernels;
  /** Size of the image before resampling. */
  readonly #source: Size;
  /** Address of its samples, and the first address after them. */
  readonly #samples: number;
  readonly #end: number;

  constructor(kernels: Kernels, source: Image, { width, height }: Size) {
    this.width = width;
    this.height = height;
    this.#source = { width: source.width, height: source.height };
    this.#kernels = kernels;
    kernels.free();
    this.#samples = kernels.place(source.writeToMemory() as Uint8Array);
    this.#end = kernels.end;
  }

  planes(area: Box, size: Size): Float32Array {
    const kernels = this.#kernels;
    kernels.free(this.#end);
    const length = size.width * size.height;
    const start = kernels.reserve(3 * length * FLOAT_BYTES);
    const planes: PlaneAddresses = [start + 2 * length * FLOAT_BYTES, start + length * FLOAT_BYTES, start];
    const { width, height } = this.#source;
    if (width === this.width && height === this.height) this.#copy(area, planes, size.width);
    else this.#resample(area, planes, size.width);
    const input = kernels.floats(start, 3 * length);
    for (let from = 0; from < input.length; from += length)
      clearOutside(input.subarray(from, from + length), area, size.width);
    return input;
  }

  #copy(area: Box, [red, green, blue]: PlaneAddresses, pitch: number): void {
    for (let y = 0; y < area.height; y += 1) {
      const row = y * pitch * FLOAT_BYTES;
      const from = this.#samples + ((area.y + y) * this.width + area.x) * CHANNELS;
      this.#kernels.run.toPlanes(red + row, green + row, blue + row, area.width, from);
    }
  }

  #resample(area: Box, [red, green, blue]: PlaneAddresses, pitch: number): void {
    const kernels = this.#kernels;
    const { width, height } = this.#source;
    const columns = tapsAlong(area.x, area.width, width / this.width, width);
    const rows = tapsAlong(area.y, area.height, height / this.height, height);
    const taps = kernels.place(columns.from.map((pixel) => pixel * CHANNELS * FLOAT_BYTES));
    const columnWeights = kernels.place(columns.weight);
    const rowWeights = kernels.place(rows.weight);
    // One row of the result at the width of the source, limited to the columns that the area needs.
    const count = columns.count * CHANNELS;
    const line = kernels.reserve(count * FLOAT_BYTES);
    const rowOf = (y: number) => this.#samples + (y * width + columns.first) * CHANNELS;
    const { blendPixels, blendSamples, toFloats } = kernels.run;
    for (let y = 0; y < area.height; y += 1) {
      if (height === this.height) toFloats(line, count, rowOf(area.y + y));
      else {
        const tap = (index: number) => rowOf(rows.first + rows.from[y * TAPS + index]!);
        blendSamples(line, count, tap(0), tap(1), tap(2), tap(3), rowWeights + y * TAPS * FLOAT_BYTES);
      }
      const row = y * pitch * FLOAT_BYTES;
      blendPixels(red + row, green + row, blue + row, area.width, line, taps, columnWeights);
    }
  }
}

/** Red, green and blue. */
type PlaneAddresses = readonly [number, number, number];

/** Clears the part of a plane outside its area. */
function clearOutside(plane: Float32Array, { width, height }: Box, pitch: number): void {
  for (let end = pitch; end <= height * pitch && width < pitch; end += pitch) plane.fill(0, end - pitch + width, end);
  plane.fill(0, height * pitch);
}

const TAPS = 4;

/** For each result position along a side: the source pixels it depends on, and their weights. */
interface Taps {
  /** The range of source pixels used by any position. */
  first: number;
  count: number;
  /** Indexes relative to the first. */
  from: Int32Array;
  weight: Float32Array;
}

/**
 * Computes the taps of `places` result positions.
 * @param start the first position
 * @param spacing of the positions, in source pixels
 * @param pixels of the source along the side
 */
function tapsAlong(start: number, places: number, spacing: number, pixels: number): Taps {
  const from = new Int32Array(places * TAPS);
  const weight = new Float32Array(places * TAPS);
  const filter = spacing < 1 ? mitchell : triangle;
  const pixelAt = (place: number, tap: number) =>
    Math.min(pixels - 1, Math.max(0, Math.floor((start + place + 0.5) * spacing - 0.5) - 1 + tap));
  const first = pixelAt(0, 0);
  for (let place = 0; place < places; place += 1) {
    const exact = (start + place + 0.5) * spacing - 0.5;
    const weights = Array.from({ length: TAPS }, (_, tap) =>
      filter(Math.abs(exact - Math.floor(exact) + 1 - tap), spacing),
    );
    const sum = weights.reduce((total, value) => total + value, 0);
    for (let tap = 0; tap < TAPS; tap += 1) {
      from[place * TAPS + tap] = pixelAt(place, tap) - first;
      weight[place * TAPS + tap] = weights[tap]! / sum;
    }
  }
  return { first, count: pixelAt(places - 1, TAPS - 1) - first + 1, from, weight };
}

/** @param distance from the centre of the filter, in source pixels @param spacing 1 to 2 */
const triangle = (distance: number, spacing: number): number => Math.max(0, 1 - distance / spacing);

/** With B = C = 1/3. @param distance 0 to 2, in source pixels */
function mitchell(distance: number): number {
  const [square, cube] = [distance ** 2, distance ** 3];
  return distance < 1 ? (21 * cube - 36 * square + 16) / 18 : (-7 * cube + 36 * square - 60 * distance + 32) / 18;
}
