/** Moves the coded data of a file whose directory points at them by offset. */
import { corruptImage } from '../errors.ts';
import { mergeRanges, type Range } from './bytes.ts';

/** The ranges of a file that are kept, laid out one after the other, with the new position of each old offset. */
export class Regions {
  readonly #regions: (Range & { target: number })[];
  readonly #source: Uint8Array;
  readonly #format: string;
  /** Total bytes of all regions. */
  readonly length: number;

  /** @param alignment each region starts at a multiple of this, counted from the first region */
  constructor(source: Uint8Array, ranges: readonly Range[], format: string, alignment = 1) {
    this.#source = source;
    this.#format = format;
    let target = 0;
    this.#regions = mergeRanges(ranges).map((range) => {
      if (range.start < 0 || range.end > source.length)
        throw corruptImage(format, `data at ${range.start} to ${range.end}`);
      const placed = { ...range, target };
      target += Math.ceil((range.end - range.start) / alignment) * alignment;
      return placed;
    });
    this.length = target;
  }

  /**
   * Returns the new position of the byte at `offset`, counted from the first region.
   * @throws Failure `corrupt_image` when the byte is not kept
   */
  locate(offset: number): number {
    let low = 0;
    let high = this.#regions.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#regions[middle]!.start <= offset) low = middle;
      else high = middle - 1;
    }
    const region = this.#regions[low];
    if (!region || offset < region.start || offset > region.end)
      throw corruptImage(this.#format, `nothing at ${offset}`);
    return region.target + offset - region.start;
  }

  copyTo(bytes: Uint8Array, at: number): void {
    for (const { start, end, target } of this.#regions) bytes.set(this.#source.subarray(start, end), at + target);
  }
}
