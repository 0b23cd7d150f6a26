import { type DecodedImage, withFrame } from '../../../codecs/decoded-image.ts';
import { composed } from '../../operations/remove-background/compose.ts';
import { separateAlpha } from '../../operations/remove-background/cutout.ts';
import { estimateMask } from '../../operations/remove-background/mask.ts';
import { type CutOutParams, cutOutOf } from '../remove-background.ts';
import type { ApplyContext, StepResult } from '../step.ts';

/** @throws Failure `model_unavailable`, `no_subject` */
export async function applyRemoveBackground(
  image: DecodedImage,
  params: CutOutParams,
  { context }: ApplyContext,
): Promise<StepResult> {
  const [frame] = image.frames;
  const mask = await estimateMask(context, frame);
  const withoutBackground = await composed(context, separateAlpha(frame), mask, cutOutOf(params));
  return {
    image: withFrame(image, withoutBackground),
    warnings: mask.doubtful ? ['low_confidence'] : [],
  };
}
