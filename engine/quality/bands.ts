/**
 * Selects rows that represent a large image. The image is not scaled down, because that would hide encoder artefacts.
 */

/** Full-width bands of equal height, from top to bottom. */
export interface Bands {
  tops: readonly number[];
  rows: number;
}

const MAX_ROWS = 128;
const MIN_BANDS = 4;

/** @returns undefined if the image has no more than `maxPixels` */
export function bandsOf({ width, height }: { width: number; height: number }, maxPixels: number): Bands | undefined {
  const rows = Math.max(1, Math.min(MAX_ROWS, Math.floor(maxPixels / (width * MIN_BANDS))));
  const count = Math.max(1, Math.floor(maxPixels / (width * rows)));
  if (count * rows >= height) return undefined;
  return {
    rows,
    tops: Array.from({ length: count }, (_, band) => Math.round(((band + 0.5) / count) * (height - rows))),
  };
}
