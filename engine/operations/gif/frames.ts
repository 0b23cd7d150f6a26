/** From the source's frames to those of the result. */
import { toRgb, withAlpha } from '../../../codecs/colour.ts';
import type { Picture } from '../../../codecs/picture.ts';
import type { Image } from '../../../codecs/vips.ts';
import { crop } from '../../steps/crop.ts';
import { resize } from '../../steps/resize.ts';
import type { GifParams } from './params.ts';
import type { GifPlan } from './plan.ts';

/**
 * The frames of the result in its order, in memory: each is cropped and resized while it is decoded, so that no frame
 * is held in the size of the source.
 * @param decoded whose frames come in order, and once
 */
export function shownFrames(
  decoded: Pick<Picture, 'frames'>,
  { shown, cropped, resizing }: GifPlan,
  params: Pick<GifParams, 'crop' | 'format'>,
): [Image, ...Image[]] {
  const made = new Map<number, Image>();
  for (const index of shown.map((frame) => frame.index).toSorted((a, b) => a - b)) {
    const cut = crop(decoded.frames[index] as Image, { ...params, crop_gravity: 'centre' });
    const colour = toRgb(resize(cut, cropped, resizing));
    made.set(index, (params.format === 'gif' ? withAlpha(colour) : colour).copyMemory());
  }
  return shown.map(({ index }) => made.get(index)) as [Image, ...Image[]];
}
