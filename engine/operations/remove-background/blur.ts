import type { Image, VipsApi } from '../../../codecs/vips.ts';
import { ramp } from './levels.ts';

/**
 * Gaussian blur for 8 bits that keeps an even area unchanged. libvips rounds each weight of its integer kernels, and
 * for some widths they sum to less than 1: white becomes 251 at 1.32 and 249 at 2.46. Floating point takes three times
 * as long.
 * @param sigma standard deviation in pixels
 * @param leastAmplitude relative amplitude at which the kernel is cut off
 */
export function blur(vips: VipsApi, image: Image, sigma: number, leastAmplitude: number): Image {
  const options = { precision: 'integer' as const, min_ampl: leastAmplitude };
  const blurred = image.gaussblur(sigma, options);
  const white = vips.Image.newFromMemory(Uint8Array.of(WHITE), 1, 1, 1, vips.BandFormat.uchar);
  const left = white.gaussblur(sigma, options).avg();
  return left === WHITE ? blurred : blurred.maplut(ramp(vips, [0, left]));
}

const WHITE = 255;
