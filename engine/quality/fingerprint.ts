/** The perceptual hash of an image, for finding the same image in another size, format or quality. */

/** The image is scaled to a square of this side before it is hashed, whatever its aspect ratio. */
export const FINGERPRINT_SIDE = 32;

/** Number of frequencies per direction that are hashed. */
const FREQUENCIES = 8;

/**
 * Coefficients below this are rounding and encoder noise. Without this limit, a flat image or a plain gradient would
 * get random bits. In units of the orthonormal transform, where a wave of one level of luminance has 16.
 */
const NOISE = 8;

/** Rows 1 to 8 of the orthonormal DCT-II of 32 points: cosines[k - 1][x] = sqrt(2 / 32) cos(pi (2x + 1) k / 64). */
const COSINES = Array.from({ length: FREQUENCIES }, (_, row) =>
  Float64Array.from(
    { length: FINGERPRINT_SIDE },
    (_, x) => Math.sqrt(2 / FINGERPRINT_SIDE) * Math.cos((Math.PI * (2 * x + 1) * (row + 1)) / (2 * FINGERPRINT_SIDE)),
  ),
);

/**
 * 64-bit DCT hash with the convention of pHash: the 8 x 8 coefficients of the two-dimensional DCT-II with vertical and
 * horizontal frequency 1 to 8, so without the row and column of frequency 0. One bit each, row by row, first bit
 * highest; 1 if the coefficient is greater than the median of the 64.
 * @param pixels luminance of 32 x 32 pixels, row by row
 * @returns 16 lower-case hexadecimal digits
 */
export function fingerprint(pixels: Uint8Array): string {
  const coefficients = COSINES.flatMap((vertical) => {
    const sums = new Float64Array(FINGERPRINT_SIDE);
    pixels.forEach((pixel, index) => {
      sums[index % FINGERPRINT_SIDE]! += pixel * vertical[Math.floor(index / FINGERPRINT_SIDE)]!;
    });
    return COSINES.map((horizontal) => horizontal.reduce((sum, cosine, x) => sum + cosine * sums[x]!, 0));
  }).map((coefficient) => (Math.abs(coefficient) < NOISE ? 0 : coefficient));

  const sorted = coefficients.toSorted((one, other) => one - other);
  const median = (sorted[31]! + sorted[32]!) / 2;
  const bits = coefficients.reduce((hash, coefficient) => (hash << 1n) | (coefficient > median ? 1n : 0n), 0n);
  return bits.toString(16).padStart(16, '0');
}

/** Number of bits in which two fingerprints differ, 0 to 64. At most 6 means the same image. */
export function fingerprintDistance(one: string, other: string): number {
  let bits = BigInt(`0x${one}`) ^ BigInt(`0x${other}`);
  let distance = 0;
  for (; bits > 0n; bits >>= 1n) distance += Number(bits & 1n);
  return distance;
}
