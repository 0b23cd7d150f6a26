/** A picture at a scale, as the model for faces is shown it. */
import { toRgb } from '../../../codecs/colour.ts';
import { FLOAT, type Kernels } from '../../../codecs/kernels/kernels.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { Area, Shown } from '../../../models/faces.ts';
import type { Size } from '../../steps/step.ts';

const WHITE = 255;
const CHANNELS = 3;

/**
 * Good until the kernels are used for something else.
 * @param image in memory, 8 bits, perhaps grey or with alpha
 */
export function shownAt(kernels: Kernels, image: Image, size: Size): Shown {
  return new Resampled(kernels, reducedTo(image, size), size);
}

/**
 * Opaque RGB, as much reduced for a size as libvips is good for: as high, and less than twice as wide, because it takes five
 * times as long for the columns as for the rows. What the picture would have to be enlarged for is left as it is.
 * @param image in memory, 8 bits, perhaps grey or with alpha
 */
export function reducedTo(image: Image, { width, height }: Size): Image {
  const rgb = toRgb(image);
  const opaque = rgb.hasAlpha() ? rgb.flatten({ background: WHITE }) : rgb;
  if (width > image.width || height > image.height) return opaque;
  const wholeColumns = Math.floor(image.width / width);
  const lower = opaque.reducev(image.height / height, { kernel: 'mitchell' });
  return wholeColumns > 1 ? lower.shrinkh(wholeColumns) : lower;
}

/**
 * A picture drawn at another size: larger by the cubic filter of Mitchell and Netravali ("Reconstruction Filters in Computer
 * Graphics", 1988), smaller, by less than half, by a triangle as wide as two pixels of the result. With softer filters and
 * with linear interpolation the model sees more faces where there are none in enlarged photographs, with sharper ones it
 * misses some. libvips takes three times as long to enlarge.
 */
class Resampled implements Shown {
  readonly width: number;
  readonly height: number;
  readonly #kernels: Kernels;
  /** Of the picture as it is. */
  readonly #source: Size;
  /** Where its samples are, and the first address after them. */
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

  planes(area: Area, size: Size): Float32Array {
    const kernels = this.#kernels;
    kernels.free(this.#end);
    const length = size.width * size.height;
    const start = kernels.reserve(3 * length * FLOAT);
    const planes: PlaneAddresses = [start + 2 * length * FLOAT, start + length * FLOAT, start];
    const { width, height } = this.#source;
    if (width === this.width && height === this.height) this.#copy(area, planes, size.width);
    else this.#resample(area, planes, size.width);
    const input = kernels.floats(start, 3 * length);
    for (let from = 0; from < input.length; from += length)
      blacken(input.subarray(from, from + length), area, size.width);
    return input;
  }

  #copy(area: Area, [red, green, blue]: PlaneAddresses, pitch: number): void {
    for (let y = 0; y < area.height; y += 1) {
      const row = y * pitch * FLOAT;
      const from = this.#samples + ((area.y + y) * this.width + area.x) * CHANNELS;
      this.#kernels.run.toPlanes(red + row, green + row, blue + row, area.width, from);
    }
  }

  #resample(area: Area, [red, green, blue]: PlaneAddresses, pitch: number): void {
    const kernels = this.#kernels;
    const { width, height } = this.#source;
    const columns = tapsAlong(area.x, area.width, width / this.width, width);
    const rows = tapsAlong(area.y, area.height, height / this.height, height);
    const taps = kernels.place(columns.from.map((pixel) => pixel * CHANNELS * FLOAT));
    const columnWeights = kernels.place(columns.weight);
    const rowWeights = kernels.place(rows.weight);
    // A row of the result at the width of the source, as much of it as the area is made of.
    const count = columns.count * CHANNELS;
    const line = kernels.reserve(count * FLOAT);
    const rowOf = (y: number) => this.#samples + (y * width + columns.first) * CHANNELS;
    const { blendPixels, blendSamples, toFloats } = kernels.run;
    for (let y = 0; y < area.height; y += 1) {
      if (height === this.height) toFloats(line, count, rowOf(area.y + y));
      else {
        const tap = (index: number) => rowOf(rows.first + rows.from[y * TAPS + index]!);
        blendSamples(line, count, tap(0), tap(1), tap(2), tap(3), rowWeights + y * TAPS * FLOAT);
      }
      const row = y * pitch * FLOAT;
      blendPixels(red + row, green + row, blue + row, area.width, line, taps, columnWeights);
    }
  }
}

/** Red, green and blue. */
type PlaneAddresses = readonly [number, number, number];

/** What is beyond an area in the first place of a plane. */
function blacken(plane: Float32Array, { width, height }: Area, pitch: number): void {
  for (let end = pitch; end <= height * pitch && width < pitch; end += pitch) plane.fill(0, end - pitch + width, end);
  plane.fill(0, height * pitch);
}

const TAPS = 4;

/** For each place of the result along a side: which pixels of the source it is made of, and how much each counts. */
interface Taps {
  /** The pixels that any place is made of. */
  first: number;
  count: number;
  /** Relative to the first. */
  from: Int32Array;
  weight: Float32Array;
}

/**
 * @param start the first place of the result, of `places`
 * @param spacing of the places, in pixels of the source
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

/** @param distance from the middle of the filter, in pixels of the source @param spacing 1 to 2 */
const triangle = (distance: number, spacing: number): number => Math.max(0, 1 - distance / spacing);

/** With B and C of a third each. @param distance 0 to 2, in pixels of the source */
function mitchell(distance: number): number {
  const [square, cube] = [distance ** 2, distance ** 3];
  return distance < 1 ? (21 * cube - 36 * square + 16) / 18 : (-7 * cube + 36 * square - 60 * distance + 32) / 18;
}
