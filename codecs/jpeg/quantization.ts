/** Quantization tables. */

/**
 * For luma and for colour, at quality 50, in natural order: table 3 of mozjpeg, which is that of ImageMagick by N. Robidoux.
 * 4 % smaller than the tables of T.81, annex K, at equal quality (bench/encoders.md).
 */
const BASE = [
  [16, 16, 16, 18, 25, 37, 56, 85],
  [16, 17, 20, 27, 34, 40, 53, 75],
  [16, 20, 24, 31, 43, 62, 91, 135],
  [18, 27, 31, 40, 53, 74, 106, 156],
  [25, 34, 43, 53, 69, 94, 131, 189],
  [37, 40, 62, 74, 94, 124, 169, 238],
  [56, 53, 91, 106, 131, 169, 226, 311],
  [85, 75, 135, 156, 189, 238, 311, 418],
].flat();

/** The largest of a table of 8 bits. */
const MAX_STEP = 255;

/** As libjpeg scales tables (jcparam.c, jpeg_quality_scaling). @param quality 1 to 100 */
export function quantizationTable(quality: number): number[] {
  const percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return BASE.map((step) => Math.min(MAX_STEP, Math.max(1, Math.floor((step * Math.floor(percent) + 50) / 100))));
}
