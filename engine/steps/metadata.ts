import { defineStep, sameSize } from './step.ts';

const MODES = ['strip', 'keep', 'no_gps', 'color'] as const;
export type MetadataMode = (typeof MODES)[number];

/** Which metadata the result keeps, whatever its encoding. */
export const metadata = defineStep({
  label: { name: 'Metadata', hint: 'What of place, camera and colours stays in the file.', group: 'File', place: 3 },
  params: ({ z, described }) => ({
    metadata: described(
      z.enum(MODES).default('strip'),
      'no_gps keeps camera and date and drops the location; color keeps only the colour profile.',
      'no_gps',
    ),
  }),
  effect: (_params, before) => sameSize(before, true),
  encodingDefaults: (params) => params,
  isScaleIndependent: true,
  keepsPixels: true,
});
