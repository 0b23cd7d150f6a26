/**
 * Most of a mask is fully subject or fully background. Finds these parts, so that the work at full size is limited to
 * the rest. A part is settled if it and everything within one cell around it has one value; computations with a
 * neighbourhood of a few pixels can then skip it.
 */
import type { Size } from '../../../base/geometry.ts';

/** A mask of one byte per pixel, row by row. */
interface Samples extends Size {
  data: Uint8Array;
}

/** Minimum side of a cell in pixels: small cells follow the edge closely, large ones are fewer to process. */
const MIN_SIDE = 16;

/** A piece of a band of cells, in pixels. */
export interface Run {
  left: number;
  right: number;
  /** The value of all its pixels; undefined if it is not settled. */
  value: 0 | 255 | undefined;
}

/** Marks a cell that is not settled. */
const MIXED = 1;

export class TileMap {
  readonly side: number;
  readonly #size: Size;
  readonly #columns: number;
  readonly #rows: number;
  readonly #settled: Uint8Array;

  /** @param reach radius around a settled pixel that must have the same value, in pixels */
  constructor(shares: Samples, reach: number) {
    this.side = Math.max(MIN_SIDE, Math.ceil(reach));
    this.#size = { width: shares.width, height: shares.height };
    this.#columns = Math.ceil(shares.width / this.side);
    this.#rows = Math.ceil(shares.height / this.side);
    this.#settled = this.#settledOf(this.#valuesOf(shares));
  }

  /** The runs of a band of cells from left to right, each as long as possible. @param top first row of the band */
  runs(top: number): Run[] {
    const { width } = this.#size;
    const start = (top / this.side) * this.#columns;
    const runs: Run[] = [];
    for (let column = 0; column < this.#columns; column += 1) {
      const settled = this.#settled[start + column]!;
      const value = settled === 0 || settled === 255 ? settled : undefined;
      const last = runs.at(-1);
      const right = Math.min((column + 1) * this.side, width);
      if (last && last.value === value) last.right = right;
      else runs.push({ left: column * this.side, right, value });
    }
    return runs;
  }

  /** The runs that are not settled, with their rows. */
  *unsettled(): Generator<{ left: number; right: number; top: number; bottom: number }> {
    for (let top = 0; top < this.#size.height; top += this.side) {
      const bottom = Math.min(top + this.side, this.#size.height);
      for (const { left, right, value } of this.runs(top)) if (value === undefined) yield { left, right, top, bottom };
    }
  }

  /** The value of a pixel's cell; undefined if it is not settled. */
  at(x: number, y: number): 0 | 255 | undefined {
    const value = this.#settled[Math.floor(y / this.side) * this.#columns + Math.floor(x / this.side)];
    return value === 0 || value === 255 ? value : undefined;
  }

  #valuesOf({ data, width, height }: Samples): Uint8Array {
    const { side } = this;
    const values = new Uint8Array(this.#columns * this.#rows);
    for (let cell = 0, row = 0; row < this.#rows; row += 1) {
      const bottom = Math.min((row + 1) * side, height);
      for (let column = 0; column < this.#columns; column += 1, cell += 1) {
        const left = column * side;
        const right = Math.min(left + side, width);
        const value = data[row * side * width + left]!;
        const isEven =
          (value === 0 || value === 255) && isAll(data, value, { left, right, top: row * side, bottom }, width);
        values[cell] = isEven ? value : MIXED;
      }
    }
    return values;
  }

  /** Settles the cells of one value whose neighbours all have the same value. */
  #settledOf(values: Uint8Array): Uint8Array {
    const settled = values.slice();
    for (let cell = 0, row = 0; row < this.#rows; row += 1) {
      for (let column = 0; column < this.#columns; column += 1, cell += 1) {
        for (let y = Math.max(row - 1, 0); y <= Math.min(row + 1, this.#rows - 1); y += 1) {
          for (let x = Math.max(column - 1, 0); x <= Math.min(column + 1, this.#columns - 1); x += 1)
            if (values[y * this.#columns + x] !== values[cell]) settled[cell] = MIXED;
        }
      }
    }
    return settled;
  }
}

interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function isAll(data: Uint8Array, value: number, { left, right, top, bottom }: Area, pitch: number): boolean {
  for (let y = top; y < bottom; y += 1) {
    const end = y * pitch + right;
    for (let at = y * pitch + left; at < end; at += 1) if (data[at] !== value) return false;
  }
  return true;
}
