/**
 * Estimates the quality setting from a JPEG's quantisation tables, on the scale of the Independent JPEG Group's
 * libjpeg.
 */

/** The luminance table of ITU-T T.81, table K.1, in zigzag order as in files. */
const LUMINANCE = [
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58, 51, 61,
  60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103, 62, 77, 113, 121,
  112, 100, 120, 92, 101, 103, 99,
];
/** The chrominance table of ITU-T T.81, table K.2. */
const CHROMINANCE = [
  17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99,
];
const COEFFICIENTS = 64;
const MAX_BYTE = 255;

/** Returns libjpeg's scale of a standard table in percent (jcparam.c, jpeg_quality_scaling). */
const scaleOf = (quality: number): number => (quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality);

/** Sums the differences between a table and the standard one at a quality. */
function distance(table: ArrayLike<number>, standard: readonly number[], quality: number): number {
  const scale = scaleOf(quality);
  let sum = 0;
  for (let index = 0; index < COEFFICIENTS; index += 1) {
    const scaled = Math.floor((standard[index]! * scale + 50) / 100);
    sum += Math.abs(table[index]! - Math.min(MAX_BYTE, Math.max(1, scaled)));
  }
  return sum;
}

/**
 * Finds the quality, from 1 to 100, whose standard tables are closest. It is the encoder's setting where the encoder
 * uses the standard tables, as most do; otherwise it is an estimate.
 * @param tables the tables by their number, 64 steps each in zigzag order
 * @param components number of the table of each component; the first is luminance
 */
export function estimateQuality(
  tables: ReadonlyMap<number, ArrayLike<number>>,
  components: readonly number[],
): number | undefined {
  const [first, ...others] = components;
  const luminance = first === undefined ? undefined : tables.get(first);
  if (!luminance) return undefined;
  const other = others.find((number) => number !== first);
  const chrominance = other === undefined ? undefined : tables.get(other);
  let best = 1;
  let least = Number.POSITIVE_INFINITY;
  for (let quality = 1; quality <= 100; quality += 1) {
    const sum =
      distance(luminance, LUMINANCE, quality) + (chrominance ? distance(chrominance, CHROMINANCE, quality) : 0);
    if (sum < least) [best, least] = [quality, sum];
  }
  return best;
}
