/** Factors by which a decoder can shrink an image while decoding. Main-thread safe. */
const SHRINKS = [8, 4, 2] as const;
export type Shrink = 1 | (typeof SHRINKS)[number];

/** Returns the largest of these that is at most `factor`. */
export const largestShrink = (factor: number): Shrink => SHRINKS.find((shrink) => shrink <= factor) ?? 1;
