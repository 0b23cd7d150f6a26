/** Weights of differences in red, green and blue for the human eye. */
export const METRIC = [0.8, 1, 0.6] as const;
const [RED, GREEN, BLUE] = METRIC;

/** Cells of 8 x 8 x 8 values, eight of which make a larger one. */
const SHIFT = 3;
const BITS = 8 - SHIFT;
const CELLS = 1 << (3 * BITS);

/** Returns red, green and blue of each colour, one after the other. */
export const componentsOf = (palette: Uint32Array): number[] =>
  [...palette].flatMap((colour) => [colour & 0xff, (colour >>> 8) & 0xff, (colour >>> 16) & 0xff]);

/** Finds the nearest of at most 256 colours. Compares only colours that can be nearest to a point of the same cell. */
export class NearestColour {
  readonly #red: Float64Array;
  readonly #green: Float64Array;
  readonly #blue: Float64Array;
  readonly #all: Uint8Array;
  readonly #large = new Map<number, Uint8Array>();
  /**
   * Where the candidates of each cell begin in the pool: their number minus one, then their indices. 0 means not
   * computed yet.
   */
  readonly #starts = new Uint32Array(CELLS);
  #pool = new Uint8Array(1 << 16);
  #used = 1;

  /** @param colours red, green and blue of each, one after the other */
  constructor(colours: ArrayLike<number>) {
    const size = colours.length / 3;
    const component = (axis: 0 | 1 | 2) =>
      Float64Array.from({ length: size }, (_, index) => (colours[3 * index + axis] as number) * METRIC[axis]);
    this.#red = component(0);
    this.#green = component(1);
    this.#blue = component(2);
    this.#all = Uint8Array.from({ length: size }, (_, index) => index);
  }

  /** @param red 0 to 255, like the others */
  find(red: number, green: number, blue: number): number {
    const cell = ((red >> SHIFT) << (2 * BITS)) | ((green >> SHIFT) << BITS) | (blue >> SHIFT);
    let start = this.#starts[cell] as number;
    if (start === 0) {
      start = this.#fill(red >> SHIFT, green >> SHIFT, blue >> SHIFT);
      this.#starts[cell] = start;
    }
    const pool = this.#pool;
    const first = start + 1;
    const end = first + (pool[start] as number) + 1;
    const x = red * RED;
    const y = green * GREEN;
    const z = blue * BLUE;
    let best = pool[first] as number;
    let least = Number.POSITIVE_INFINITY;
    for (let at = first; at < end; at += 1) {
      const index = pool[at] as number;
      const dx = x - (this.#red[index] as number);
      const dy = y - (this.#green[index] as number);
      const dz = z - (this.#blue[index] as number);
      const distance = dx * dx + dy * dy + dz * dz;
      if (distance < least) {
        least = distance;
        best = index;
      }
    }
    return best;
  }

  #fill(red: number, green: number, blue: number): number {
    const key = ((red >> 1) << (2 * BITS)) | ((green >> 1) << BITS) | (blue >> 1);
    let large = this.#large.get(key);
    if (!large) {
      large = this.#candidates(this.#all, red >> 1, green >> 1, blue >> 1, 2 << SHIFT);
      this.#large.set(key, large);
    }
    const candidates = this.#candidates(large, red, green, blue, 1 << SHIFT);
    const start = this.#used;
    this.#used += 1 + candidates.length;
    if (this.#used > this.#pool.length) {
      const longer = new Uint8Array(this.#pool.length * 2);
      longer.set(this.#pool);
      this.#pool = longer;
    }
    this.#pool[start] = candidates.length - 1;
    this.#pool.set(candidates, start + 1);
    return start;
  }

  /**
   * Returns the colours whose distance from the nearest point of the cell does not exceed the smallest distance of any
   * colour from its farthest point.
   */
  #candidates(among: Uint8Array, red: number, green: number, blue: number, side: number): Uint8Array {
    const near = new Float64Array(among.length);
    let bound = Number.POSITIVE_INFINITY;
    const x = red * side * RED;
    const y = green * side * GREEN;
    const z = blue * side * BLUE;
    for (let at = 0; at < among.length; at += 1) {
      const index = among[at] as number;
      const r = this.#red[index] as number;
      const g = this.#green[index] as number;
      const b = this.#blue[index] as number;
      near[at] = nearest(r, x, side * RED) + nearest(g, y, side * GREEN) + nearest(b, z, side * BLUE);
      bound = Math.min(bound, farthest(r, x, side * RED) + farthest(g, y, side * GREEN) + farthest(b, z, side * BLUE));
    }
    return among.filter((_, position) => (near[position] as number) <= bound);
  }
}

/** Returns the squared distance of a value from the nearest point of an interval. */
function nearest(value: number, low: number, length: number): number {
  const outside = value < low ? low - value : value > low + length ? value - low - length : 0;
  return outside * outside;
}

/** Returns the squared distance of a value from the farthest point of an interval. */
function farthest(value: number, low: number, length: number): number {
  const across = Math.max(value - low, low + length - value);
  return across * across;
}
