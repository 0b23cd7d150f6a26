/** Maps pixels to the colours of a palette. */
import { AXES, fillPoints, MAX_POINT, NearestPoint } from './nearest.ts';

const [MAX_RED, MAX_GREEN, MAX_BLUE, MAX_ALPHA] = MAX_POINT as [number, number, number, number];

/** Where the error of a pixel goes: the next pixel, and three of the row below (Floyd and Steinberg, 1976). */
const [AHEAD, BELOW_BEHIND, BELOW, BELOW_AHEAD] = [7 / 16, 3 / 16, 5 / 16, 1 / 16];
/** The share of the error that is passed on in smooth areas. With all of it an error would travel far. */
const SMOOTH_SHARE = 7 / 8;
/** A difference in alpha or weighted colour from a neighbour hides the error; from this one on nothing is passed on. */
const MIN_HIDING_CONTRAST = 10;
/**
 * The squared size of an error from which on less of it is passed on: the palette has no such colour, and what the
 * neighbours cannot balance would be a trail behind an edge.
 */
const LARGE_ERROR = 64 ** 2;
const LARGE_SHARE = 0.75;

/**
 * Maps the rows of an image, from the top, to the nearest colours. With dithering the error of a pixel is passed on to
 * its neighbours, in alternating directions: in smooth areas, where missing colours would be seen as bands.
 */
export class PaletteMapper {
  readonly #width: number;
  readonly #dither: boolean;
  readonly #colours: Float32Array;
  readonly #nearest: NearestPoint;
  /** The row and the one above. */
  #row: Float32Array;
  #above: Float32Array;
  /** Errors that the row and the next one receive, with a pixel more on each side. */
  #errors: Float32Array;
  #below: Float32Array;
  #count = 0;

  /** @param palette RGBA of at most 256 colours */
  constructor(palette: Uint8Array, width: number, dither: boolean) {
    this.#width = width;
    this.#dither = dither;
    this.#colours = new Float32Array(palette.length);
    fillPoints(palette, this.#colours);
    this.#nearest = new NearestPoint(this.#colours);
    this.#row = new Float32Array(AXES * width);
    this.#above = new Float32Array(AXES * width);
    this.#errors = new Float32Array(AXES * (width + 2));
    this.#below = new Float32Array(AXES * (width + 2));
  }

  /** Returns the index of the colour of each pixel. @param pixels RGBA of whole rows */
  map(pixels: Uint8Array): Uint8Array {
    const indices = new Uint8Array(pixels.length / AXES);
    for (let first = 0; first < indices.length; first += this.#width) {
      [this.#row, this.#above] = [this.#above, this.#row];
      fillPoints(pixels.subarray(AXES * first, AXES * (first + this.#width)), this.#row);
      if (this.#count === 0) this.#above.set(this.#row);
      this.#mapRow(indices.subarray(first, first + this.#width), this.#count % 2 === 0 ? 1 : -1);
      [this.#errors, this.#below] = [this.#below, this.#errors];
      this.#below.fill(0);
      this.#count += 1;
    }
    return indices;
  }

  #mapRow(indices: Uint8Array, step: 1 | -1): void {
    const row = this.#row;
    const errors = this.#errors;
    const colours = this.#colours;
    for (let x = step === 1 ? 0 : this.#width - 1; x >= 0 && x < this.#width; x += step) {
      const at = AXES * x;
      const to = at + AXES;
      const red = inside(row[at]! + errors[to]!, MAX_RED);
      const green = inside(row[at + 1]! + errors[to + 1]!, MAX_GREEN);
      const blue = inside(row[at + 2]! + errors[to + 2]!, MAX_BLUE);
      const alpha = inside(row[at + 3]! + errors[to + 3]!, MAX_ALPHA);
      const index = this.#nearest.find(red, green, blue, alpha);
      indices[x] = index;
      if (!this.#dither) continue;
      const taken = AXES * index;
      this.#spread(
        x,
        step,
        red - colours[taken]!,
        green - colours[taken + 1]!,
        blue - colours[taken + 2]!,
        alpha - colours[taken + 3]!,
      );
    }
  }

  /** Passes the error of a pixel on. */
  #spread(x: number, step: 1 | -1, red: number, green: number, blue: number, alpha: number): void {
    const size = red * red + green * green + blue * blue + alpha * alpha;
    const visible = 1 - this.#contrastAt(x) / MIN_HIDING_CONTRAST;
    if (size === 0 || visible <= 0) return;
    const share = SMOOTH_SHARE * visible * (size > LARGE_ERROR ? LARGE_SHARE : 1);
    const to = AXES * (x + 1);
    const next = AXES * step;
    add(this.#errors, to + next, share * AHEAD, red, green, blue, alpha);
    add(this.#below, to - next, share * BELOW_BEHIND, red, green, blue, alpha);
    add(this.#below, to, share * BELOW, red, green, blue, alpha);
    add(this.#below, to + next, share * BELOW_AHEAD, red, green, blue, alpha);
  }

  /** The largest difference in green or alpha from the pixels beside and above. */
  #contrastAt(x: number): number {
    const row = this.#row;
    const above = this.#above;
    const at = AXES * x;
    const left = x === 0 ? at : at - AXES;
    const right = x === this.#width - 1 ? at : at + AXES;
    let most = 0;
    for (let axis = at + 1; axis < at + AXES; axis += 2) {
      const value = row[axis]!;
      most = Math.max(
        most,
        Math.abs(value - row[axis - at + left]!),
        Math.abs(value - row[axis - at + right]!),
        Math.abs(value - above[axis]!),
      );
    }
    return most;
  }
}

function add(to: Float32Array, at: number, share: number, red: number, green: number, blue: number, alpha: number) {
  to[at] = to[at]! + share * red;
  to[at + 1] = to[at + 1]! + share * green;
  to[at + 2] = to[at + 2]! + share * blue;
  to[at + 3] = to[at + 3]! + share * alpha;
}

const inside = (value: number, max: number): number => Math.min(Math.max(value, 0), max);
