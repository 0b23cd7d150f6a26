/**
 * Converts screens of home computers to images. Pixels that were twice as wide as high, or twice as high as wide, are
 * doubled to keep the shape of the image: 160 x 200 becomes 320 x 200, and 640 x 200 becomes 640 x 400.
 */
import type { Size } from '../../base/geometry.ts';
import type { Bitmap } from '../bitmap.ts';

export interface Screen extends Size {
  /** One colour number per pixel. */
  pixels: Uint8Array;
  /** RGB triples. */
  palette: Uint8Array;
  /** How often each pixel is repeated. */
  wide?: 1 | 2 | 4;
  high?: 1 | 2;
}

export function bitmapOf({ width, height, pixels, palette, wide = 1, high = 1 }: Screen): Bitmap {
  const shownWidth = width * wide;
  const shownHeight = height * high;
  const data = new Uint8Array(shownWidth * shownHeight * 3);
  let write = 0;
  for (let y = 0; y < shownHeight; y++) {
    const row = Math.floor(y / high) * width;
    for (let x = 0; x < shownWidth; x++, write += 3) {
      const colour = pixels[row + Math.floor(x / wide)]! * 3;
      data[write] = palette[colour]!;
      data[write + 1] = palette[colour + 1]!;
      data[write + 2] = palette[colour + 2]!;
    }
  }
  return { data, width: shownWidth, height: shownHeight, channels: 3 };
}

/** Scales a level of `bits` bits to 0 to 255. */
export const levelOf = (value: number, bits: number): number => Math.round((value * 255) / (2 ** bits - 1));
