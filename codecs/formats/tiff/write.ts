import { hasAlpha, isDeep } from '../../colour.ts';
import { integer, STORED_BITS_FIELD } from '../../image-header.ts';
import type { Image } from '../../vips.ts';

/** Encodes every sample losslessly, 1, 8, 16 or 32 bits. */
export function encodeTiff(image: Image): Uint8Array {
  const bilevel = bilevelOf(image);
  if (bilevel) return encodeBilevel(bilevel);
  const predictor = String(image.format) === 'float' ? 'float' : 'horizontal';
  return image.tiffsaveBuffer({ compression: 'deflate', predictor, keep: 'none' });
}

export interface JpegTiffSettings {
  /** 1 to 100. */
  quality: number;
}

/**
 * Encodes with JPEG compression. It supports neither transparency nor more than 8 bits, so such images stay lossless;
 * bilevel images are smaller without loss.
 */
export function encodeJpegTiff(image: Image, { quality }: JpegTiffSettings): Uint8Array {
  if (hasAlpha(image) || isDeep(image)) return encodeTiff(image);
  const bilevel = bilevelOf(image);
  if (bilevel) return encodeBilevel(bilevel);
  return image.tiffsaveBuffer({ compression: 'jpeg', Q: quality, keep: 'none' });
}

/** The image in memory if its source has one bit per pixel and all pixels are still black or white. */
function bilevelOf(image: Image): Image | undefined {
  const isOneBit = image.bands === 1 && integer(image, STORED_BITS_FIELD) === 1;
  if (!isOneBit) return undefined;
  const held = image.copyMemory();
  const counts = held.histFind().writeToMemory() as Uint32Array;
  return counts.subarray(1, -1).some((count) => count > 0) ? undefined : held;
}

/** Group 4 suits text and drawings, deflate halftones. */
function encodeBilevel(image: Image): Uint8Array {
  const [group4, deflated] = (['ccittfax4', 'deflate'] as const).map((compression) =>
    image.tiffsaveBuffer({ compression, bitdepth: 1, predictor: 'none', keep: 'none' }),
  ) as [Uint8Array, Uint8Array];
  return group4.length <= deflated.length ? group4 : deflated;
}
