import type { Size } from '../../../base/geometry.ts';
import { imageTooLarge } from '../../../codecs/errors.ts';
import type { WorkerContext } from '../../context.ts';

/** @throws Failure `image_too_large` if the image cannot be held together with its mask and its cut-out */
export function checkCutOutSize({ limits }: Pick<WorkerContext, 'limits'>, { width, height }: Size): void {
  if (width * height <= limits.decodedPixels) return;
  throw imageTooLarge(`${limits.decodedPixels} pixels`, `${width} x ${height} pixels`);
}
