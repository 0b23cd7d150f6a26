/**
 * What only workers may load of some steps: the execution of those with a model, and what needs encoders or kernels. Other steps
 * are complete in their own file.
 */

import { type DecodedImage, withFrame } from '../../../codecs/decoded-image.ts';
import type { GifParams } from '../../operations/gif/params.ts';
import { planGif } from '../../operations/gif/plan.ts';
import { double } from '../../operations/upscale/double.ts';
import { STEPS, type StepOp } from '../registry.ts';
import type { AnyStep, ApplyContext, Effect, EffectContext, Size, StepResult } from '../step.ts';
import { applyBlurFaces } from './blur-faces.ts';
import { applyRemoveBackground } from './remove-background.ts';
import { measureTrim } from './trim.ts';

/** @throws Failure `model_unavailable` */
async function applyUpscale(image: DecodedImage, _params: unknown, { context }: ApplyContext): Promise<StepResult> {
  const doubled = await double(context.vips, await context.models.open('upscale'), image.frames[0]);
  return { image: withFrame(image, doubled), warnings: [] };
}

const gifEffect = (params: GifParams, _before: Size, { context, source }: EffectContext): Effect => ({
  size: planGif(context, source, params).resizing.scaled,
  changes: true,
});

const WORKER_PARTS: Partial<Record<StepOp, Partial<AnyStep>>> = {
  remove_background: { apply: applyRemoveBackground },
  upscale: { apply: applyUpscale },
  blur_faces: { apply: applyBlurFaces },
  gif: { effect: gifEffect },
  trim: { measure: measureTrim },
};

/** The whole definition of a step. */
export const workerDefinition = (op: StepOp): AnyStep => ({ ...STEPS[op], ...WORKER_PARTS[op] });
