/**
 * Some tests put every real file through every way, which takes many minutes. Without IMAGECREW_TEST_THOROUGH=true each file
 * goes through every nth way, the next file through the next ones, so that no file and no way is left out.
 */
export const isThorough = process.env.IMAGECREW_TEST_THOROUGH === 'true';

/** Whether it is the turn of this file with this way, both counted from 0. */
export function hasTurn(file: number, way: number, every: number): boolean {
  return isThorough || (file + way) % every === 0;
}
