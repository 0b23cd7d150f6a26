/**
 * Some tests process every real file in every way, which takes many minutes. Without IMAGECREW_TEST_THOROUGH=true
 * each file is processed in every nth way only, and the next file in the next ways, so that no file and no way is
 * left out. Each round (`--share` of scripts/run-tests.mjs) takes the next ways of each file.
 */
export const isThorough = process.env.IMAGECREW_TEST_THOROUGH === 'true';

const round = Number(process.env.IMAGECREW_TEST_ROUND ?? 0);

/** Tells whether this file is processed in this way; both are counted from 0. */
export function isSelected(file: number, way: number, every: number): boolean {
  return isThorough || (file + way + round) % every === 0;
}
