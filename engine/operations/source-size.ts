/** Whether a picture may be decoded, from its header. */
import { imageTooLarge } from '../../codecs/errors.ts';
import type { Header } from '../../codecs/picture.ts';
import type { Source } from '../../codecs/source.ts';
import type { WorkerContext } from '../context.ts';

/** @throws Failure `image_too_large` when the picture is longer, or has more pixels, than its decoder may be given */
export function checkSourceSize({ limits }: WorkerContext, { header, streams }: Source, frames: number): void {
  const side = Math.max(header.width, header.height);
  if (side > limits.side) throw imageTooLarge(`${limits.side} pixels on a side`, `${side}`);
  const coefficients = coefficientBytes(header);
  if (coefficients > limits.decodedBytes) {
    throw imageTooLarge(
      `${limits.decodedBytes} bytes of coefficients`,
      `a progressive JPEG that needs ${coefficients}`,
    );
  }
  const maxPixels = streams ? limits.pixels : limits.decodedPixels;
  if (header.width * header.height * frames <= maxPixels) return;
  throw imageTooLarge(
    `${maxPixels} pixels`,
    `${header.width} x ${header.height} pixels${frames > 1 ? ` in ${frames} frames` : ''}`,
  );
}

/** The scans of a progressive JPEG refine all of it, so its decoder holds every coefficient, 16 bits each, at any size. */
function coefficientBytes({ format, interlaced, width, height, bytesPerPixel }: Header): number {
  return format === 'jpeg' && interlaced ? width * height * bytesPerPixel * 2 : 0;
}
