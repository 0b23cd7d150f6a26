/**
 * The difference hash: robust against scaling and compression, sensitive to edits (Krawetz, "Kind of Like That", 2013).
 */

export const DHASH_SIZE = { width: 9, height: 8 } as const;

/**
 * @param luminance of 9 x 8 pixels, row by row
 * @returns 16 lower-case hexadecimal digits: one bit per pixel, set if it is darker than its right neighbour, first bit
 * highest
 */
export function differenceHash(luminance: Uint8Array): string {
  let bits = 0n;
  for (let y = 0; y < DHASH_SIZE.height; y += 1) {
    for (let x = 0; x < DHASH_SIZE.width - 1; x += 1) {
      const at = y * DHASH_SIZE.width + x;
      bits = (bits << 1n) | (luminance[at]! < luminance[at + 1]! ? 1n : 0n);
    }
  }
  return bits.toString(16).padStart(16, '0');
}
