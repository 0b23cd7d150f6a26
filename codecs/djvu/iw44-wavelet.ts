/** From wavelet coefficients back to samples (DjVu 3 Specification, 2005, appendix 1): Dubuc-Deslauriers-Lemire (4, 4), by lifting. */
import { type CoefficientStore, GROUP, GROUPS } from './iw44-store.ts';

/** Pixels of a side of a block. */
export const BLOCK = 32;
/** Samples have 6 fractional bits until they are done. */
const FRACTION_BITS = 6;

/** Where a component is written: into pixels that hold others too. Samples are signed. */
export interface SampleTarget {
  data: Uint8Array;
  /** Bytes from one pixel to the next. */
  pixelBytes: number;
  /** Of the component in a pixel. */
  at: number;
}

/** Where coefficient `n` of a block lies: its bits are, the least significant first, bits of the column and the row in turn, the most significant first. */
const COLUMNS = new Uint8Array(BLOCK * BLOCK);
const ROWS = new Uint8Array(BLOCK * BLOCK);
for (let n = 0; n < BLOCK * BLOCK; n++) {
  for (let bit = 0; bit < 5; bit++) {
    COLUMNS[n]! |= ((n >> (2 * bit)) & 1) << (4 - bit);
    ROWS[n]! |= ((n >> (2 * bit + 1)) & 1) << (4 - bit);
  }
}

/** A component while it is transformed. One more row than it has is all 0: it stands for what lies outside. */
export class Plane {
  readonly width: number;
  readonly height: number;
  readonly samples: Int16Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.samples = new Int16Array(width * (height + 1));
  }

  /**
   * Puts the coefficients in their places and transforms them.
   * @param reduction 2 for a component that is only known at half the size: the finest bands are left out
   */
  fill(store: CoefficientStore, blocksAcross: number, reduction: 1 | 2): void {
    this.samples.fill(0);
    this.#scatter(store, blocksAcross, reduction);
    for (let step = BLOCK / 2 / reduction; step >= 1; step >>= 1) {
      this.#transformColumns(step);
      this.#transformRows(step);
    }
  }

  #scatter(store: CoefficientStore, blocksAcross: number, reduction: 1 | 2): void {
    const { width, height, samples } = this;
    const side = BLOCK / reduction;
    for (let block = 0; block < store.blocks; block++) {
      const left = (block % blocksAcross) * side;
      const bottom = Math.floor(block / blocksAcross) * side;
      for (let group = 0; group < (reduction === 1 ? GROUPS : 1); group++) {
        const data = store.find(block, group);
        if (!data) continue;
        const start = store.offset(block, group);
        for (let at = 0; at < GROUP; at++) {
          const value = data[start + at]!;
          if (value === 0) continue;
          const x = left + COLUMNS[group * GROUP + at]! / reduction;
          const y = bottom + ROWS[group * GROUP + at]! / reduction;
          if (x < width && y < height) samples[y * width + x] = value;
        }
      }
    }
  }

  /** Lifts every second row of the grid of every `step`th sample by its neighbours, then predicts those between. */
  #transformColumns(step: number): void {
    const { width, height, samples } = this;
    const count = Math.floor((height - 1) / step) + 1;
    const rowOf = (index: number) => (index >= 0 && index < count ? index * step : height) * width;
    for (let even = 0; even < count + 3; even += 2) {
      if (even < count) {
        const row = rowOf(even);
        const near = rowOf(even - 1);
        const next = rowOf(even + 1);
        const far = rowOf(even - 3);
        const farther = rowOf(even + 3);
        for (let x = 0; x < width; x += step) {
          const sum = 9 * (samples[near + x]! + samples[next + x]!) - samples[far + x]! - samples[farther + x]!;
          samples[row + x]! -= (sum + 16) >> 5;
        }
      }
      // The row three before: all it is predicted from has been lifted by now.
      const odd = even - 3;
      if (odd < 0) continue;
      const row = rowOf(odd);
      const near = rowOf(odd - 1);
      if (odd >= 3 && odd + 3 < count) {
        const next = rowOf(odd + 1);
        const far = rowOf(odd - 3);
        const farther = rowOf(odd + 3);
        for (let x = 0; x < width; x += step) {
          const sum = 9 * (samples[near + x]! + samples[next + x]!) - samples[far + x]! - samples[farther + x]!;
          samples[row + x]! += (sum + 8) >> 4;
        }
      } else if (odd < count) {
        const next = odd + 1 < count ? rowOf(odd + 1) : near;
        for (let x = 0; x < width; x += step) {
          samples[row + x]! += (samples[near + x]! + samples[next + x]! + 1) >> 1;
        }
      }
    }
  }

  /** The same along the rows. */
  #transformRows(step: number): void {
    const { width, height, samples } = this;
    const count = Math.floor((width - 1) / step) + 1;
    const last = count - 1;
    for (let y = 0; y < height; y += step) {
      const start = y * width;
      let far = 0;
      let near = 0;
      let next = last >= 1 ? samples[start + step]! : 0;
      let farther = last >= 3 ? samples[start + 3 * step]! : 0;
      for (let even = 0; even <= last; even += 2) {
        samples[start + even * step]! -= (9 * (near + next) - far - farther + 16) >> 5;
        far = near;
        near = next;
        next = farther;
        // What lies outside is 0, as for the columns. DjVuLibre's decoder takes the last odd sample again in rows of four
        // to seven, which its encoder does not: its pixels differ by a few levels in layers less than 113 pixels wide.
        farther = even + 5 <= last ? samples[start + (even + 5) * step]! : 0;
      }
      far = 0;
      near = samples[start]!;
      next = last >= 2 ? samples[start + 2 * step]! : near;
      for (let odd = 1; odd <= last; odd += 2) {
        farther = odd + 3 <= last ? samples[start + (odd + 3) * step]! : next;
        const prediction =
          odd >= 3 && odd + 3 <= last ? (9 * (near + next) - far - farther + 8) >> 4 : (near + next + 1) >> 1;
        samples[start + odd * step]! += prediction;
        far = near;
        near = next;
        next = farther;
      }
    }
  }

  /** The samples without their fraction, rows from top to bottom, each `reduction` times in either direction. */
  write({ data, pixelBytes, at }: SampleTarget, width: number, height: number, reduction: 1 | 2): void {
    const shift = reduction - 1;
    for (let y = 0; y < height; y++) {
      const row = (y >> shift) * this.width;
      let to = (height - 1 - y) * width * pixelBytes + at;
      for (let x = 0; x < width; x++, to += pixelBytes) {
        const sample = (this.samples[row + (x >> shift)]! + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS;
        data[to] = sample < -128 ? -128 : Math.min(sample, 127);
      }
    }
  }
}
