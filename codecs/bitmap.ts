/** What the readers of BMP and ICO files answer. */
import { imageTooLarge } from './errors.ts';
import type { Density, Samples } from './samples.ts';

export interface Bitmap extends Samples<3 | 4> {
  density: Density | undefined;
  icc: Uint8Array | undefined;
  /** The file ends early: the rows that are missing are black. */
  truncated: boolean;
}

/** A whole file inside the file, to be read by the decoder of its own format, with that decoder's checks. */
export interface EmbeddedFile {
  format: 'png' | 'jpeg';
  bytes: Uint8Array;
}

export type BitmapContent = { bitmap: Bitmap } | { embedded: EmbeddedFile };

/** @throws Failure `image_too_large` */
export function checkPixels({ width, height }: { width: number; height: number }, maxPixels: number): void {
  if (width * height > maxPixels) throw imageTooLarge(`${maxPixels} pixels`, `${width} x ${height} pixels`);
}
