import { writeGif } from '../../../codecs/gif/write.ts';
import type { Picture, Timing } from '../../../codecs/picture.ts';
import { encodeWebpAnimation } from '../../../codecs/webp-animation.ts';
import type { WorkerContext } from '../../context.ts';
import type { GifParams } from './params.ts';

export interface Animation {
  /** In memory; for GIF with alpha. */
  frames: Picture['frames'];
  timing: Timing;
}

/**
 * @param lossless whether WebP is to keep every pixel; asked only when that is a question
 * @returns the file; of one frame it is a still picture
 */
export function encodeAnimation(
  { vips }: WorkerContext,
  { frames, timing }: Animation,
  { format, colours }: Pick<GifParams, 'format' | 'colours'>,
  lossless: () => boolean,
): Uint8Array {
  if (format === 'webp') {
    return encodeWebpAnimation(vips, { frames, timing: frames.length > 1 ? timing : null }, lossless());
  }
  const [{ width, height }] = frames;
  const read = (index: number) => frames[index]?.writeToMemory() as Uint8Array;
  return writeGif({ width, height, ...timing, read }, { colours });
}
