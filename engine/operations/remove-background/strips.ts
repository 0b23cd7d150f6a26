/** Processes images row by row: the samples of a whole image outside libvips would be another copy. */
import type { Size } from '../../../base/geometry.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';

/** Approximate number of samples taken at a time. */
const STRIP_SAMPLES = 2 ** 20;

export interface Strip {
  /** First row. */
  top: number;
  rows: number;
}

/**
 * Yields strips of rows from the top. @param multiple the number of rows of each strip but the last is a multiple of
 * this
 */
export function* stripsOf({ width, height }: Size, multiple = 1): Generator<Strip> {
  const most = multiple * Math.max(1, Math.floor(STRIP_SAMPLES / width / multiple));
  for (let top = 0; top < height; top += most) yield { top, rows: Math.min(most, height - top) };
}

/** The samples of some rows, 8 bits. */
export const samplesOfRows = (image: Image, { top, rows }: Strip): Uint8Array =>
  image.crop(0, top, image.width, rows).writeToMemory() as Uint8Array;

/** Builds an image of 8-bit samples strip by strip. */
export function fromStrips(
  vips: VipsApi,
  size: Size,
  { bands, multiple }: { bands: number; multiple: number },
  make: (strip: Strip) => Uint8Array,
): Image {
  const { width, height } = size;
  const parts = [...stripsOf(size, multiple)].map((strip) =>
    vips.Image.newFromMemory(make(strip), width, strip.rows, bands, vips.BandFormat.uchar),
  );
  const [first] = parts as [Image, ...Image[]];
  // The last strip may be shorter; arrayjoin pads it to the height of the others.
  const joined = parts.length === 1 ? first : vips.Image.arrayjoin(parts, { across: 1 }).crop(0, 0, width, height);
  return joined.copy({ interpretation: bands < 3 ? 'b-w' : 'srgb' });
}
