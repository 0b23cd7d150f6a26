/** POST /api/v1/gif: edits an animation. */
import { checkGifParams, gifParams } from '../../engine/operations/gif/params.ts';
import { ONE_REQUEST } from '../account/credits.ts';
import { type ImageOperation, imageOperation } from './operation.ts';

export const gifOperation: ImageOperation<'gif', typeof gifParams> = {
  task: 'gif',
  path: '/api/v1/gif',
  summary: 'Edit an animated GIF or WebP',
  description:
    'The order of work is: trim, keep every Nth frame, reverse, speed, crop, resize, encode. Frames are composed first. A still picture counts as an animation of one frame. A frame of 10 ms or less counts as 100 ms, which is how browsers play it. An animated WebP keeps every pixel when the upload is coded without loss and is not resized, and when no frame has more than 256 colours.',
  params: gifParams,
  check: checkGifParams,
  errors: [],
  lane: 'interactive',
  cost: ONE_REQUEST,
  toInput: (image, params) => ({ image, params }),
  facts: ({ frames, animationMs, sourceFrames, sourceAnimationMs }) => ({
    frames,
    animation_ms: animationMs,
    source_frames: sourceFrames,
    source_animation_ms: sourceAnimationMs,
  }),
};

export const gif = imageOperation(gifOperation);
