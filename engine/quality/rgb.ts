/** The pixels that the measures of this folder look at. */
import { type Luminance, sample } from './scales.ts';

/** Interleaved samples of 8 bits, rows from top to bottom without gaps. */
export interface Rgb {
  data: Uint8Array;
  width: number;
  height: number;
}

/** The image itself, or of one larger than `maxPixels` bands of rows, evenly spread and stacked. */
export function sampleRgb({ data, width, height }: Rgb, maxPixels: number): Rgb {
  const sampled = sample({ data, width: 3 * width, height }, 3 * maxPixels);
  return { data: sampled.data, width, height: sampled.height };
}

/** Luma of 8 bits (BT.601, as JFIF has it). */
export function lumaOf({ data, width, height }: Rgb): Luminance {
  const luma = new Uint8Array(width * height);
  for (let at = 0, from = 0; at < luma.length; at++, from += 3)
    luma[at] = (77 * data[from]! + 150 * data[from + 1]! + 29 * data[from + 2]! + 128) >> 8;
  return { data: luma, width, height };
}
