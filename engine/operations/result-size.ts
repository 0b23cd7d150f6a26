/** Checks whether a result of this size may be made. */
import type { Size } from '../../base/geometry.ts';
import { imageTooLarge } from '../../codecs/errors.ts';
import type { WorkerContext } from '../context.ts';

/**
 * @throws Failure `image_too_large` if the result would have more pixels than may be decoded, and more than its source
 */
export function checkResultSize({ limits }: WorkerContext, source: Size, result: Size, frames = 1): void {
  const most = limits.decodedPixels;
  if (result.width * result.height * frames > Math.max(most, source.width * source.height * frames)) {
    throw imageTooLarge(
      `${most} pixels in the result`,
      `a request for ${result.width} x ${result.height} pixels${frames > 1 ? ` in ${frames} frames` : ''}`,
    );
  }
}
