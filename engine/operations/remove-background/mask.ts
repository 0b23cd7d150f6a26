/** The mask of a picture: estimated by the model, or sent by the client. */
import { Failure } from '../../../base/failure.ts';
import { hasAlpha, toRgb } from '../../../codecs/colour.ts';
import type { Image } from '../../../codecs/vips.ts';
import { subjectFinder } from '../../../models/background.ts';
import type { WorkerContext } from '../../context.ts';
import { flatten } from '../../steps/canvas.ts';
import type { Size } from '../../steps/step.ts';
import type { SourceFile } from '../../task.ts';
import { openCompanion } from '../companion.ts';
import { invalidMask, noSubject } from '../errors.ts';
import { imageOf } from './field.ts';
import { scaled } from './scale.ts';

export interface Mask {
  /** One channel of 8 bits, of any size; 255 is subject. */
  image: Image;
  /** By the model, so that its edges are as wide as the coarse pixels that it sees. */
  estimated: boolean;
  /** The model is not sure of it. */
  doubtful: boolean;
}

/** The part of the request that holds it. */
const MASK_PART = 'mask';
/** What see-through pixels look like to the model: neither a dark nor a bright subject vanishes on it. */
const NEUTRAL = '#808080';
/** Below this likelihood nothing stands out: of an even surface it is 0.002, of pictures with a subject above 0.99. */
const LEAST_PEAK = 0.75;
/** How wide the undecided edge is, compared with the subject, from which on the mask is doubtful: 0.1 is common. */
const DOUBT = 0.33;

/**
 * @param frame sRGB or grey, 8 bits
 * @throws Failure `model_unavailable`, `no_subject`
 */
export async function estimateMask({ vips, models }: WorkerContext, frame: Image): Promise<Mask> {
  const finder = subjectFinder(await models.open('background'));
  const { side } = finder;
  const seen = scaled(vips, flatten(toRgb(frame), { background: NEUTRAL }), { width: side, height: side });
  const found = await finder.find(seen.writeToMemory() as Uint8Array);
  if (found.peak < LEAST_PEAK) throw noSubject();
  return {
    image: imageOf(vips, { ...found, channels: 1 }),
    estimated: true,
    doubtful: doubtOf(found.data) > DOUBT,
  };
}

/** The area that is undecided, per length of the subject: both grow alike with it. */
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
 * Reads a mask that was sent: grey, in colours or with transparency, which counts as black.
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

/** Whatever is wrong with it, it is the mask that is. */
async function openMask(context: WorkerContext, file: SourceFile): Promise<Image> {
  try {
    return await openCompanion(context, file, MASK_PART);
  } catch (error) {
    throw error instanceof Failure ? invalidMask('a readable image', 'one that cannot be read', error) : error;
  }
}

/** Whether a mask has the shape of the photo, as near as whole pixels come to it. */
function isOfShape(mask: Size, photo: Size): boolean {
  const acrossError = Math.abs(mask.width - (mask.height * photo.width) / photo.height);
  const downError = Math.abs(mask.height - (mask.width * photo.height) / photo.width);
  return Math.min(acrossError, downError) <= 1;
}
