/** From a mask to how much of each pixel is subject. */
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import { blur } from './blur.ts';
import { Enlarged, fieldOf, inside } from './field.ts';
import { type Levels, ramp } from './levels.ts';
import type { Mask } from './mask.ts';
import { guidedFunctions } from './refine.ts';
import { scaled } from './scale.ts';
import { fromStrips, samplesOfRows } from './strips.ts';

export interface EdgeOptions {
  /** 0 to 3. */
  feather: number;
  /** Pull the mask onto the edges of the photo. */
  refine: boolean;
}

/** The edge of an estimated mask is as wide as two of its own coarse pixels. */
const ESTIMATED: Levels = [102, 178];
/** What the filter leaves of an even surface is not quite even. */
const REFINED: Levels = [51, 217];
const AS_SENT: Levels = [0, 255];
/** Of an estimated mask before it is refined: its own edge is no guess at how soft the subject's is. */
const ROUGH: Levels = [64, 192];

/** Standard deviation of the softening for each step of feather, as a share of the longer side. */
const FEATHER = 0.0006;
/** Below this standard deviation, in pixels, a blur changes nothing. */
const LEAST_SIGMA = 0.2;

/**
 * How much of each pixel is subject, 0 to 255; in memory.
 * @param photo RGB, 8 bits
 * @returns one channel, as large as the photo
 */
export function alphaOf(vips: VipsApi, photo: Image, mask: Mask, { feather, refine }: EdgeOptions): Image {
  const drawn = refine ? refined(vips, photo, mask) : scaled(vips, mask.image, photo);
  const levels = refine ? REFINED : mask.estimated ? ESTIMATED : AS_SENT;
  const levelled = drawn.maplut(ramp(vips, levels));
  const sigma = feather * FEATHER * Math.max(photo.width, photo.height);
  return (sigma < LEAST_SIGMA ? levelled : blur(vips, levelled, sigma)).copyMemory();
}

/** Longest side, in pixels, of the small picture on which the filter's functions are found. */
const GUIDE_SIDE = 1024;

function refined(vips: VipsApi, photo: Image, mask: Mask): Image {
  const size = inside(photo, GUIDE_SIDE);
  const guide = fieldOf(scaled(vips, photo, size));
  const rough = scaled(vips, mask.image, size).maplut(ramp(vips, mask.estimated ? ROUGH : AS_SENT));
  const functions = new Enlarged(guidedFunctions(guide, fieldOf(rough)), photo);
  return fromStrips(vips, photo, 1, (strip) => {
    const colours = samplesOfRows(photo, strip);
    const alpha = new Uint8ClampedArray(photo.width * strip.rows);
    for (let y = 0, at = 0; y < strip.rows; y += 1) {
      functions.select(strip.top + y);
      for (let x = 0; x < photo.width; x += 1, at += 1) {
        alpha[at] =
          functions.at(x, 0) * colours[3 * at]! +
          functions.at(x, 1) * colours[3 * at + 1]! +
          functions.at(x, 2) * colours[3 * at + 2]! +
          functions.at(x, 3) * 255;
      }
    }
    return new Uint8Array(alpha.buffer);
  });
}

/** Longest side of a mask that is answered, in pixels (specification, remove-background). */
const MASK_SIDE = 1024;

/** The mask as it is answered: of the whole photo, one channel, white is subject. */
export function drawMask(vips: VipsApi, photo: Image, mask: Mask, options: EdgeOptions): Image {
  return alphaOf(vips, scaled(vips, photo, inside(photo, MASK_SIDE)).copyMemory(), mask, options);
}
