/** Weights of differences in red, green and blue for the human eye. */
export const METRIC = [0.8, 1, 0.6] as const;
const [RED, GREEN, BLUE] = METRIC;

/** The smallest cells have 8 x 8 x 8 values. */
const SHIFT = 3;
const BITS = 8 - SHIFT;
const CELLS = 1 << (3 * BITS);
/** Eight cells make a larger one. The largest have 64 x 64 x 64 values. */
const MAX_SHIFT = 6;
/**
 * So many searches in a cell take about as long as computing its candidates. Until then those of the larger cell serve:
 * a small image has few colours in each cell.
 */
const SEARCHES_BEFORE_FILL = 8;

/** The larger cells of one size. */
class Cells {
  /** Undefined until computed. */
  readonly candidates: (Uint8Array | undefined)[];
  readonly searches: Uint8Array;

  constructor(count: number) {
    this.candidates = Array(count);
    this.searches = new Uint8Array(count);
  }
}

/** Returns red, green and blue of each colour, one after the other. */
export const componentsOf = (palette: Uint32Array): number[] =>
  [...palette].flatMap((colour) => [colour & 0xff, (colour >>> 8) & 0xff, (colour >>> 16) & 0xff]);

/** Finds the nearest of at most 256 colours. Compares only colours that can be nearest to a point of the same cell. */
export class NearestColour {
  readonly #red: Float64Array;
  readonly #green: Float64Array;
  readonly #blue: Float64Array;
  readonly #all: Uint8Array;
  /** By the number of bits that a value is shifted by. */
  readonly #larger: readonly Cells[] = Array.from(
    { length: MAX_SHIFT + 1 },
    (_, shift) => new Cells(shift > SHIFT ? 1 << (3 * (8 - shift)) : 0),
  );
  readonly #searches = new Uint8Array(CELLS);
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
      const larger = this.#candidatesAround(SHIFT + 1, red, green, blue);
      const searches = this.#searches[cell] as number;
      if (searches < SEARCHES_BEFORE_FILL) {
        this.#searches[cell] = searches + 1;
        return this.#nearestOf(larger, 0, larger.length, red, green, blue);
      }
      start = this.#fill(this.#candidates(larger, red >> SHIFT, green >> SHIFT, blue >> SHIFT, 1 << SHIFT));
      this.#starts[cell] = start;
    }
    return this.#nearestOf(this.#pool, start + 1, start + (this.#pool[start] as number) + 2, red, green, blue);
  }

  /** Compares the colours whose indices are in `pool` from `first` to before `end`. */
  #nearestOf(pool: Uint8Array, first: number, end: number, red: number, green: number, blue: number): number {
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

  /** Returns the candidates of the cell of this size, or of a larger one, around a point. */
  #candidatesAround(shift: number, red: number, green: number, blue: number): Uint8Array {
    if (shift > MAX_SHIFT) return this.#all;
    const { candidates, searches } = this.#larger[shift] as Cells;
    const bits = 8 - shift;
    const cell = ((red >> shift) << (2 * bits)) | ((green >> shift) << bits) | (blue >> shift);
    const known = candidates[cell];
    if (known) return known;
    const larger = this.#candidatesAround(shift + 1, red, green, blue);
    const count = searches[cell] as number;
    searches[cell] = count + 1;
    if (count < SEARCHES_BEFORE_FILL) return larger;
    const own = this.#candidates(larger, red >> shift, green >> shift, blue >> shift, 1 << shift);
    candidates[cell] = own;
    return own;
  }

  #fill(candidates: Uint8Array): number {
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
