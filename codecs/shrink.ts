/** The parts of its size at which a decoder can decode a picture. Main-thread safe. */
const SHRINKS = [8, 4, 2] as const;
export type Shrink = 1 | (typeof SHRINKS)[number];

/** The most that a decoder may shrink a picture without passing the factor. */
export function largestShrink(factor: number): Shrink {
  return SHRINKS.find((shrink) => shrink <= factor) ?? 1;
}
