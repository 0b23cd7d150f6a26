import { mapFrames } from '../../codecs/decoded-image.ts';
import type { Image } from '../../codecs/vips.ts';
import { defineStep, sameSize } from './step.ts';

type Flip = 'none' | 'h' | 'v' | 'hv';

export const flip = defineStep({
  label: { name: 'Flip', hint: 'Mirror it.', group: 'Size and shape', place: 5 },
  params: ({ z, described }) => ({
    flip: described(
      z.enum(['none', 'h', 'v', 'hv']).default('none'),
      'Mirror the image; applied after crop and before rotation.',
      'h',
    ),
  }),
  needsOneOf: ['flip'],
  effect: (params, before) => sameSize(before, params.flip !== 'none'),
  apply: (image, params) => mapFrames(image, (frame) => mirror(frame, params.flip)),
  onCoefficients: (params) => ({
    turn: { transposes: false, mirrorsAcross: params.flip.includes('h'), mirrorsDown: params.flip.includes('v') },
  }),
  readsRowsInOrder: (params) => !params.flip.includes('v'),
  isScaleIndependent: true,
  keepsColours: true,
});

/** Mirrors left to right (h), top to bottom (v) or both. */
function mirror(image: Image, how: Flip): Image {
  const mirrored = how.includes('h') ? image.flipHor() : image;
  return how.includes('v') ? mirrored.flipVer() : mirrored;
}
