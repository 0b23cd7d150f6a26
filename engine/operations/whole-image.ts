/** The memory of tasks that decode a whole image. Main-thread safe. */
import type { TaskEstimate } from './definition.ts';

/** An image decoded as a whole is in memory twice: in its decoder, and as pixels for the steps. */
const DECODED_BYTES_PER_PIXEL = 8;
/**
 * A result that an encoder holds as a whole, with its working memory: 7 for JPEG, 11 for PNG with 100 megapixels. With
 * the decoded image, blur-faces of a JPEG of 32 megapixels held 17.
 */
export const ENCODED_BYTES_PER_PIXEL = 11;

/** @param pixels of the image as it is decoded */
export const wholeImageBytes = (pixels: number, estimate: Pick<TaskEstimate, 'encodes'> | undefined): number =>
  (DECODED_BYTES_PER_PIXEL + (estimate?.encodes ? ENCODED_BYTES_PER_PIXEL : 0)) * pixels;
