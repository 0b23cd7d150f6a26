import type { DecodedImage } from '../../../codecs/picture.ts';
import { double } from '../../operations/upscale/double.ts';
import type { ApplyContext, StepResult } from '../step.ts';

/** @throws Failure `model_unavailable` */
export async function applyUpscale(
  picture: DecodedImage,
  _params: unknown,
  { context }: ApplyContext,
): Promise<StepResult> {
  const image = await double(context.vips, await context.models.open('upscale'), picture.frames[0]);
  return { picture: { ...picture, frames: [image] }, warnings: [] };
}
