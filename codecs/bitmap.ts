/** The results of the readers for formats that libvips does not read. */
import type { Size } from '../base/geometry.ts';
import { imageTooLarge } from './errors.ts';
import type { InputFormat } from './formats/registry.ts';
import type { Density } from './samples.ts';

/** Decoded samples. Rows run from top to bottom without padding; alpha comes last and is not premultiplied. */
export interface Bitmap extends Size {
  /** Interleaved. 16-bit samples are in the machine's byte order and use the whole range. */
  data: Uint8Array | Uint16Array;
  /** Grey, grey with alpha, RGB or RGBA. In sRGB unless `icc` is set. */
  channels: 1 | 2 | 3 | 4;
  density?: Density | undefined;
  icc?: Uint8Array | undefined;
  /** The reader has converted another colour space, CMYK or Lab, to sRGB. */
  converted?: true;
  /** The file ends early or is partly damaged. Missing pixels are black, or transparent where there is alpha. */
  truncated?: boolean;
}

/** A whole file inside the file. The decoder of its own format reads it and applies its own checks. */
export interface EmbeddedFile {
  format: InputFormat;
  bytes: Uint8Array;
}

export type BitmapContent<B extends Bitmap = Bitmap> = { bitmap: B } | { embedded: EmbeddedFile };

/**
 * Checks the pixel count.
 * @throws Failure `image_too_large`
 */
export function checkPixels({ width, height }: { width: number; height: number }, maxPixels: number): void {
  if (width * height > maxPixels) throw imageTooLarge(`${maxPixels} pixels`, `${width} x ${height} pixels`);
}

/** Copies the colours of RGBA samples. */
export function dropAlpha(rgba: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let read = 0, write = 0; read < rgba.length; read += 4, write += 3) {
    rgb[write] = rgba[read]!;
    rgb[write + 1] = rgba[read + 1]!;
    rgb[write + 2] = rgba[read + 2]!;
  }
  return rgb;
}
