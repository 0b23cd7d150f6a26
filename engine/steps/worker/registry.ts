/**
 * What only workers may load of some steps: the execution of those with a model, and what needs encoders or kernels. Other steps
 * are complete in their own file.
 */

import { type DecodedImage, withFrame } from '../../../codecs/decoded-image.ts';
import { double } from '../../operations/upscale/double.ts';
import { STEPS, type StepOp } from '../registry.ts';
import type { AnyStep, ApplyContext, StepResult } from '../step.ts';
import { applyBlurFaces } from './blur-faces.ts';
import { gif } from './gif.ts';
import { applyRemoveBackground } from './remove-background.ts';
import { measureTrim } from './trim.ts';

/** @throws Failure `model_unavailable` */
async function applyUpscale(image: DecodedImage, _params: unknown, { context }: ApplyContext): Promise<StepResult> {
  const doubled = await double(context.vips, await context.models.open('upscale'), image.frames[0]);
  return { image: withFrame(image, doubled), warnings: [] };
}

const WORKER_PARTS: Partial<Record<StepOp, Partial<AnyStep>>> = {
  remove_background: { apply: applyRemoveBackground },
  upscale: { apply: applyUpscale },
  blur_faces: { apply: applyBlurFaces },
  gif,
  // Loaded on first use, as the gif encoders are.
  id_photo: { writeFile: async (params, job) => (await import('./id-photo.ts')).writeIdPhoto(params, job) },
  trim: { measure: measureTrim },
};

/** The whole definition of a step. */
export const workerDefinition = (op: StepOp): AnyStep => ({ ...STEPS[op], ...WORKER_PARTS[op] });
