/** The output formats, and the frame times that each can store, in milliseconds. */
export const ANIMATION_FORMATS = ['gif', 'webp'] as const;
export type AnimationFormat = (typeof ANIMATION_FORMATS)[number];

export const TIMES: Readonly<Record<AnimationFormat, { unit: number; longest: number }>> = {
  // Hundredths of a second in 16 bits (GIF89a, section 23).
  gif: { unit: 10, longest: 655_350 },
  // Milliseconds in 24 bits (RFC 9649, section 2.7.1.1).
  webp: { unit: 1, longest: 16_777_215 },
};
