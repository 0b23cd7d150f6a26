/** Converts an ImageMagick image to a bitmap. */

import type { IMagickImage } from '@imagemagick/magick-wasm';
import type { Size } from '../../base/geometry.ts';
import type { Bitmap } from '../bitmap.ts';
import { ICC_FIELD } from '../colour.ts';
import type { Density } from '../samples.ts';
import type { VipsApi } from '../vips.ts';
import type { Magick } from './engine.ts';

type Samples = Pick<Bitmap, 'data' | 'channels' | 'icc' | 'converted'>;

const CENTIMETRES_PER_INCH = 2.54;

/** @param alpha whether the result has alpha: a missing one becomes opaque, a superfluous one is dropped */
export function bitmapOf(magick: Magick, vips: VipsApi, image: IMagickImage, alpha: boolean): Bitmap {
  const { width, height } = image;
  const samples = isCmyk(magick, image) ? fromCmyk(vips, image, alpha) : fromRgb(magick, image, alpha);
  return { ...samples, width, height, density: densityOf(magick, image) };
}

const isCmyk = ({ ColorSpace }: Magick, { colorSpace }: IMagickImage): boolean => colorSpace === ColorSpace.CMYK;

function fromRgb({ ColorSpace }: Magick, image: IMagickImage, alpha: boolean): Samples {
  const grey = image.colorSpace === ColorSpace.Gray;
  const isLab = image.colorSpace === ColorSpace.Lab;
  // Linear light, film densities, Lab.
  if (!grey && image.colorSpace !== ColorSpace.sRGB) image.colorSpace = ColorSpace.sRGB;
  const data = exportPixels(image, `${grey ? 'R' : 'RGB'}${alpha ? 'A' : ''}`);
  const channels = ((grey ? 1 : 3) + (alpha ? 1 : 0)) as Bitmap['channels'];
  return { data, channels, icc: profileOf(image), ...(isLab ? { converted: true } : {}) };
}

/** Converts with the profile of the file, or with libvips' own, as for CMYK files that libvips reads. */
function fromCmyk(vips: VipsApi, image: IMagickImage, alpha: boolean): Samples {
  const { width, height } = image;
  const samples = exportPixels(image, alpha ? 'CMYKA' : 'CMYK');
  const data = rgbOfCmyk(vips, samples, { width, height, bands: alpha ? 5 : 4, icc: profileOf(image) });
  return { data, channels: alpha ? 4 : 3, converted: true };
}

export interface CmykImage extends Size {
  /** Five with alpha. */
  bands: 4 | 5;
  icc: Uint8Array | undefined;
}

/** Converts interleaved samples, of which the highest is full ink, to sRGB. */
export function rgbOfCmyk(vips: VipsApi, samples: Uint8Array, { width, height, bands, icc }: CmykImage): Uint8Array {
  const cmyk = vips.Image.newFromMemory(samples, width, height, bands, vips.BandFormat.uchar).copy({
    interpretation: 'cmyk',
  });
  if (icc) cmyk.setBlob(ICC_FIELD, icc);
  const rgb = cmyk.iccTransform('srgb', { embedded: true, input_profile: 'cmyk', intent: 'perceptual', depth: 8 });
  return rgb.writeToMemory() as Uint8Array;
}

/** @param mapping of channels, such as `RGBA` */
export function exportPixels(image: IMagickImage, mapping: string): Uint8Array {
  const data = image.getPixels((pixels) => pixels.toByteArray(0, 0, image.width, image.height, mapping));
  if (!data) throw new Error('ImageMagick has no samples');
  return data;
}

export function profileOf(image: IMagickImage): Uint8Array | undefined {
  const data = image.getProfile('icc')?.data;
  // Copied, because it is a view of the instance's memory, which the next image overwrites.
  return data && data.length > 0 ? Uint8Array.from(data) : undefined;
}

function densityOf({ DensityUnit }: Magick, { density }: IMagickImage): Density | undefined {
  const { x, y, units } = density;
  if (units === DensityUnit.Undefined || !(x >= 1) || !(y >= 1)) return undefined;
  const scale = units === DensityUnit.PixelsPerCentimeter ? CENTIMETRES_PER_INCH : 1;
  return { x: x * scale, y: y * scale };
}
