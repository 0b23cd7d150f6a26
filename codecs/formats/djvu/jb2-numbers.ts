/** Decodes the integers of JB2, coded as a path through a binary tree (DjVu 3 Specification, 2005, section 11.2.2). */
import type { ZpDecoder } from './zp.ts';

/** Kinds of numbers, each with a separate tree of contexts (Table 7). */
export const NUMBER_KINDS = [
  'recordType',
  'imageSize',
  'matchIndex',
  'width',
  'height',
  'widthDifference',
  'heightDifference',
  'column',
  'row',
  'sameLineColumn',
  'sameLineRow',
  'newLineColumn',
  'newLineRow',
  'commentLength',
  'commentByte',
  'dictionarySize',
] as const;

export type NumberKind = (typeof NUMBER_KINDS)[number];

export const MAX_NUMBER = 262142;
export const MIN_NUMBER = -262143;
/** Ranges of absolute values (Table 8): 0, 1-2, 3-6, 7-14 and so on, each twice as long. */
const RANGES = 18;
/** Contexts that select a range, for each sign. */
const RANGE_CONTEXTS = 32;

/** The contexts of one kind of number. */
class Tree {
  readonly sign = new Uint8Array(1);
  /** Whether the number is beyond a range, for either sign. */
  readonly beyond = new Uint8Array(2 * RANGE_CONTEXTS);
  /** The bits within a range, by sign and range. Allocated on first use, because the large ranges are long and rare. */
  readonly #within: (Uint8Array | undefined)[] = [];

  within(negative: number, range: number): Uint8Array {
    const key = negative * RANGES + range;
    this.#within[key] ??= new Uint8Array(1 << range);
    return this.#within[key];
  }
}

export class NumberDecoder {
  readonly #zp: ZpDecoder;
  #trees = new Map<NumberKind, Tree>();

  constructor(zp: ZpDecoder) {
    this.#zp = zp;
  }

  /** Resets the contexts. */
  reset(): void {
    this.#trees = new Map();
  }

  /** Decodes an integer from `least` to `most`. Decisions that these bounds determine are not coded. */
  decode(kind: NumberKind, least: number, most: number): number {
    let tree = this.#trees.get(kind);
    if (!tree) {
      tree = new Tree();
      this.#trees.set(kind, tree);
    }
    const zp = this.#zp;
    const negative = least >= 0 ? 0 : most < 0 ? 1 : 1 - zp.decode(tree.sign, 0);
    // Absolute values; those of negative numbers count from 0 as well.
    const low = negative ? Math.max(0, -most - 1) : Math.max(0, least);
    const high = negative ? -least - 1 : most;

    let range = 0;
    for (; range < RANGES - 1; range++) {
      const next = 2 ** (range + 1) - 1;
      if (high < next) break;
      if (low < next && zp.decode(tree.beyond, negative * RANGE_CONTEXTS + range) === 0) break;
    }

    let value = 2 ** range - 1;
    let node = 1;
    for (let bit = range - 1; bit >= 0; bit--) {
      const middle = value + 2 ** bit;
      const upper = low >= middle ? 1 : high < middle ? 0 : zp.decode(tree.within(negative, range), node);
      if (upper) value = middle;
      node = (node << 1) | upper;
    }
    return negative ? -value - 1 : value;
  }
}
