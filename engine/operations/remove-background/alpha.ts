/** Computes from a mask how much of each pixel is subject. */
import { startKernels } from '../../../codecs/kernels/kernels.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import { enlargeAlphaMask, imageOfShares, type Shares, sharesOf, soften } from './alpha-mask.ts';
import { fitInside, toFloatImage, Upsampler } from './float-image.ts';
import { type Levels, ramp } from './levels.ts';
import type { Mask } from './mask.ts';
import { guidedCoefficients } from './refine.ts';
import { scaled, shrunk } from './scale.ts';
import { samplesOfRows, stripsOf } from './strips.ts';

/** What the functions here need from the context. */
export type Tools = Pick<WorkerContext, 'vips' | 'modules'>;

export interface EdgeOptions {
  /** 0 to 3. */
  feather: number;
  /** Snap the mask to the edges in the photo. */
  refine: boolean;
}

/** The edge of an estimated mask is two of its own coarse pixels wide. */
const ESTIMATED: Levels = [102, 178];
/** The filter leaves small variations on an even area. */
const REFINED: Levels = [51, 217];
const SENT: Levels = [0, 255];
/** For an estimated mask before it is refined: its own edge says nothing about how soft the subject's edge is. */
const UNREFINED: Levels = [64, 192];

/** Standard deviation of the blur per step of feather, as a share of the longer side. */
const FEATHER = 0.0006;

/**
 * Computes how much of each pixel is subject, 0 to 255.
 * @param photo RGB, 8 bits
 * @returns at the size of the photo
 */
export function alphaOf({ vips, modules }: Tools, photo: Image, mask: Mask, { feather, refine }: EdgeOptions): Shares {
  const kernels = startKernels(modules);
  const levels = mask.estimated ? ESTIMATED : SENT;
  const shares = refine
    ? refined(vips, photo, mask)
    : enlargeAlphaMask(kernels, sharesOf(shrunk(mask.image, photo)), photo, levels);
  soften(kernels, shares, feather * FEATHER * Math.max(photo.width, photo.height));
  return shares;
}

/** Longest side, in pixels, of the reduced image on which the filter's coefficients are computed. */
const GUIDE_SIDE = 1024;

function refined(vips: VipsApi, photo: Image, mask: Mask): Shares {
  const size = fitInside(photo, GUIDE_SIDE);
  const guide = toFloatImage(scaled(vips, photo, size));
  const rough = scaled(vips, mask.image, size).maplut(ramp(vips, mask.estimated ? UNREFINED : SENT));
  const functions = new Upsampler(guidedCoefficients(guide, toFloatImage(rough)), photo);
  const { width, height } = photo;
  const [low, high] = REFINED;
  const factor = 255 / (high - low);
  const data = new Uint8ClampedArray(width * height);
  for (const strip of stripsOf(photo)) {
    const colours = samplesOfRows(photo, strip);
    for (let y = 0, from = 0, at = strip.top * width; y < strip.rows; y += 1) {
      functions.select(strip.top + y);
      for (let x = 0; x < width; x += 1, from += 3, at += 1) {
        const share =
          functions.at(x, 0) * colours[from]! +
          functions.at(x, 1) * colours[from + 1]! +
          functions.at(x, 2) * colours[from + 2]! +
          functions.at(x, 3) * 255;
        data[at] = (share - low) * factor;
      }
    }
  }
  return { data: new Uint8Array(data.buffer), width, height };
}

/** Longest side of a returned mask in pixels (specification, remove-background). */
const MASK_SIDE = 1024;

/** The mask to return: of the whole photo, one channel, white is subject. */
export function drawMask(tools: Tools, photo: Image, mask: Mask, options: EdgeOptions): Image {
  const { vips } = tools;
  const seen = scaled(vips, photo, fitInside(photo, MASK_SIDE)).copyMemory();
  return imageOfShares(vips, alphaOf(tools, seen, mask, options));
}
