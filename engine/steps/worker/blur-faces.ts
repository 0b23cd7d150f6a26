import { startKernels } from '../../../codecs/kernels/kernels.ts';
import type { DecodedImage } from '../../../codecs/picture.ts';
import { cover } from '../../operations/blur-faces/cover.ts';
import { type BlurFacesParams, parseBoxes } from '../../operations/blur-faces/params.ts';
import { findFaces } from '../../operations/faces/detect.ts';
import type { Warning } from '../../result.ts';
import type { ApplyContext, StepResult } from '../step.ts';

/** @throws Failure `model_unavailable` */
export async function applyBlurFaces(
  picture: DecodedImage,
  params: Omit<BlurFacesParams, 'format'>,
  { context }: ApplyContext,
): Promise<StepResult> {
  const model = params.boxes === undefined ? await context.models.open('faces') : undefined;
  const warnings: Warning[] = [];
  for (const frame of picture.frames) {
    const { width, height } = frame;
    const areas = model
      ? // A missed face stays visible and cannot be covered later.
        await findFaces(
          { model, kernels: startKernels(context.modules) },
          { width, height, atLeast: async () => frame },
          true,
        )
      : parseBoxes(params.boxes ?? '');
    if (model && areas.length === 0) warnings.push('no_faces_found');
    for (const area of areas) cover(context, frame, area, params);
  }
  return { picture, warnings };
}
