import type { DecodedImage } from '../../../codecs/decoded-image.ts';
import { areasToCover } from '../../operations/blur-faces/areas.ts';
import { cover } from '../../operations/blur-faces/cover.ts';
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
    const areas = await areasToCover(context, frame, params, model);
    if (model && areas.length === 0) warnings.push('no_faces_found');
    for (const area of areas) cover(context, frame, area, params);
  }
  return { image, warnings };
}
