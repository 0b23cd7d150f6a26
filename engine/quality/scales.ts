/**
 * Shared by the measures of this folder: planes of samples at scales of half the size each, and sums over their blocks.
 */

/** One channel, 0 to 255, rows from top to bottom without gaps. */
export interface Luminance {
  data: Uint8Array;
  width: number;
  height: number;
}

/** Side of a block in pixels. */
export const BLOCK = 4;
export const BLOCK_AREA = BLOCK ** 2;

/**
 * An image at one scale. Each scale is half as wide and high as the one before. Its samples are the sums, not the
 * means, of the 4^scale pixels they cover: 16 bits hold them without rounding on all five scales.
 */
export interface Plane {
  data: Uint8Array | Uint16Array;
  width: number;
  height: number;
}

/**
 * Sums over each block of one row of blocks: of the candidate b, of its square and of its product with the reference.
 */
export interface BlockSums {
  b: Float64Array;
  bb: Float64Array;
  ab: Float64Array;
}

/** Repeats the last column and row until the image contains whole blocks and at least one window. */
export function wholeBlocks(image: Luminance): Plane {
  const whole = (side: number) => Math.max(2, Math.ceil(side / BLOCK)) * BLOCK;
  const width = whole(image.width);
  const height = whole(image.height);
  if (width === image.width && height === image.height) return image;
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const start = Math.min(y, image.height - 1) * image.width;
    const row = image.data.subarray(start, start + image.width);
    data.set(row, y * width);
    data.fill(row[row.length - 1]!, y * width + row.length, (y + 1) * width);
  }
  return { data, width, height };
}

/** A plane of half the size; undefined if it would be smaller than two by two blocks. */
export function emptyHalf(plane: Plane): Plane | undefined {
  const width = plane.width >> 1;
  const height = plane.height >> 1;
  if (Math.min(width, height) < 2 * BLOCK) return undefined;
  return { data: new Uint16Array(width * height), width, height };
}

export const emptySums = (columns: number): BlockSums => ({
  b: new Float64Array(columns),
  bb: new Float64Array(columns),
  ab: new Float64Array(columns),
});

/** Fills `sums` for one row of blocks, and writes the part of the candidate's next scale that the row covers. */
export function sumBlocks(
  reference: Plane,
  candidate: Plane,
  row: number,
  sums: BlockSums,
  next: Plane | undefined,
): void {
  const { width, data: b } = candidate;
  const a = reference.data;
  const end = sums.b.length * BLOCK;
  sums.b.fill(0);
  sums.bb.fill(0);
  sums.ab.fill(0);
  for (let y = row * BLOCK; y < (row + 1) * BLOCK; y += 2) {
    let top = y * width;
    let bottom = top + width;
    let half = next ? (y / 2) * next.width : 0;
    for (let x = 0; x < end; x += 2, top += 2, bottom += 2, half++) {
      const p = b[top]!;
      const q = b[top + 1]!;
      const r = b[bottom]!;
      const s = b[bottom + 1]!;
      const sum = p + q + r + s;
      const block = x >> 2;
      sums.b[block]! += sum;
      sums.bb[block]! += p * p + q * q + r * r + s * s;
      sums.ab[block]! += p * a[top]! + q * a[top + 1]! + r * a[bottom]! + s * a[bottom + 1]!;
      if (next) next.data[half] = sum;
    }
  }
}
