import type { DecodedImage } from '../../../codecs/decoded-image.ts';
import { coverFaces } from '../../operations/blur-faces/cover-faces.ts';
import type { BlurFacesParams } from '../../operations/blur-faces/params.ts';
import type { Warning } from '../../result.ts';
import type { ApplyContext, StepResult } from '../step.ts';

/** @throws Failure `model_unavailable` */
export async function applyBlurFaces(
  image: DecodedImage,
  params: Omit<BlurFacesParams, 'format'>,
  { context }: ApplyContext,
): Promise<StepResult> {
  const model = params.boxes === undefined ? await context.models.open('faces') : undefined;
  const warnings: Warning[] = [];
  for (const frame of image.frames) {
    warnings.push(...(await coverFaces(context, frame, params, model)).warnings);
  }
  return { image, warnings };
}
