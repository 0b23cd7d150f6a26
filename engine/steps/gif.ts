import { checkGifParams, gifParams } from '../operations/gif/params.ts';
import { defineStep, sameSize } from './step.ts';

/** Edits the frames of an animation. Its size rule and its execution are in worker/gif.ts. */
export const gif = defineStep({
  label: {
    name: 'GIF',
    hint: 'Cut, shorten or slow down an animation. The only step that changes it.',
    group: 'Animation',
    place: 1,
  },
  params: () => gifParams.shape,
  check: (params) => checkGifParams(params),
  effect: (_params, before) => sameSize(before, true),
  file: { format: ({ format }) => format },
  isOnlyPixelStep: true,
});
