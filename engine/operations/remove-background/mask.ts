/** The mask of an image: estimated by the model, or sent by the client. */

import { Failure } from '../../../base/failure.ts';
import type { Size } from '../../../base/geometry.ts';
import { hasAlpha, toRgb } from '../../../codecs/colour.ts';
import type { Image } from '../../../codecs/vips.ts';
import { subjectFinder } from '../../../models/background.ts';
import type { WorkerContext } from '../../context.ts';
import { flatten } from '../../steps/canvas.ts';
import type { SourceFile } from '../../task.ts';
import { openAuxiliaryImage } from '../auxiliary-images.ts';
import { invalidMask, noSubject } from '../errors.ts';
import { imageOf } from './float-image.ts';
import { scaled } from './scale.ts';

export interface Mask {
  /** One channel of 8 bits, of any size; 255 is subject. */
  image: Image;
  /** Whether the model estimated it. Then its edges are as wide as the coarse pixels of the model. */
  estimated: boolean;
  /** Whether the model is not sure of it. */
  doubtful: boolean;
}

/** The form part of the request that contains it. */
const MASK_PART = 'mask';
/** Colour of transparent pixels for the model: both dark and bright subjects stand out from it. */
const NEUTRAL = '#808080';
/** Minimum peak likelihood of a subject: an even surface has 0.002, images with a subject above 0.99. */
const MIN_PEAK = 0.75;
/** Width of the undecided edge, relative to the subject, above which the mask is uncertain; 0.1 is common. */
const MAX_UNDECIDED_WIDTH = 0.33;

/**
 * @param frame sRGB or grey, 8 bits
 * @throws Failure `model_unavailable`, `no_subject`
 */
export async function estimateMask({ vips, models }: WorkerContext, frame: Image): Promise<Mask> {
  const finder = subjectFinder(await models.open('background'));
  const { side } = finder;
  const seen = scaled(vips, flatten(toRgb(frame), { background: NEUTRAL }), { width: side, height: side });
  const found = await finder.find(seen.writeToMemory() as Uint8Array);
  if (found.peak < MIN_PEAK) throw noSubject();
  return {
    image: imageOf(vips, { ...found, channels: 1 }),
    estimated: true,
    doubtful: doubtOf(found.data) > MAX_UNDECIDED_WIDTH,
  };
}

/** The undecided area divided by the length of the subject, so that it does not depend on the size of the subject. */
function doubtOf(shares: Float32Array): number {
  let undecided = 0;
  let subject = 0;
  for (let at = 0; at < shares.length; at += 1) {
    const share = shares[at]!;
    undecided += 4 * share * (1 - share);
    if (share > 0.5) subject += 1;
  }
  return undecided / Math.sqrt(shares.length * Math.max(1, subject));
}

/**
 * Reads a mask that was sent: grey, in colour, or with transparency, which counts as black.
 * @throws Failure `invalid_mask`
 */
export async function readMask(context: WorkerContext, file: SourceFile, photo: Size): Promise<Mask> {
  const frame = await openMask(context, file);
  if (!isOfShape(frame, photo)) {
    throw invalidMask(
      `an image of the shape ${photo.width} x ${photo.height}`,
      `${frame.width} x ${frame.height} pixels`,
    );
  }
  const opaque = hasAlpha(frame) ? flatten(frame, { background: '#000000' }) : frame;
  return { image: opaque.colourspace('b-w').copyMemory(), estimated: false, doubtful: false };
}

/** Reports every problem of the file as a problem of the mask. */
async function openMask(context: WorkerContext, file: SourceFile): Promise<Image> {
  try {
    return await openAuxiliaryImage(context, file, MASK_PART);
  } catch (error) {
    throw error instanceof Failure ? invalidMask('a readable image', 'one that cannot be read', error) : error;
  }
}

/** Whether a mask has the aspect ratio of the photo, to within a whole pixel. */
function isOfShape(mask: Size, photo: Size): boolean {
  const acrossError = Math.abs(mask.width - (mask.height * photo.width) / photo.height);
  const downError = Math.abs(mask.height - (mask.width * photo.height) / photo.width);
  return Math.min(acrossError, downError) <= 1;
}
