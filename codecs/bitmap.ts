/** What the readers of the formats that libvips does not read answer. */
import { imageTooLarge } from './errors.ts';
import type { InputFormat } from './formats.ts';
import type { Density } from './samples.ts';

/** Decoded samples, rows from top to bottom without padding, the alpha last and not premultiplied. */
export interface Bitmap {
  /** Interleaved. 16-bit samples are in the machine's own byte order and use the whole range. */
  data: Uint8Array | Uint16Array;
  width: number;
  height: number;
  /** Grey, grey with alpha, RGB, RGBA. In sRGB, unless `icc` says otherwise. */
  channels: 1 | 2 | 3 | 4;
  density?: Density | undefined;
  icc?: Uint8Array | undefined;
  /** The file ends early, or a part of it is damaged: what could not be read is black (transparent where there is alpha). */
  truncated?: boolean;
}

/** A whole file inside the file, to be read by the decoder of its own format, with that decoder's checks. */
export interface EmbeddedFile {
  format: InputFormat;
  bytes: Uint8Array;
}

export type BitmapContent<B extends Bitmap = Bitmap> = { bitmap: B } | { embedded: EmbeddedFile };

/** @throws Failure `image_too_large` */
export function checkPixels({ width, height }: { width: number; height: number }, maxPixels: number): void {
  if (width * height > maxPixels) throw imageTooLarge(`${maxPixels} pixels`, `${width} x ${height} pixels`);
}
