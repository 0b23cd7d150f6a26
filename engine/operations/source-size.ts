/** Checks from the header whether an image may be decoded. */

import { imageTooLarge } from '../../codecs/errors.ts';
import { FORMATS } from '../../codecs/formats/registry.ts';
import type { Source } from '../../codecs/source.ts';
import type { WorkerContext } from '../context.ts';
import { checkBytes } from './decoding.ts';

/**
 * @throws Failure `image_too_large` if a side or the number of pixels exceeds the limit of its decoder
 * @throws NeedsMemory if its decoder needs much more memory than is reserved for the task, even if rows are streamed
 */
export function checkSourceSize(
  context: WorkerContext,
  { header, streams, decoderBytes }: Pick<Source, 'header' | 'streams' | 'decoderBytes'>,
  frames: number,
): void {
  const { limits } = context;
  const side = Math.max(header.width, header.height);
  if (side > limits.side) throw imageTooLarge(`${limits.side} pixels on a side`, `${side}`);
  if (FORMATS[header.format].jpegStream && decoderBytes > limits.decodedBytes) {
    throw imageTooLarge(
      `${limits.decodedBytes} bytes of coefficients`,
      `a progressive JPEG that needs ${decoderBytes}`,
    );
  }
  const maxPixels = streams ? limits.pixels : limits.decodedPixels;
  if (header.width * header.height * frames > maxPixels) {
    throw imageTooLarge(
      `${maxPixels} pixels`,
      `${header.width} x ${header.height} pixels${frames > 1 ? ` in ${frames} frames` : ''}`,
    );
  }
  checkBytes(context, decoderBytes);
}
