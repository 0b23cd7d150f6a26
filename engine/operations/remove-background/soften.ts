/** A Gaussian blur of shares, only where they change: most of a mask is all subject or all background. */
import type { Strip } from './strips.ts';

/** A Gaussian curve is cut where it is lower than this, as libvips does by default. */
const LEAST_WEIGHT = 0.2;
/** Changes are marked for so many pixels of a row at a time, or more where the blur reaches farther. */
const LEAST_CELL = 16;

/**
 * The weights of a pixel and of those beside it, up to as far as the blur reaches; those of both sides make 1. One weight
 * alone where it would change nothing.
 */
export function gaussian(sigma: number): Float32Array {
  const weights = [1];
  const weightAt = (distance: number) => Math.exp(-(distance ** 2) / (2 * sigma ** 2));
  while (weightAt(weights.length) >= LEAST_WEIGHT) weights.push(weightAt(weights.length));
  const sum = 2 * weights.reduce((total, weight) => total + weight) - 1;
  return Float32Array.from(weights, (weight) => weight / sum);
}

/** Which parts of the rows of a strip have something to blur, in cells as wide as the blur reaches at least. */
export class Changes {
  readonly cell: number;
  /** Cells of a row. */
  readonly columns: number;
  readonly #marks: Uint8Array;

  constructor(width: number, rows: number, radius: number) {
    this.cell = Math.max(LEAST_CELL, radius);
    this.columns = Math.ceil(width / this.cell);
    this.#marks = new Uint8Array(this.columns * rows);
  }

  /** Notes pixels of a row that are not like those beside them, or above them. */
  mark(row: number, from: number, to: number): void {
    const start = row * this.columns;
    this.#marks.fill(1, start + Math.floor(from / this.cell), start + Math.floor((to - 1) / this.cell) + 1);
  }

  /** Adds to each cell of a row how many of those beside it and itself are marked. */
  count(counts: Int32Array, row: number, sign: 1 | -1): void {
    const { columns } = this;
    for (let column = 0, at = row * columns; column < columns; column += 1, at += 1) {
      if (this.#marks[at] === 0) continue;
      if (column > 0) counts[column - 1]! += sign;
      counts[column]! += sign;
      if (column + 1 < columns) counts[column + 1]! += sign;
    }
  }
}

/**
 * @param shares of the rows of `area`: those of `strip`, and as many above and below as the blur reaches
 * @returns those of `strip`
 */
export function soften(
  shares: Uint8Array,
  { weights, changes, area, strip }: { weights: Float32Array; changes: Changes; area: Strip; strip: Strip },
): Uint8Array {
  const width = shares.length / area.rows;
  const radius = weights.length - 1;
  const first = strip.top - area.top;
  const { cell, columns } = changes;

  const across = shares.slice();
  const counts = new Int32Array(columns);
  for (let row = 0; row < area.rows; row += 1) {
    changes.count(counts, row, 1);
    for (let column = 0; column < columns; column += 1) {
      if (counts[column] === 0) continue;
      const [from, to] = [column * cell, Math.min(width, (column + 1) * cell)];
      blurAcross(shares, across, weights, { start: row * width, width, from, to });
    }
    changes.count(counts, row, -1);
  }

  const result = across.slice(first * width, (first + strip.rows) * width);
  const countIn = (row: number, sign: 1 | -1) => {
    if (row >= 0 && row < area.rows) changes.count(counts, row, sign);
  };
  for (let row = first - radius; row < first + radius; row += 1) countIn(row, 1);
  for (let row = first; row < first + strip.rows; row += 1) {
    countIn(row + radius, 1);
    for (let column = 0; column < columns; column += 1) {
      if (counts[column] === 0) continue;
      const [from, to] = [column * cell, Math.min(width, (column + 1) * cell)];
      blurDown(across, result, weights, { start: row * width, width, from, to }, (row - first) * width);
    }
    countIn(row - radius, -1);
  }
  return result;
}

/** Pixels of a row. */
interface Run {
  /** Where the row begins, in pixels. */
  start: number;
  width: number;
  from: number;
  to: number;
}

/** Beyond its ends a row goes on as it ends. */
function blurAcross(
  shares: Uint8Array,
  result: Uint8Array,
  weights: Float32Array,
  { start, width, from, to }: Run,
): void {
  const radius = weights.length - 1;
  const isInside = from >= radius && to + radius <= width;
  const last = start + width - 1;
  for (let at = start + from; at < start + to; at += 1) {
    let sum = weights[0]! * shares[at]! + 0.5;
    for (let distance = 1; distance <= radius; distance += 1) {
      const before = isInside ? at - distance : Math.max(start, at - distance);
      const after = isInside ? at + distance : Math.min(last, at + distance);
      sum += weights[distance]! * (shares[before]! + shares[after]!);
    }
    result[at] = sum;
  }
}

/** As a column does. @param target where the row begins in the result */
function blurDown(
  shares: Uint8Array,
  result: Uint8Array,
  weights: Float32Array,
  { start, width, from, to }: Run,
  target: number,
): void {
  const radius = weights.length - 1;
  const bottom = shares.length - width;
  for (let x = from; x < to; x += 1) {
    let sum = weights[0]! * shares[start + x]! + 0.5;
    for (let distance = 1, step = width; distance <= radius; distance += 1, step += width)
      sum +=
        weights[distance]! * (shares[Math.max(0, start - step) + x]! + shares[Math.min(bottom, start + step) + x]!);
    result[target + x] = sum;
  }
}
