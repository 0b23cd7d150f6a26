/** Encodes the frames as GIF or WebP. */
import { withAlpha } from '../../../codecs/colour.ts';
import type { Timing } from '../../../codecs/decoded-image.ts';
import { writeGif } from '../../../codecs/gif/write.ts';
import { hasFewColours } from '../../../codecs/pixel-facts.ts';
import type { Image } from '../../../codecs/vips.ts';
import { encodeWebpAnimation } from '../../../codecs/webp-animation.ts';
import type { WorkerContext } from '../../context.ts';
import { encoderFailed } from '../retry-truncated.ts';
import type { GifParams } from './params.ts';
import type { AnimationFormat } from './timeline.ts';

export interface EncodeJob {
  context: WorkerContext;
  params: Pick<GifParams, 'colours'>;
  /** In pixels. */
  width: number;
  height: number;
  timing: Timing;
  /** Whether the source is lossless and its pixels were not resampled. */
  untouched: boolean;
  /** Delivers every frame of the result once, in any order, with its index. */
  frames(take: (frame: Image, place: number) => void): void;
}

export interface Encoded {
  /** One frame gives a still image. */
  bytes: Uint8Array;
  /** When all frames were decoded. */
  decodedAt: number;
}

function toGif({ frames, params, width, height, timing }: EncodeJob): Encoded {
  const held: Uint8Array[] = [];
  frames((frame, place) => {
    held[place] = withAlpha(frame).writeToMemory() as Uint8Array;
  });
  const decodedAt = performance.now();
  const read = (index: number) => held[index] as Uint8Array;
  return { decodedAt, bytes: writeGif({ width, height, ...timing, read }, { colours: params.colours }) };
}

/** Encodes losslessly if the source is lossless and not resampled, or if all frames have few colours. */
function toWebp({ frames, context: { vips, modules }, width, height, timing, untouched }: EncodeJob): Encoded {
  const count = timing.delays.length;
  let column: Image | undefined;
  // Frames are drawn into one block of memory: as separate images they would take twice the memory.
  frames((frame, place) => {
    column ??= vips.Image.black(width, height * count, { bands: frame.bands })
      .copy({ interpretation: 'srgb' })
      .copyMemory();
    column.drawImage(frame, 0, place * height);
  });
  const decodedAt = performance.now();
  const all = column as unknown as Image;
  const frameAt = (place: number) => all.crop(0, place * height, width, height);
  try {
    const lossless = untouched || timing.delays.every((_, place) => hasFewColours(modules, frameAt(place)));
    return { decodedAt, bytes: encodeWebpAnimation({ vips, modules }, all, timing, lossless) };
  } catch (error) {
    throw encoderFailed(error);
  }
}

export const ENCODERS: Readonly<Record<AnimationFormat, (job: EncodeJob) => Encoded>> = { gif: toGif, webp: toWebp };
