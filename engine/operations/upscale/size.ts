import type { Size } from '../../../base/geometry.ts';
import { imageTooLarge } from '../../../codecs/errors.ts';
import { SCALE } from '../../../models/upscale.ts';
import type { WorkerContext } from '../../context.ts';

/**
 * @throws Failure `image_too_large` if the plan does not allow this many pixels, or the result would be too large to be
 * read again
 */
export function checkUpscaleSize({ limits }: WorkerContext, { width, height }: Size, maxPixels: number): void {
  const received = `${width} x ${height} pixels`;
  if (width * height > maxPixels) throw imageTooLarge(`${maxPixels} pixels`, received);
  const maxSide = Math.floor(limits.side / SCALE);
  if (Math.max(width, height) > maxSide) throw imageTooLarge(`${maxSide} pixels on a side`, received);
}
