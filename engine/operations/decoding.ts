/** How a source is decoded so that one task holds no more than it may. */
import { imageTooLarge } from '../../codecs/errors.ts';
import type { Shrink } from '../../codecs/shrink.ts';
import type { Source } from '../../codecs/source.ts';
import type { WorkerContext } from '../context.ts';

/** Decoded pictures above this size are streamed through the steps where the request allows it. */
const STREAM_FROM_BYTES = 64 * 2 ** 20;

export interface Decoding {
  frames: number;
  shrink: Shrink;
  /** Every step takes the rows in the order in which a decoder gives them. */
  inOrder: boolean;
}

/**
 * Whether the rows are to be streamed through the steps instead of decoding the picture as a whole.
 * @throws Failure `image_too_large` when the whole does not fit and cannot be streamed
 */
export function isStreamed({ limits }: WorkerContext, source: Source, { frames, shrink, inOrder }: Decoding): boolean {
  const { width, height, bytesPerPixel, orientation } = source.header;
  const bytes = (width * height * frames * bytesPerPixel) / shrink ** 2;
  const streamed = source.streams && bytes > STREAM_FROM_BYTES && inOrder && orientation === 1;
  if (!streamed && bytes > limits.decodedBytes) {
    throw imageTooLarge(`${limits.decodedBytes} bytes of decoded pixels`, `a picture and a request that need ${bytes}`);
  }
  return streamed;
}
