/** What a difference in red, green and blue weighs to the eye. */
export const METRIC = [0.55, 1, 0.45] as const;

/** Cells of 16 x 16 x 16 values. */
const CELL_SHIFT = 4;
const CELL_SIDE = 1 << CELL_SHIFT;
const CELLS = 1 << (3 * (8 - CELL_SHIFT));

/** Red, green and blue of each colour, one after the other. */
export function componentsOf(palette: Uint32Array): number[] {
  return [...palette].flatMap((colour) => [colour & 0xff, (colour >>> 8) & 0xff, (colour >>> 16) & 0xff]);
}

/** Finds the nearest of at most 256 colours. Looks only at those that can be nearest to a point of its cell. */
export class NearestColour {
  readonly #red: Float64Array;
  readonly #green: Float64Array;
  readonly #blue: Float64Array;
  readonly #cells: (Uint8Array | undefined)[] = new Array(CELLS);
  readonly #near: Float64Array;

  /** @param colours red, green and blue of each, one after the other */
  constructor(colours: ArrayLike<number>) {
    const size = colours.length / 3;
    const component = (axis: 0 | 1 | 2) =>
      Float64Array.from({ length: size }, (_, index) => (colours[3 * index + axis] as number) * METRIC[axis]);
    this.#red = component(0);
    this.#green = component(1);
    this.#blue = component(2);
    this.#near = new Float64Array(size);
  }

  /** @param red 0 to 255, as the others */
  find(red: number, green: number, blue: number): number {
    const cell = ((red >> CELL_SHIFT) << 8) | ((green >> CELL_SHIFT) << 4) | (blue >> CELL_SHIFT);
    let candidates = this.#cells[cell];
    if (!candidates) {
      candidates = this.#candidates(cell);
      this.#cells[cell] = candidates;
    }
    const x = red * METRIC[0];
    const y = green * METRIC[1];
    const z = blue * METRIC[2];
    let best = candidates[0] as number;
    let least = Number.POSITIVE_INFINITY;
    for (let at = 0; at < candidates.length; at += 1) {
      const index = candidates[at] as number;
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

  /** Those that are not farther from the nearest point of the cell than another one is from its farthest point. */
  #candidates(cell: number): Uint8Array {
    const near = this.#near;
    let bound = Number.POSITIVE_INFINITY;
    for (let index = 0; index < near.length; index += 1) {
      let nearest = 0;
      let farthest = 0;
      for (let axis = 0; axis < 3; axis += 1) {
        const component = (axis === 0 ? this.#red : axis === 1 ? this.#green : this.#blue)[index] as number;
        const low = ((cell >> (8 - 4 * axis)) & 15) * CELL_SIDE * (METRIC[axis] as number);
        const high = low + CELL_SIDE * (METRIC[axis] as number);
        const outside = Math.max(low - component, component - high, 0);
        const across = Math.max(component - low, high - component);
        nearest += outside * outside;
        farthest += across * across;
      }
      near[index] = nearest;
      bound = Math.min(bound, farthest);
    }
    const candidates: number[] = [];
    for (let index = 0; index < near.length; index += 1) {
      if ((near[index] as number) <= bound) candidates.push(index);
    }
    return Uint8Array.from(candidates);
  }
}
