/** Plans gif from the header, before any pixel is decoded. */

import type { Size } from '../../../base/geometry.ts';
import { imageTooLarge } from '../../../codecs/errors.ts';
import { GIF_BYTES_PER_PIXEL } from '../../../codecs/gif/limits.ts';
import { DEFAULT_DELAY_MS, playedDelays } from '../../../codecs/played-delays.ts';
import type { Source } from '../../../codecs/source.ts';
import { checkSize } from '../../../codecs/write.ts';
import type { WorkerContext } from '../../context.ts';
import { cropArea } from '../../steps/crop.ts';
import { planResize, type ResizePlan } from '../../steps/resize.ts';
import { isSameSize } from '../../steps/step.ts';
import { checkBytes, heldBytes, isStreamed } from '../decoding.ts';
import type { SourceParams } from '../parameters.ts';
import { checkSourceSize } from '../source-size.ts';
import type { GifParams } from './params.ts';
import { type AnimationFormat, planTimeline, type TimelineFrame } from './timeline.ts';

/** Every step processes each frame as a separate image, however small it is. */
const MAX_FRAMES = 5000;
/** The frames of a result are held as RGBA. */
const BYTES_PER_PIXEL = 4;
/** Additional memory of the encoder per pixel of one frame; estimated from the buffers of the encoders, of JPEG XL measured. */
const ENCODER_BYTES_PER_PIXEL: Readonly<Record<AnimationFormat, number>> = {
  gif: GIF_BYTES_PER_PIXEL,
  webp: 20,
  png: 40,
  avif: 40,
  jxl: 180,
};

export interface GifPlan {
  /** Whether all frames are decoded, not only one. */
  animation: boolean;
  /** Times of all frames of the source in milliseconds, as played, even if only one is used. */
  delays: number[];
  /** The frames of the result. */
  shown: TimelineFrame[];
  /** Number of plays; 0 is for ever. */
  plays: number;
  /** Whether the result has all frames of the source, unchanged, with their times and plays. */
  unedited: boolean;
  /** Size before resize. */
  cropped: Size;
  resizing: ResizePlan;
  sequential: boolean;
}

/** @throws Failure `image_too_large`, `invalid_parameter`, `unsupported_output` */
export function planGif(context: WorkerContext, source: Source, params: GifParams & SourceParams): GifPlan {
  const { header } = source;
  const animation = header.frames > 1 && (params.page ?? 1) === 1;
  if (animation && header.frames > MAX_FRAMES) throw imageTooLarge(`${MAX_FRAMES} frames`, `${header.frames} frames`);
  const delays = header.timing ? playedDelays(header.timing.delays) : [DEFAULT_DELAY_MS];
  const shown = planTimeline(animation ? delays : [DEFAULT_DELAY_MS], params);
  const plays = playsOf(params.loop, animation ? header.timing?.loop : undefined);

  const cropped = params.crop === undefined ? header : cropArea(header, params.crop);
  const resizing = planResize(cropped, { width: params.width, fit: 'inside', enlarge: false });
  checkSize(params.format, resizing.scaled.width, resizing.scaled.height);

  checkSourceSize(context, source, 1);
  const sequential = isSequential(context, source, animation);
  // Frames are decoded one after another, up to the last that is used.
  const decoded = sequential ? 1 + Math.max(...shown.map(({ index }) => index)) : delays.length;
  if (animation) checkSourceSize(context, { ...source, streams: sequential }, decoded);
  const { width, height } = resizing.scaled;
  const resultBytes = width * height * (BYTES_PER_PIXEL * shown.length + ENCODER_BYTES_PER_PIXEL[params.format]);
  checkBytes(context, decodingBytes(source, sequential, animation ? decoded : 1) + resultBytes);
  const unedited =
    header.frames === (animation ? delays.length : 1) &&
    plays === playsOf(undefined, header.timing?.loop) &&
    isSameSize(header, resizing.scaled) &&
    isSameTimeline(shown, planTimeline(delays, { every: 1, reverse: false, speed: 100, format: params.format }));
  return { animation, delays, shown, plays, unedited, cropped, resizing, sequential };
}

const isSameTimeline = (one: readonly TimelineFrame[], other: readonly TimelineFrame[]): boolean =>
  one.length === other.length &&
  one.every(({ index, delay }, place) => index === other[place]?.index && delay === other[place]?.delay);

/** Number of plays: from the requested repeats, otherwise as in the source, and once for a still image. */
function playsOf(repeats: number | undefined, sourcePlays = 1): number {
  if (repeats === undefined) return sourcePlays;
  return repeats === 0 ? 0 : repeats + 1;
}

/** Rotating a frame upright needs the whole frame, and the decoder delivers only whole columns of frames. */
function isSequential(context: WorkerContext, source: Source, animation: boolean): boolean {
  const frames = animation ? source.header.frames : 1;
  if (animation && source.header.orientation === 1 && !source.holdsFrames) return true;
  return isStreamed(context, source, { frames, shrink: 1, inOrder: true });
}

/** Memory that the decoder holds while the frames of the result are made. */
function decodingBytes(source: Source, sequential: boolean, frames: number): number {
  if (!sequential) return heldBytes(source, { frames, shrink: 1 });
  return source.streams ? source.decoderBytes : heldBytes(source, { frames: 1, shrink: 1 });
}
