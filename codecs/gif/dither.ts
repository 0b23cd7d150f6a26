/** Colours of a frame out of a palette. */
import { CLEAR } from './frames.ts';
import { componentsOf, METRIC, NearestColour } from './nearest.ts';

const MATRIX_SIDE = 8;
const MATRIX_MASK = MATRIX_SIDE - 1;

/** Bayer's matrix: thresholds from 0 to 255, each once or as often as the others. */
const MATRIX = Uint8Array.from({ length: MATRIX_SIDE * MATRIX_SIDE }, (_, at) => {
  const x = at & MATRIX_MASK;
  const y = at >> 3;
  let value = 0;
  for (let bit = 0; bit < 3; bit += 1) {
    value |= ((((x ^ y) >> bit) & 1) << (5 - 2 * bit)) | (((y >> bit) & 1) << (4 - 2 * bit));
  }
  return value * 4 + 2;
});

const CACHE_BITS = 13;

/**
 * Shows colours that the palette lacks by mixing two that it has, where the place alone decides which of the two: the same
 * colour at the same place becomes the same in every frame.
 */
export class OrderedDither {
  readonly #palette: Uint32Array;
  readonly #search: NearestColour;
  readonly #dithered: boolean;
  /** For colours met lately: the nearest of the palette, the one to mix in, and how much of it out of 256. */
  readonly #keys = new Uint32Array(1 << CACHE_BITS);
  readonly #nearest = new Uint8Array(1 << CACHE_BITS);
  readonly #second = new Uint8Array(1 << CACHE_BITS);
  readonly #share = new Uint8Array(1 << CACHE_BITS);

  constructor(palette: Uint32Array, dithered: boolean) {
    this.#palette = palette;
    this.#dithered = dithered;
    this.#search = new NearestColour(componentsOf(palette));
  }

  /** Replaces the colours of a frame by those of the palette. */
  apply(colours: Uint32Array, width: number): void {
    const palette = this.#palette;
    let x = 0;
    let y = 0;
    for (let at = 0; at < colours.length; at += 1) {
      const colour = colours[at] as number;
      if (colour !== CLEAR) {
        const slot = Math.imul(colour, 0x9e3779b1) >>> (32 - CACHE_BITS);
        if (this.#keys[slot] !== colour) this.#mix(colour, slot);
        const threshold = MATRIX[((y & MATRIX_MASK) << 3) | (x & MATRIX_MASK)] as number;
        const index = threshold < (this.#share[slot] as number) ? this.#second[slot] : this.#nearest[slot];
        colours[at] = palette[index as number] as number;
      }
      x += 1;
      if (x === width) {
        x = 0;
        y += 1;
      }
    }
  }

  #mix(colour: number, slot: number): void {
    const red = colour & 0xff;
    const green = (colour >>> 8) & 0xff;
    const blue = (colour >>> 16) & 0xff;
    const nearest = this.#search.find(red, green, blue);
    this.#keys[slot] = colour;
    this.#nearest[slot] = nearest;
    this.#share[slot] = 0;
    if (!this.#dithered) return;
    const near = this.#palette[nearest] as number;
    const dx = red - (near & 0xff);
    const dy = green - ((near >>> 8) & 0xff);
    const dz = blue - ((near >>> 16) & 0xff);
    if (squared(dx, dy, dz) < INVISIBLE) return;
    const second = this.#search.find(inside(red + dx), inside(green + dy), inside(blue + dz));
    if (second === nearest) return;
    const far = this.#palette[second] as number;
    const sx = (far & 0xff) - (near & 0xff);
    const sy = ((far >>> 8) & 0xff) - ((near >>> 8) & 0xff);
    const sz = ((far >>> 16) & 0xff) - ((near >>> 16) & 0xff);
    const along = dx * sx * METRIC[0] ** 2 + dy * sy * METRIC[1] ** 2 + dz * sz * METRIC[2] ** 2;
    this.#second[slot] = second;
    this.#share[slot] = Math.min(Math.max(Math.round((256 * along) / squared(sx, sy, sz)), 0), 128);
  }
}

/** Squared distances below this are not seen, so there is nothing to mix. */
const INVISIBLE = 4;

const inside = (value: number) => Math.min(Math.max(value, 0), 255);

function squared(red: number, green: number, blue: number): number {
  return (red * METRIC[0]) ** 2 + (green * METRIC[1]) ** 2 + (blue * METRIC[2]) ** 2;
}
