import { defineStep, sameSize } from './step.ts';

/** Turns the image upright. Every decoder already does it, so there is nothing left to apply. */
export const orient = defineStep({
  label: {
    name: 'Orient',
    hint: 'Turn it upright. This is always done first; listing it only says so.',
    group: 'Size and shape',
    place: 7,
  },
  params: () => ({}),
  effect: (_params, before, { source }) => sameSize(before, source.header.orientation !== 1),
  apply: (image) => image,
  changesPixels: () => false,
  onCoefficients: () => ({}),
  isScaleIndependent: true,
  keepsPixels: true,
  keepsColours: true,
});
