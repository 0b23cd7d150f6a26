/** Samples of images in memory. */

/** Samples of 8 or 16 bits. */
export type SampleData = Uint8Array | Uint16Array;

/** The largest value: white, or opaque in an alpha channel. */
export const maxSample = ({ BYTES_PER_ELEMENT }: SampleData): number => 2 ** (8 * BYTES_PER_ELEMENT) - 1;
