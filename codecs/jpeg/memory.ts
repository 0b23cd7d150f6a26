/**
 * Limit for kept coefficients in bytes, if none of them were zero. Up to this limit a file has the Huffman tables that
 * suit it best, and may be progressive.
 */
export const MAX_HELD_BYTES = 192 * 2 ** 20;
/** Coefficients, their zero flags, and the pixels in transit. Bounded whatever the size. */
const BYTES_PER_PIXEL = 13;
const MAX_ENCODING_BYTES = 1.5 * MAX_HELD_BYTES;

/** Returns the memory that encoding an image takes, in bytes. */
export const jpegEncodingBytes = (pixels: number): number => Math.min(pixels * BYTES_PER_PIXEL, MAX_ENCODING_BYTES);
