/** The pixels that the measures of this folder compare. */
import { type Bands, bandsOf } from './bands.ts';
import type { Luminance } from './scales.ts';

/** Interleaved 8-bit samples, rows from top to bottom without gaps. */
export interface Rgb {
  data: Uint8Array;
  width: number;
  height: number;
}

/** The image itself, or its stacked bands if it is larger than `maxPixels`. */
export function sampleRgb(image: Rgb, maxPixels: number): Rgb {
  const bands = bandsOf(image, maxPixels);
  return bands ? stackBands(bands, image.width, (take) => take(image.data)) : image;
}

/** @param read delivers all rows from the top, any number of bytes at a time */
export function stackBands(
  { tops, rows }: Bands,
  width: number,
  read: (take: (part: Uint8Array) => void) => void,
): Rgb {
  const bandBytes = 3 * width * rows;
  const data = new Uint8Array(bandBytes * tops.length);
  let start = 0;
  read((part) => {
    for (const [band, top] of tops.entries()) {
      // The range of the band within the part.
      const first = 3 * width * top - start;
      const from = Math.max(0, first);
      const end = Math.min(part.length, first + bandBytes);
      if (from < end) data.set(part.subarray(from, end), bandBytes * band + from - first);
    }
    start += part.length;
  });
  return { data, width, height: rows * tops.length };
}

/** 8-bit luma (BT.601, as in JFIF). */
export function lumaOf({ data, width, height }: Rgb): Luminance {
  const luma = new Uint8Array(width * height);
  for (let at = 0, from = 0; at < luma.length; at++, from += 3)
    luma[at] = (77 * data[from]! + 150 * data[from + 1]! + 29 * data[from + 2]! + 128) >> 8;
  return { data: luma, width, height };
}
