/** The pixels that the measures of this folder look at. */
import { type Bands, bandsOf } from './bands.ts';
import type { Luminance } from './scales.ts';

/** Interleaved samples of 8 bits, rows from top to bottom without gaps. */
export interface Rgb {
  data: Uint8Array;
  width: number;
  height: number;
}

/** The image itself, or of one larger than `maxPixels` its bands, stacked. */
export function sampleRgb(image: Rgb, maxPixels: number): Rgb {
  const bands = bandsOf(image, maxPixels);
  return bands
    ? stackBands(bands, image.width, (top, end) => image.data.subarray(3 * image.width * top, 3 * image.width * end))
    : image;
}

/** @param read the pixels of rows, without that of `end` */
export function stackBands({ tops, rows }: Bands, width: number, read: (top: number, end: number) => Uint8Array): Rgb {
  const data = new Uint8Array(3 * width * rows * tops.length);
  for (const [band, top] of tops.entries()) data.set(read(top, top + rows), 3 * width * rows * band);
  return { data, width, height: rows * tops.length };
}

/** Luma of 8 bits (BT.601, as JFIF has it). */
export function lumaOf({ data, width, height }: Rgb): Luminance {
  const luma = new Uint8Array(width * height);
  for (let at = 0, from = 0; at < luma.length; at++, from += 3)
    luma[at] = (77 * data[from]! + 150 * data[from + 1]! + 29 * data[from + 2]! + 128) >> 8;
  return { data: luma, width, height };
}
