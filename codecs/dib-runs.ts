/** Expands the run-length codes of bitmaps (Windows GDI reference, "Bitmap Compression"). */

export interface ExpandedRuns {
  /** One byte per pixel, rows in file order, without padding. Pixels that the file skips are 0. */
  indices: Uint8Array;
  /** The data ends before the image does. */
  truncated: boolean;
}

const END_OF_LINE = 0;
const END_OF_BITMAP = 1;
const DELTA = 2;

/**
 * Expands the runs. The work is bounded by the length of the data, whatever the size of the image.
 * @param bits per pixel: 4 or 8
 */
export function expandRuns(
  data: Uint8Array,
  start: number,
  { width, height, bits }: { width: number; height: number; bits: 4 | 8 },
): ExpandedRuns {
  const indices = new Uint8Array(width * height);
  let x = 0;
  let y = 0;
  // Runs are cut off at the end of the row.
  const put = (index: number) => {
    if (x < width) indices[y * width + x] = index;
    x++;
  };

  for (let at = start; at + 1 < data.length && y < height; ) {
    const count = data[at]!;
    const value = data[at + 1]!;
    at += 2;
    if (count > 0) {
      for (let pixel = 0; pixel < count; pixel++) put(bits === 8 ? value : nibble(value, pixel));
    } else if (value === END_OF_LINE) {
      x = 0;
      y++;
    } else if (value === END_OF_BITMAP) {
      return { indices, truncated: false };
    } else if (value === DELTA) {
      x += data[at] ?? 0;
      y += data[at + 1] ?? 0;
      at += 2;
    } else {
      // Literal pixels, padded to 16 bits.
      for (let pixel = 0; pixel < value; pixel++) {
        put(bits === 8 ? (data[at + pixel] ?? 0) : nibble(data[at + (pixel >> 1)] ?? 0, pixel));
      }
      at += Math.ceil((value * bits) / 16) * 2;
    }
  }
  // Some writers omit the end mark once the last row is full.
  return { indices, truncated: y < height - 1 || (y === height - 1 && x < width) };
}

const nibble = (byte: number, pixel: number): number => (pixel % 2 === 0 ? byte >> 4 : byte & 0x0f);
