/**
 * Develops sensor data with LibRaw: the camera's white balance, LibRaw's automatic brightening, sRGB (ImageMagick's
 * coder DNG).
 */
import type { Bitmap } from '../../bitmap.ts';
import { type Magick, releaseMagick, startMagick } from '../../magick/engine.ts';
import { withImages } from '../../magick/images.ts';
import { bitmapOf } from '../../magick/samples.ts';
import { tryParse } from '../../metadata/damage.ts';
import { orient, uprightSize } from '../../orient.ts';
import type { VipsApi } from '../../vips.ts';

export interface Developable {
  /** Size of the upright image. */
  width: number;
  height: number;
}

/** Reads LibRaw's header data without decoding the sensor data; undefined when it does not know the file. */
export async function pingRaw(bytes: Uint8Array): Promise<Developable | undefined> {
  const magick = await startMagick();
  return tryParse(() =>
    withImages(magick, bytes, { format: 'raw', ping: true }, (_, image) => uprightSize(image, image.orientation)),
  );
}

/**
 * Develops the image. Takes about 0.1 s and 22 MB for each megapixel.
 * @throws Failure `corrupt_image`, `image_too_large`
 */
export async function develop(bytes: Uint8Array, vips: VipsApi): Promise<Bitmap> {
  const magick: Magick = await startMagick();
  try {
    return withImages(magick, bytes, { format: 'raw', ping: false }, ({ damaged }, image) => ({
      ...orient(bitmapOf(magick, vips, image, false), image.orientation),
      ...(damaged ? { truncated: true } : {}),
    }));
  } finally {
    await releaseMagick();
  }
}
