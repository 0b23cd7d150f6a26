import type { DecodedImage } from './picture.ts';
import type { Image, VipsApi } from './vips.ts';

/** Stacks the frames vertically and adds their timing, which is the layout that libvips' animation encoders expect. */
export function joinFrames(vips: VipsApi, { frames, timing }: Pick<DecodedImage, 'frames' | 'timing'>): Image {
  const [first] = frames;
  if (!timing) return first;
  const column = vips.Image.arrayjoin(frames, { across: 1 }).copy();
  column.setInt('page-height', first.height);
  column.setArrayInt('delay', timing.delays);
  column.setInt('loop', timing.loop);
  return column;
}
