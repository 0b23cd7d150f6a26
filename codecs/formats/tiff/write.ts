import { hasAlpha, isDeep } from '../../colour.ts';
import type { Image } from '../../vips.ts';

/** Encodes every sample losslessly, 8, 16 or 32 bits. */
export function encodeTiff(image: Image): Uint8Array {
  const predictor = String(image.format) === 'float' ? 'float' : 'horizontal';
  return image.tiffsaveBuffer({ compression: 'deflate', predictor, keep: 'none' });
}

export interface JpegTiffSettings {
  /** 1 to 100. */
  quality: number;
}

/**
 * Encodes with JPEG compression. It supports neither transparency nor more than 8 bits, so such images stay lossless.
 */
export function encodeJpegTiff(image: Image, { quality }: JpegTiffSettings): Uint8Array {
  if (hasAlpha(image) || isDeep(image)) return encodeTiff(image);
  return image.tiffsaveBuffer({ compression: 'jpeg', Q: quality, keep: 'none' });
}
