/**
 * Fields at the full size, where they are looked at: the whole of one would take sixteen bytes a pixel and more, and most of
 * a picture is far from any edge.
 */
import type { Size } from '../../steps/step.ts';
import type { Field } from './field.ts';

/** How many values on a line a value between two of them is made of, and the weight of each. @param share of the way to the second of the two */
interface Kernel {
  taps: 2 | 4;
  weights(share: number): readonly number[];
}

export const LINEAR: Kernel = { taps: 2, weights: (share) => [1 - share, share] };

/** Catmull and Rom's, as R. Keys has it in "Cubic Convolution Interpolation for Digital Image Processing" (1981), a = -1/2. */
export const CUBIC: Kernel = {
  taps: 4,
  weights: (share) => {
    const rest = 1 - share;
    return [
      -0.5 * share * rest * rest,
      1 + share * share * (1.5 * share - 2.5),
      1 + rest * rest * (1.5 * rest - 2.5),
      -0.5 * rest * share * share,
    ];
  },
};

/** Along one side: which values of the field each pixel of the result is made of, and the weight of each. */
interface Taps {
  /** Of one pixel. */
  count: number;
  places: Int32Array;
  weights: Float32Array;
}

/** The first and the last pixels begin and end where those of the field do; beyond its edges the field goes on as it ends. */
function tapsOf(length: number, fieldLength: number, { taps: count, weights: weightsOf }: Kernel): Taps {
  const places = new Int32Array(length * count);
  const weights = new Float32Array(length * count);
  for (let pixel = 0, at = 0; pixel < length; pixel += 1) {
    const exact = ((pixel + 0.5) * fieldLength) / length - 0.5;
    const before = Math.floor(exact);
    const own = weightsOf(exact - before);
    for (let tap = 0; tap < count; tap += 1, at += 1) {
      places[at] = Math.min(Math.max(before + 1 - count / 2 + tap, 0), fieldLength - 1);
      weights[at] = own[tap]!;
    }
  }
  return { count, places, weights };
}

/** A field at another, mostly larger size. */
export class Enlarged {
  readonly #field: Field;
  readonly columns: Taps;
  readonly rows: Taps;
  /** Of the field. */
  readonly width: number;
  /** A row of the result in the columns of the field. */
  readonly #line: Float32Array;
  readonly #values: Float32Array;

  constructor(field: Field, { width, height }: Size, kernel: Kernel) {
    this.#field = field;
    this.width = field.width;
    this.columns = tapsOf(width, field.width, kernel);
    this.rows = tapsOf(height, field.height, kernel);
    this.#line = new Float32Array(field.width * field.channels);
    this.#values = new Float32Array(width * field.channels);
  }

  /** The values of the pixels `from` to `to` of a row, interleaved; overwritten by the next call. */
  draw(y: number, from: number, to: number): Float32Array {
    const { channels } = this.#field;
    const { count, places } = this.columns;
    this.#mixRows(y, places[from * count]!, places[to * count - 1]! + 1);
    if (count === 2) this.#mixPairs(from, to);
    else this.#mixFours(from, to);
    return this.#values.subarray(0, (to - from) * channels);
  }

  // Each number of taps has a loop of its own: one for all of them takes three times as long.
  #mixPairs(from: number, to: number): void {
    const { channels } = this.#field;
    const { places, weights } = this.columns;
    const line = this.#line;
    const values = this.#values;
    for (let tap = 2 * from, at = 0; tap < 2 * to; tap += 2) {
      const left = places[tap]! * channels;
      const right = places[tap + 1]! * channels;
      const share = weights[tap + 1]!;
      for (let channel = 0; channel < channels; channel += 1, at += 1) {
        const value = line[left + channel]!;
        values[at] = value + share * (line[right + channel]! - value);
      }
    }
  }

  #mixFours(from: number, to: number): void {
    const { channels } = this.#field;
    const { places, weights } = this.columns;
    const line = this.#line;
    const values = this.#values;
    for (let tap = 4 * from, at = 0; tap < 4 * to; tap += 4) {
      for (let channel = 0; channel < channels; channel += 1, at += 1) {
        values[at] =
          weights[tap]! * line[places[tap]! * channels + channel]! +
          weights[tap + 1]! * line[places[tap + 1]! * channels + channel]! +
          weights[tap + 2]! * line[places[tap + 2]! * channels + channel]! +
          weights[tap + 3]! * line[places[tap + 3]! * channels + channel]!;
      }
    }
  }

  /** Of the columns of the field that are needed. */
  #mixRows(y: number, from: number, to: number): void {
    const { data, width, channels } = this.#field;
    const { count, places, weights } = this.rows;
    const line = this.#line;
    line.fill(0, from * channels, to * channels);
    for (let tap = y * count; tap < (y + 1) * count; tap += 1) {
      const weight = weights[tap]!;
      const row = places[tap]! * width * channels;
      for (let at = from * channels; at < to * channels; at += 1) line[at]! += weight * data[row + at]!;
    }
  }
}

/** Neighbours in a row of which all the values that they are made of are in one state. */
export interface Run {
  state: number;
  from: number;
  to: number;
}

/** What the values of a field tell of whole areas of the result, so that these need no look at each pixel. */
export class Areas {
  readonly #enlarged: Enlarged;
  readonly #states: Uint8Array;
  readonly #open: number;
  /** The rows of the field that the runs are of. */
  #first = -1;
  #last = -1;
  #runs: Run[] = [];

  /**
   * @param states of the values of the field, one each
   * @param open the state of a pixel that is made of values of several
   */
  constructor(enlarged: Enlarged, states: Uint8Array, open: number) {
    this.#enlarged = enlarged;
    this.#states = states;
    this.#open = open;
  }

  /** Of one row, from the left; they cover it. */
  runs(y: number): readonly Run[] {
    const { count, places } = this.#enlarged.rows;
    const first = places[y * count]!;
    const last = places[(y + 1) * count - 1]!;
    if (first !== this.#first || last !== this.#last) {
      this.#first = first;
      this.#last = last;
      this.#runs = runsOf(this.#enlarged.columns, this.#agreed(first, last), this.#open);
    }
    return this.#runs;
  }

  /** The states of the columns of some rows of the field, both included. */
  #agreed(first: number, last: number): Uint8Array {
    const { width } = this.#enlarged;
    const states = this.#states.slice(first * width, (first + 1) * width);
    for (let row = first + 1; row <= last; row += 1) {
      for (let x = 0; x < width; x += 1) if (this.#states[row * width + x] !== states[x]) states[x] = this.#open;
    }
    return states;
  }
}

function runsOf({ count, places }: Taps, states: Uint8Array, open: number): Run[] {
  const runs: Run[] = [];
  const length = places.length / count;
  for (let x = 0; x < length; x += 1) {
    let state = states[places[x * count]!]!;
    for (let tap = x * count + 1; tap < (x + 1) * count; tap += 1) if (states[places[tap]!] !== state) state = open;
    const before = runs.at(-1);
    if (before?.state === state) before.to = x + 1;
    else runs.push({ state, from: x, to: x + 1 });
  }
  return runs;
}
