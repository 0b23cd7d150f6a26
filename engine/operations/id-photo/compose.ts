/** Makes the photo from a decoded image: removes the background if requested, crops, scales, paints, lays out. */
import type { Box, Size } from '../../../base/geometry.ts';
import { hasAlpha, sampleMax, toRgb } from '../../../codecs/colour.ts';
import { copyToMemory, type DecodedImage, mapFrames, withFrame } from '../../../codecs/decoded-image.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import type { Warning } from '../../result.ts';
import { flatten } from '../../steps/canvas.ts';
import { planResize, resizeImage } from '../../steps/resize.ts';
import { noSubject } from '../errors.ts';
import { cutOut, separateAlpha } from '../remove-background/cutout.ts';
import { estimateMask } from '../remove-background/mask.ts';
import { checkCutOutSize } from '../remove-background/size.ts';
import { photoArea } from './area.ts';
import type { Photo } from './photo.ts';
import { layOut } from './sheet.ts';

export interface Composition {
  photo: Photo;
  /** Inside the image; undefined for the whole image. */
  crop: Box | undefined;
  removeBackground: boolean;
}

export interface ComposedPhoto {
  /** In memory, at the size of the result. */
  image: DecodedImage;
  warnings: Warning[];
}

/**
 * @param decoded upright, 8 bits; in memory if the background is removed
 * @throws Failure `model_unavailable`, `no_subject` and `image_too_large` if the background is removed
 */
export async function composePhoto(
  context: WorkerContext,
  decoded: DecodedImage,
  { photo, crop, removeBackground }: Composition,
): Promise<ComposedPhoto> {
  const { image: cut, doubtful } = removeBackground
    ? await withoutBackground(context, decoded)
    : { image: decoded, doubtful: false };
  const fitted = copyToMemory(mapFrames(cut, (frame) => fit(frame, photo.size, crop)));
  const seeThrough = !removeBackground && isSeeThrough(fitted.frames[0]);
  const image = copyToMemory(
    mapFrames(fitted, (frame) => {
      const painted = flatten(toRgb(frame), photo);
      return photo.sheet ? layOut(painted, photo.sheet) : painted;
    }),
  );
  return {
    image,
    warnings: [
      ...(seeThrough ? (['alpha_flattened'] as const) : []),
      ...(doubtful ? (['low_confidence'] as const) : []),
    ],
  };
}

/** A plain background shows every flaw in hair, so refine the edge. */
const EDGE = { feather: 1, refine: true };

/** Runs before the crop: the model finds a person better in the whole image than in a part. */
async function withoutBackground(
  context: WorkerContext,
  image: DecodedImage,
): Promise<{ image: DecodedImage; doubtful: boolean }> {
  const [frame] = image.frames;
  checkCutOutSize(context, frame);
  const mask = await estimateMask(context, frame);
  const { image: cut, subject } = cutOut(context, separateAlpha(frame), mask, EDGE);
  if (!subject) throw noSubject();
  return { image: withFrame(image, cut), doubtful: mask.doubtful };
}

/**
 * Cuts the area out and scales it to the exact size, by the same factor in both directions. Any excess of one side is
 * cut off.
 */
function fit(image: Image, photo: Size, crop: Box | undefined): Image {
  const { x, y, width, height } = photoArea(image, photo, crop);
  const cut = image.crop(x, y, width, height);
  return resizeImage(cut, cut, planResize(cut, { ...photo, fit: 'cover', enlarge: true }));
}

const isSeeThrough = (image: Image): boolean =>
  hasAlpha(image) && image.extractBand(image.bands - 1).min() < sampleMax(image);
