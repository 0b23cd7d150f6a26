/** The formats that the operation offers. Both store the times of their frames. */
export const ANIMATION_FORMATS = ['gif', 'webp'] as const;
export type AnimationFormat = (typeof ANIMATION_FORMATS)[number];
