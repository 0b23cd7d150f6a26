import type { Image, VipsApi } from '../../../codecs/vips.ts';
import { ramp } from './levels.ts';

/**
 * A Gaussian blur of 8 bits that leaves an even surface as it is. The kernels of libvips for integers are rounded weight by
 * weight and sum to less for some widths: white becomes 251 at 1.32 and 249 at 2.46. Real numbers take three times as long.
 * @param sigma standard deviation in pixels
 * @param leastAmplitude where the kernel is cut off, as a share of its middle
 */
export function blur(vips: VipsApi, image: Image, sigma: number, leastAmplitude: number): Image {
  const options = { precision: 'integer' as const, min_ampl: leastAmplitude };
  const blurred = image.gaussblur(sigma, options);
  const white = vips.Image.newFromMemory(Uint8Array.of(MOST), 1, 1, 1, vips.BandFormat.uchar);
  const left = white.gaussblur(sigma, options).avg();
  return left === MOST ? blurred : blurred.maplut(ramp(vips, [0, left]));
}

const MOST = 255;
