import { type AnimationFrames, CLEAR, readColours } from './frames.ts';

/** Bits of each component that select a cell of the histogram. */
const CELL_BITS = 6;
const CELL_SHIFT = 8 - CELL_BITS;
const CELLS = 1 << (3 * CELL_BITS);

/** Consecutive frames. */
export interface FrameRange {
  /** Index of the first frame. */
  start: number;
  /** Index after the last one. */
  end: number;
}

/** Weighted colours. */
export interface Points {
  count: number;
  weight: Float64Array;
  /** Red, green and blue from 0 to 255 of every point, one after the other. */
  colour: Float64Array;
}

/** A colour histogram: cells of the colour cube with the sums of the colours in them. */
export class Histogram {
  readonly #sums = new Float64Array(CELLS * 4);

  add(colour: number, count: number): void {
    const red = colour & 0xff;
    const green = (colour >>> 8) & 0xff;
    const blue = (colour >>> 16) & 0xff;
    const cell =
      (((red >> CELL_SHIFT) << (2 * CELL_BITS)) | ((green >> CELL_SHIFT) << CELL_BITS) | (blue >> CELL_SHIFT)) * 4;
    const sums = this.#sums;
    sums[cell] = (sums[cell] as number) + count;
    sums[cell + 1] = (sums[cell + 1] as number) + count * red;
    sums[cell + 2] = (sums[cell + 2] as number) + count * green;
    sums[cell + 3] = (sums[cell + 3] as number) + count * blue;
  }

  /** Adds the colours of a frame, without transparent pixels. */
  addAll(colours: Uint32Array): void {
    let last = CLEAR;
    let count = 0;
    for (const colour of colours) {
      if (colour === last) {
        count += 1;
        continue;
      }
      if (last !== CLEAR) this.add(last, count);
      last = colour;
      count = 1;
    }
    if (last !== CLEAR) this.add(last, count);
  }

  /** Adds the colours of several frames. @param pixels buffer for one frame */
  addScene(frames: AnimationFrames, { start, end }: FrameRange, pixels: Uint32Array): void {
    for (let index = start; index < end; index += 1) {
      readColours(frames, index, pixels);
      this.addAll(pixels);
    }
  }

  /** Returns the mean colours of the cells that are not empty. */
  points(): Points {
    const sums = this.#sums;
    let count = 0;
    for (let at = 0; at < sums.length; at += 4) if (sums[at] !== 0) count += 1;
    const weight = new Float64Array(count);
    const colour = new Float64Array(count * 3);
    let point = 0;
    for (let at = 0; at < sums.length; at += 4) {
      const total = sums[at] as number;
      if (total === 0) continue;
      weight[point] = total;
      for (let axis = 0; axis < 3; axis += 1) colour[3 * point + axis] = (sums[at + 1 + axis] as number) / total;
      point += 1;
    }
    return { count, weight, colour };
  }
}
