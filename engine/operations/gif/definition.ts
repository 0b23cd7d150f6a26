import type { ImageResult } from '../../result.ts';
import type { OperationDefinition, OperationInput } from '../definition.ts';
import { checkGifParams, type GifParams, gifParams } from './params.ts';
import { ANIMATION_FORMATS } from './timeline.ts';

/** Durations of one play in milliseconds, as browsers play it. */
export interface GifResult extends ImageResult {
  frames: number;
  /** Undefined for a single frame. */
  animationMs: number | undefined;
  sourceFrames: number;
  /** Undefined for a single frame. */
  sourceAnimationMs: number | undefined;
}

export type GifInput = OperationInput<GifParams>;

export const gif: OperationDefinition<'gif', typeof gifParams, GifInput, GifResult> = {
  name: 'gif',
  title: 'Animation',
  hint: 'An animated GIF, WebP or PNG, cut, resized, faster or slower.',
  summary: 'Edit an animated GIF, WebP or PNG',
  description:
    'The order of work is: trim, keep every Nth frame, reverse, speed, crop, resize, encode. Frames are composed first. A still image counts as an animation of one frame. A frame of 10 ms or less counts as 100 ms, which is how browsers play it. A result of the format of the upload is never larger, unless it was edited: then the upload is returned without its metadata (`kept_original`).',
  params: gifParams,
  groups: [
    {
      title: 'Time',
      isOpen: true,
      parameters: ['trim_start', 'trim_end', 'speed', 'reverse', 'every', 'loop'],
    },
    { title: 'Size', isOpen: true, parameters: ['width', 'crop'] },
    { title: 'File', parameters: ['format', 'colours', 'lossy', 'quality', 'lossless'] },
  ],
  check: checkGifParams,
  output: {
    kind: 'image',
    formats: ANIMATION_FORMATS,
    defaultFormat: 'gif',
    fields: {
      frames: {
        header: 'X-IC-Frames',
        description: 'frames of the result.',
        example: 24,
        value: ({ frames }) => frames,
      },
      animation_ms: {
        header: 'X-IC-Animation-Ms',
        description: 'length of the result in milliseconds; absent for a single frame.',
        example: 1920,
        value: ({ animationMs }) => animationMs,
      },
      source_frames: {
        header: 'X-IC-Source-Frames',
        description: 'frames of the upload.',
        example: 48,
        value: ({ sourceFrames }) => sourceFrames,
      },
      source_animation_ms: {
        header: 'X-IC-Source-Animation-Ms',
        description: 'length of the upload in milliseconds; absent for a single frame.',
        example: 3840,
        value: ({ sourceAnimationMs }) => sourceAnimationMs,
      },
    },
  },
  errors: [],
  meter: 'requests',
  timeFactor: 4,
  frameUse: () => 'one after the other',
  buffersFrames: ({ format }) => format === 'gif',
  commandExamples: ['clip.gif -o clip.webp --format webp --width 320'],
  canReplaceSource: true,
};
