/** Which rows of a large image stand for all of it. It is never made smaller, because that would hide what the encoder did. */

/** Full-width bands of the same height, from top to bottom. */
export interface Bands {
  tops: readonly number[];
  rows: number;
}

const MAX_ROWS = 128;
const MIN_BANDS = 4;

/** @returns undefined for an image that has no more than `maxPixels` */
export function bandsOf({ width, height }: { width: number; height: number }, maxPixels: number): Bands | undefined {
  const rows = Math.max(1, Math.min(MAX_ROWS, Math.floor(maxPixels / (width * MIN_BANDS))));
  const count = Math.max(1, Math.floor(maxPixels / (width * rows)));
  if (count * rows >= height) return undefined;
  return {
    rows,
    tops: Array.from({ length: count }, (_, band) => Math.round(((band + 0.5) / count) * (height - rows))),
  };
}
