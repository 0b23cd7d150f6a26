/** A picture at a scale, as the model for faces is shown it. */
import { toRgb } from '../../../codecs/colour.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { Area, Planes, Shown } from '../../../models/faces.ts';
import type { Size } from '../../steps/step.ts';

const WHITE = 255;
const CHANNELS = 3;

/** @param image in memory, 8 bits, perhaps grey or with alpha */
export function shownAt(image: Image, size: Size): Shown {
  const rgb = toRgb(image);
  const opaque = rgb.hasAlpha() ? rgb.flatten({ background: WHITE }) : rgb;
  const { width, height } = image;
  const source = size.width > width || size.height > height ? opaque : reduced(opaque, size);
  return new Resampled(
    { data: source.writeToMemory() as Uint8Array, width: source.width, height: source.height },
    size,
  );
}

/** As high as wanted, and less than twice as wide: libvips takes five times as long for the columns as for the rows. */
function reduced(image: Image, { width, height }: Size): Image {
  const wholeColumns = Math.floor(image.width / width);
  const lower = image.reducev(image.height / height, { kernel: 'mitchell' });
  return wholeColumns > 1 ? lower.shrinkh(wholeColumns) : lower;
}

/** Interleaved RGB, 8 bits. */
interface Pixels extends Size {
  data: Uint8Array;
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
  readonly #pixels: Pixels;

  constructor(pixels: Pixels, { width, height }: Size) {
    this.width = width;
    this.height = height;
    this.#pixels = pixels;
  }

  draw(area: Area, planes: Planes): void {
    const { width, height } = this.#pixels;
    if (width === this.width && height === this.height) copy(this.#pixels, area, planes);
    else this.#resample(area, planes);
  }

  #resample(area: Area, planes: Planes): void {
    const { data, width, height } = this.#pixels;
    const columns = tapsAlong(area.x, area.width, width / this.width, width, CHANNELS);
    const rows = tapsAlong(area.y, area.height, height / this.height, height, width * CHANNELS);
    // A row of the result at the width of the source. Of doubles, which need no conversion.
    const line = new Float64Array(width * CHANNELS);
    for (let y = 0; y < area.height; y += 1) {
      if (height === this.height) line.set(data.subarray((area.y + y) * line.length, (area.y + y + 1) * line.length));
      else blendRows(line, data, rows, y * TAPS);
      blendColumns(line, columns, planes, y * planes.pitch);
    }
  }
}

function copy({ data, width }: Pixels, area: Area, { red, green, blue, pitch }: Planes): void {
  for (let y = 0; y < area.height; y += 1) {
    let from = ((area.y + y) * width + area.x) * CHANNELS;
    for (let x = 0, to = y * pitch; x < area.width; x += 1, to += 1, from += CHANNELS) {
      red[to] = data[from]!;
      green[to] = data[from + 1]!;
      blue[to] = data[from + 2]!;
    }
  }
}

const TAPS = 4;

/** For each place of the result along a side: which pixels of the source it is made of, and how much each counts. */
interface Taps {
  from: Int32Array;
  weight: Float64Array;
}

/**
 * @param start the first place of the result, of `count`
 * @param spacing of the places, in pixels of the source
 * @param pixels of the source along the side
 * @param step from one pixel to the next in their array
 */
function tapsAlong(start: number, count: number, spacing: number, pixels: number, step: number): Taps {
  const from = new Int32Array(count * TAPS);
  const weight = new Float64Array(count * TAPS);
  const filter = spacing < 1 ? mitchell : triangle;
  for (let place = 0; place < count; place += 1) {
    const exact = (start + place + 0.5) * spacing - 0.5;
    const first = Math.floor(exact) - 1;
    const own = weight.subarray(place * TAPS, (place + 1) * TAPS);
    let sum = 0;
    for (let index = 0; index < TAPS; index += 1) {
      from[place * TAPS + index] = Math.min(pixels - 1, Math.max(0, first + index)) * step;
      own[index] = filter(Math.abs(exact - first - index), spacing);
      sum += own[index]!;
    }
    for (let index = 0; index < TAPS; index += 1) own[index] = own[index]! / sum;
  }
  return { from, weight };
}

/** @param distance from the middle of the filter, in pixels of the source @param spacing 1 to 2 */
const triangle = (distance: number, spacing: number): number => Math.max(0, 1 - distance / spacing);

/** With B and C of a third each. @param distance 0 to 2, in pixels of the source */
function mitchell(distance: number): number {
  const [square, cube] = [distance ** 2, distance ** 3];
  return distance < 1 ? (21 * cube - 36 * square + 16) / 18 : (-7 * cube + 36 * square - 60 * distance + 32) / 18;
}

function blendRows(line: Float64Array, data: Uint8Array, { from, weight }: Taps, tap: number): void {
  const [first, second, third, fourth] = [from[tap]!, from[tap + 1]!, from[tap + 2]!, from[tap + 3]!];
  const [a, b, c, d] = [weight[tap]!, weight[tap + 1]!, weight[tap + 2]!, weight[tap + 3]!];
  for (let x = 0; x < line.length; x += 1) {
    line[x] = a * data[first + x]! + b * data[second + x]! + c * data[third + x]! + d * data[fourth + x]!;
  }
}

function blendColumns(line: Float64Array, { from, weight }: Taps, { red, green, blue }: Planes, start: number): void {
  for (let tap = 0, to = start; tap < from.length; tap += TAPS, to += 1) {
    const first = from[tap]!;
    const second = from[tap + 1]!;
    const third = from[tap + 2]!;
    const fourth = from[tap + 3]!;
    const a = weight[tap]!;
    const b = weight[tap + 1]!;
    const c = weight[tap + 2]!;
    const d = weight[tap + 3]!;
    // Not in a loop over the channels, which takes half as long again.
    red[to] = a * line[first]! + b * line[second]! + c * line[third]! + d * line[fourth]!;
    green[to] = a * line[first + 1]! + b * line[second + 1]! + c * line[third + 1]! + d * line[fourth + 1]!;
    blue[to] = a * line[first + 2]! + b * line[second + 2]! + c * line[third + 2]! + d * line[fourth + 2]!;
  }
}
