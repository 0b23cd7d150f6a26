import type { DecodedImage } from '../../../codecs/decoded-image.ts';
import { findContent } from '../../../codecs/uniform-border.ts';
import type { WorkerContext } from '../../context.ts';
import type { Measured } from '../step.ts';
import type { TrimParams } from '../trim.ts';

/** Finds the content. An image of one colour has none, and stays as it is. */
export async function measureTrim(
  params: TrimParams,
  open: () => Promise<DecodedImage>,
  context: WorkerContext,
): Promise<Measured<TrimParams>> {
  const content = await findContent(context, open, params.trim_threshold);
  return { params: { ...params, content }, warnings: content ? [] : ['image_uniform'] };
}
