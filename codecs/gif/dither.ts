/** Maps the colours of frames to a palette. */
import { CLEAR } from './frames.ts';
import { componentsOf, METRIC, NearestColour } from './nearest.ts';

const [RED, GREEN, BLUE] = METRIC;

/** Where missing colours are mixed by dithering: nowhere, in smooth areas that would show banding, or everywhere. */
export type DitherArea = 'none' | 'smooth' | 'all';

/** Side of Bayer's matrix in pixels. */
const SIDE = 8;
/** Number of colours in one mixture. */
const MIXED = 8;

/** Bayer's matrix: which colour of the mixture a position takes, each equally often. */
const MATRIX = Uint8Array.from({ length: SIDE * SIDE }, (_, at) => {
  const x = at % SIDE;
  const y = Math.floor(at / SIDE);
  let value = 0;
  for (let bit = 0; bit < 3; bit += 1) {
    value |= ((((x ^ y) >> bit) & 1) << (5 - 2 * bit)) | (((y >> bit) & 1) << (4 - 2 * bit));
  }
  return value / (SIDE ** 2 / MIXED);
});

/** Sizes of the caches for recent colours: enough for the shades of one photograph, and for its smooth areas. */
const NEAREST_BITS = 15;
const MIXTURE_BITS = 14;
/** The lowest bit of a mixture is invisible; without it only an eighth of the colours must be mixed. */
const MIXTURE_PRECISION = 0xfffefefe;
const HASH = 0x9e3779b1;

/** An invisible squared distance, for which mixing is not needed. */
const INVISIBLE = 6;
/** The squared distance from a neighbour from which on a pixel is not smooth: banding is invisible there. */
const EDGE = 16;

/**
 * Replaces colours by those of a palette. Mixtures depend on the position alone (ordered dithering for any palette: T.
 * Knoll, US patent 6606166, expired), and an unchanged pixel keeps its colour.
 */
export class PaletteMapper {
  readonly #palette: Uint32Array;
  readonly #lightness: Float64Array;
  readonly #search: NearestColour;
  readonly #area: DitherArea;
  readonly #nearestKeys = new Uint32Array(1 << NEAREST_BITS);
  readonly #nearest = new Uint8Array(1 << NEAREST_BITS);
  readonly #mixtureKeys = new Uint32Array(1 << MIXTURE_BITS);
  readonly #mixtures = new Uint8Array(MIXED << MIXTURE_BITS);

  constructor(palette: Uint32Array, area: DitherArea) {
    this.#palette = palette;
    this.#area = area;
    this.#search = new NearestColour(componentsOf(palette));
    this.#lightness = Float64Array.from(palette, (colour) => squared(colour, 0xff000000));
  }

  /**
   * Fills `shown` with colours of the palette.
   * @param before the previous frame and its mapped colours, null for the first one
   */
  apply(
    frame: Uint32Array,
    before: { frame: Uint32Array; shown: Uint32Array } | null,
    shown: Uint32Array,
    width: number,
  ) {
    const palette = this.#palette;
    const height = frame.length / width;
    let at = 0;
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1, at += 1) {
        const colour = frame[at] as number;
        if (colour === CLEAR) shown[at] = CLEAR;
        else if (before && before.frame[at] === colour) shown[at] = before.shown[at] as number;
        else {
          const mixed = this.#area === 'all' || (this.#area === 'smooth' && isSmooth(frame, width, at, x));
          const place = ((y % SIDE) * SIDE + (x % SIDE)) | 0;
          const index = mixed ? this.#mix(colour, MATRIX[place] as number) : this.#find(colour);
          shown[at] = palette[index] as number;
        }
      }
    }
  }

  #find(colour: number): number {
    const slot = Math.imul(colour, HASH) >>> (32 - NEAREST_BITS);
    if (this.#nearestKeys[slot] !== colour) {
      this.#nearestKeys[slot] = colour;
      this.#nearest[slot] = this.#search.find(colour & 0xff, (colour >>> 8) & 0xff, (colour >>> 16) & 0xff);
    }
    return this.#nearest[slot] as number;
  }

  #mix(exact: number, part: number): number {
    const colour = (exact & MIXTURE_PRECISION) >>> 0;
    const slot = Math.imul(colour, HASH) >>> (32 - MIXTURE_BITS);
    if (this.#mixtureKeys[slot] !== colour) {
      this.#mixtureKeys[slot] = colour;
      this.#mixture(colour, slot * MIXED);
    }
    return this.#mixtures[slot * MIXED + part] as number;
  }

  /** Finds colours that each compensate the error of the previous ones, and sorts them from dark to light. */
  #mixture(colour: number, start: number): void {
    const mixtures = this.#mixtures;
    const nearest = this.#find(colour);
    if (squared(colour, this.#palette[nearest] as number) < INVISIBLE) {
      mixtures.fill(nearest, start, start + MIXED);
      return;
    }
    const red = colour & 0xff;
    const green = (colour >>> 8) & 0xff;
    const blue = (colour >>> 16) & 0xff;
    let wantedRed = red;
    let wantedGreen = green;
    let wantedBlue = blue;
    for (let part = 0; part < MIXED; part += 1) {
      const index = this.#search.find(inside(wantedRed), inside(wantedGreen), inside(wantedBlue));
      const taken = this.#palette[index] as number;
      wantedRed += red - (taken & 0xff);
      wantedGreen += green - ((taken >>> 8) & 0xff);
      wantedBlue += blue - ((taken >>> 16) & 0xff);
      const lightness = this.#lightness[index] as number;
      let at = start + part;
      for (; at > start && (this.#lightness[mixtures[at - 1] as number] as number) > lightness; at -= 1) {
        mixtures[at] = mixtures[at - 1] as number;
      }
      mixtures[at] = index;
    }
  }
}

/** Whether the four neighbours have nearly the same colour. */
function isSmooth(frame: Uint32Array, width: number, at: number, x: number): boolean {
  const colour = frame[at] as number;
  return (
    (x === 0 || isNear(colour, frame[at - 1] as number)) &&
    (x === width - 1 || isNear(colour, frame[at + 1] as number)) &&
    (at < width || isNear(colour, frame[at - width] as number)) &&
    (at + width >= frame.length || isNear(colour, frame[at + width] as number))
  );
}

const isNear = (colour: number, other: number): boolean => colour === other || squared(colour, other) < EDGE;

const inside = (value: number) => Math.min(Math.max(value, 0), 255);

function squared(one: number, other: number): number {
  const red = ((one & 0xff) - (other & 0xff)) * RED;
  const green = (((one >>> 8) & 0xff) - ((other >>> 8) & 0xff)) * GREEN;
  const blue = (((one >>> 16) & 0xff) - ((other >>> 16) & 0xff)) * BLUE;
  return red * red + green * green + blue * blue;
}
