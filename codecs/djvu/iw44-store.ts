/** Where the wavelet coefficients of one colour component are kept. Most of those of the finest bands are never used. */

/** Coefficients of a group: bands 0 to 6 are the first group of a block, bands 7, 8 and 9 are one each. */
export const GROUP = 256;
export const GROUPS = 4;

/** Groups that are allocated together. */
const SLAB_GROUPS = 256;

export class CoefficientStore {
  readonly blocks: number;
  /** The first groups of all blocks, one after the other. */
  readonly coarse: Int16Array;
  /** The number of each block's other groups, from 1; 0 for those that are not there. */
  readonly #numbers: Int32Array;
  readonly #slabs: Int16Array[] = [];
  #used = 0;

  constructor(blocks: number) {
    this.blocks = blocks;
    this.coarse = new Int16Array(blocks * GROUP);
    this.#numbers = new Int32Array(blocks * (GROUPS - 1));
  }

  /** The array that holds a group, from {@link offset} on; undefined where all coefficients of the group are 0. */
  find(block: number, group: number): Int16Array | undefined {
    if (group === 0) return this.coarse;
    const number = this.#numbers[block * (GROUPS - 1) + group - 1]!;
    return number === 0 ? undefined : this.#slabs[Math.floor((number - 1) / SLAB_GROUPS)];
  }

  /** The same, making the group where it is not there. */
  make(block: number, group: number): Int16Array {
    const found = this.find(block, group);
    if (found) return found;
    if (this.#used % SLAB_GROUPS === 0) this.#slabs.push(new Int16Array(SLAB_GROUPS * GROUP));
    this.#used++;
    this.#numbers[block * (GROUPS - 1) + group - 1] = this.#used;
    return this.#slabs.at(-1)!;
  }

  /** Where a group that is there starts in its array. */
  offset(block: number, group: number): number {
    if (group === 0) return block * GROUP;
    return ((this.#numbers[block * (GROUPS - 1) + group - 1]! - 1) % SLAB_GROUPS) * GROUP;
  }
}
