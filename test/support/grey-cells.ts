/** Compares images as 6 x 6 grey values, on which two renderers must agree however they draw edges. */

const GRID = 6;

interface Samples {
  data: Uint8Array | Uint16Array;
  width: number;
  height: number;
  channels: number;
}

/** Returns the mean grey of each cell, 0 to 255. The samples are 8-bit RGB, or RGBA that is drawn on white. */
export function greyCells({ data, width, height, channels }: Samples): number[] {
  const sums = new Float64Array(GRID * GRID);
  const counts = new Float64Array(GRID * GRID);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const cell = Math.floor((y * GRID) / height) * GRID + Math.floor((x * GRID) / width);
      const at = (y * width + x) * channels;
      const alpha = channels === 4 ? data[at + 3]! / 255 : 1;
      sums[cell]! += ((data[at]! + data[at + 1]! + data[at + 2]!) / 3) * alpha + 255 * (1 - alpha);
      counts[cell]! += 1;
    }
  }
  return Array.from(sums, (sum, cell) => Math.round(sum / counts[cell]!));
}

/**
 * Returns the largest difference between two cells.
 * @param reference cells of the other image, as hexadecimal bytes
 */
export function greyDistance(cells: readonly number[], reference: string): number {
  const theirs = Buffer.from(reference, 'hex');
  return Math.max(...cells.map((grey, index) => Math.abs(grey - theirs[index]!)));
}
