/** Resizes images to the announced size, for the few raws whose header declares a wrong one. */
import type { Size } from '../../../base/geometry.ts';
import type { Bitmap } from '../../bitmap.ts';
import { corruptImage } from '../../errors.ts';
import type { Image, VipsApi } from '../../vips.ts';
import { FORMATS } from '../registry.ts';

/** Resizes a bitmap, unless it has that size already. */
export function fitTo(vips: VipsApi, bitmap: Bitmap, { width, height }: Size): Bitmap {
  if (bitmap.width === width && bitmap.height === height) return bitmap;
  const image = vips.Image.newFromMemory(
    bitmap.data,
    bitmap.width,
    bitmap.height,
    bitmap.channels,
    vips.BandFormat.uchar,
  );
  return { ...bitmap, data: resized(image, { width, height }), width, height };
}

/**
 * Decodes a JPEG upright, as sRGB with three channels, and resizes it.
 * @throws Failure `corrupt_image`
 */
export function previewAs(vips: VipsApi, jpeg: Uint8Array, size: Size): Bitmap {
  try {
    const image = vips.Image.jpegloadBuffer(jpeg, { autorotate: true, fail_on: 'none' }).colourspace('srgb');
    return { data: resized(image, size), ...size, channels: 3 };
  } catch (error) {
    throw corruptImage(FORMATS.raw.name, error);
  }
}

const resized = (image: Image, { width, height }: Size): Uint8Array =>
  image.resize(width / image.width, { vscale: height / image.height }).writeToMemory() as Uint8Array;
