/** Faults of the places that name an image. The names are finding codes (docs/spec/shapes.md, section 16.5). */

export const REFERENCE_FAULTS = [
  'mixed_content',
  'missing_srcset',
  'missing_dimensions',
  'missing_lazy',
  'lazy_first',
  'missing_alt',
  'upscaled',
] as const;
export type ReferenceFault = (typeof REFERENCE_FAULTS)[number];

/** The number of the first image of a page that is assumed to be below the first screen. */
export const FIRST_BELOW_FOLD_IMAGE = 6;

/** The faults in a bit set, whose bit 0 is the first of {@link REFERENCE_FAULTS}. */
export const faultsIn = (bits: number): ReferenceFault[] =>
  REFERENCE_FAULTS.filter((_, bit) => (bits & (1 << bit)) !== 0);
