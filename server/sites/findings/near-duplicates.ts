/** Finds the same image in other sizes: fingerprints that differ in few bits (docs/spec/shapes.md, section 16.3). */
import { setImmediate } from 'node:timers/promises';
import type { AssetPrint } from '../../../storage/ports/site-assessment.ts';

const MAX_DIFFERENT_BITS = 4;
/** Start and length of five bit ranges. Fingerprints that differ in at most four bits agree in at least one range. */
const BIT_RANGES = [
  [0, 13],
  [13, 13],
  [26, 13],
  [39, 13],
  [52, 12],
] as const;
/** Fingerprints with fewer set bits come from plain areas or gradients, which cannot be compared. */
const MIN_SET_BITS = 8;
/** Within a range, each fingerprint is compared with this many neighbours, so that the work grows linearly. */
const MAX_COMPARED_NEIGHBOURS = 64;
/** Maximum number of near duplicates listed for one asset. */
const MAX_LISTED = 20;
/** Number of comparisons before yielding to the event loop: a few milliseconds. */
const COMPARISONS_PER_TURN = 200_000;

/** The images that share one fingerprint, and the fingerprints found near it. */
interface FingerprintGroup {
  bits: bigint;
  high: number;
  low: number;
  seqs: number[];
  near: Set<FingerprintGroup>;
}

function bitsIn(word: number): number {
  let rest = word - ((word >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return (((rest + (rest >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

export class NearDuplicates {
  readonly #prints = new Map<string, FingerprintGroup>();
  readonly #sizes = new Map<number, string>();

  add({ seq, fingerprint, width, height }: AssetPrint): void {
    const high = Number.parseInt(fingerprint.slice(0, 8), 16) | 0;
    const low = Number.parseInt(fingerprint.slice(8), 16) | 0;
    if (bitsIn(high) + bitsIn(low) < MIN_SET_BITS) return;
    this.#sizes.set(seq, `${width}x${height}`);
    const print = this.#prints.get(fingerprint);
    if (print) print.seqs.push(seq);
    else this.#prints.set(fingerprint, { bits: BigInt(`0x${fingerprint}`), high, low, seqs: [seq], near: new Set() });
  }

  /** For each asset, the numbers of others that show the same image in another size. Assets without any are omitted. */
  async find(): Promise<Map<number, number[]>> {
    let compared = 0;
    for (const [start, length] of BIT_RANGES) {
      for (const bucket of this.#bucketsBy(start, length)) {
        for (let index = 0; index < bucket.length; index += 1) {
          compareWithNeighbours(bucket, index);
          compared += MAX_COMPARED_NEIGHBOURS;
          if (compared < COMPARISONS_PER_TURN) continue;
          compared = 0;
          await setImmediate();
        }
      }
    }
    const found = new Map<number, number[]>();
    for (const print of this.#prints.values())
      for (const seq of print.seqs) {
        const others = this.#othersOf(print, this.#sizes.get(seq)!);
        if (others.length > 0) found.set(seq, others);
      }
    return found;
  }

  /**
   * Groups fingerprints that agree in one bit range. Sorting a group brings fingerprints with more common leading bits
   * together.
   */
  #bucketsBy(start: number, length: number): Iterable<FingerprintGroup[]> {
    const buckets = new Map<number, FingerprintGroup[]>();
    for (const print of this.#prints.values()) {
      const piece = Number(BigInt.asUintN(length, print.bits >> BigInt(start)));
      const bucket = buckets.get(piece);
      if (bucket) bucket.push(print);
      else buckets.set(piece, [print]);
    }
    for (const bucket of buckets.values()) bucket.sort((one, other) => (one.bits < other.bits ? -1 : 1));
    return buckets.values();
  }

  /** Numbers of near assets of other sizes, lowest first, up to the maximum. */
  #othersOf(print: FingerprintGroup, size: string): number[] {
    const others: number[] = [];
    for (const { seqs } of [print, ...print.near]) {
      // Bounds the work too: thousands of assets with one fingerprint may all have the same size.
      for (const seq of seqs.slice(0, MAX_COMPARED_NEIGHBOURS)) if (this.#sizes.get(seq) !== size) others.push(seq);
      if (others.length >= MAX_LISTED) break;
    }
    return others.sort((one, other) => one - other).slice(0, MAX_LISTED);
  }
}

function compareWithNeighbours(bucket: readonly FingerprintGroup[], index: number): void {
  const print = bucket[index]!;
  const end = Math.min(bucket.length, index + 1 + MAX_COMPARED_NEIGHBOURS);
  for (let next = index + 1; next < end; next += 1) {
    const other = bucket[next]!;
    if (bitsIn(print.high ^ other.high) + bitsIn(print.low ^ other.low) > MAX_DIFFERENT_BITS) continue;
    print.near.add(other);
    other.near.add(print);
  }
}
