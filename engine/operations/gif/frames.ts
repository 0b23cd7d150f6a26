/** Makes the frames of the result from those of the source. */
import { toRgb } from '../../../codecs/colour.ts';
import type { DecodedImage } from '../../../codecs/decoded-image.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import { cropArea, cutOut } from '../../steps/crop.ts';
import { resizeImage } from '../../steps/resize.ts';
import { isSameSize } from '../../steps/step.ts';
import type { GifParams } from './params.ts';
import type { GifPlan } from './plan.ts';

/**
 * Animations of up to this size are computed at once: one by one, each frame takes milliseconds, however small it is.
 * The frames that are not shown are computed too.
 */
const MAX_JOINED_BYTES = 16 * 2 ** 20;

/**
 * Returns the frames of the result in one image, each below the one before; undefined if the animation is large, or if
 * its frames are cropped or resized.
 */
export function joinFrames(
  vips: VipsApi,
  { column }: Pick<DecodedImage, 'column'>,
  { shown, cropped, resizing, delays }: GifPlan,
): Image | undefined {
  if (!column || !isSameSize(cropped, resizing.scaled)) return undefined;
  const { width, height } = cropped;
  if (column.width !== width || column.height !== height * delays.length) return undefined;
  const pixels = toRgb(column);
  if (width * pixels.height * pixels.bands > MAX_JOINED_BYTES) return undefined;
  const samples = pixels.writeToMemory() as Uint8Array;
  const frameBytes = width * height * pixels.bands;
  const ordered = new Uint8Array(frameBytes * shown.length);
  for (const [place, { index }] of shown.entries())
    ordered.set(samples.subarray(index * frameBytes, (index + 1) * frameBytes), place * frameBytes);
  return vips.Image.newFromMemory(ordered, width, height * shown.length, pixels.bands, vips.BandFormat.uchar).copy({
    interpretation: 'srgb',
  });
}

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
    const frame = decoded.frames[index] as Image;
    const cut = params.crop === undefined ? frame : cutOut(frame, cropArea(frame, params.crop));
    take(toRgb(resizeImage(cut, cropped, resizing)), place);
  }
}
