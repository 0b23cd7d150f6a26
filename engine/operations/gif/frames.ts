/** Makes the frames of the result from those of the source. */
import { toRgb } from '../../../codecs/colour.ts';
import type { DecodedImage } from '../../../codecs/decoded-image.ts';
import type { Image } from '../../../codecs/vips.ts';
import { cropImage } from '../../steps/crop.ts';
import { resizeImage } from '../../steps/resize.ts';
import type { GifParams } from './params.ts';
import type { GifPlan } from './plan.ts';

/**
 * Computes the frames of the result. Each is cropped and resized while it is decoded, so that none is held at the size
 * of the source.
 * @param decoded its frames come in order, and only once
 * @param take receives each frame with its index in the result, in the order of the source
 */
export function takeFrames(
  decoded: Pick<DecodedImage, 'frames'>,
  { shown, cropped, resizing }: GifPlan,
  params: Pick<GifParams, 'crop'>,
  take: (frame: Image, place: number) => void,
): void {
  const places = [...shown.entries()].toSorted(([, one], [, other]) => one.index - other.index);
  for (const [place, { index }] of places) {
    const cut = cropImage(decoded.frames[index] as Image, { ...params, crop_gravity: 'centre' });
    take(toRgb(resizeImage(cut, cropped, resizing)), place);
  }
}
