/** The results of the readers for formats that libvips does not read. */
import { imageTooLarge } from './errors.ts';
import type { InputFormat } from './formats/registry.ts';
import type { Density } from './samples.ts';
import type { Size } from './size.ts';

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
