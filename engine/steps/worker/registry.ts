/**
 * What only workers may load of some steps: the execution of those with a model, and what needs encoders. Other steps
 * are complete in their own file.
 */
import { STEPS, type StepOp } from '../registry.ts';
import type { AnyStep } from '../step.ts';
import { applyBlurFaces } from './blur-faces.ts';
import { gifEffect } from './gif.ts';
import { applyRemoveBackground } from './remove-background.ts';
import { applyUpscale } from './upscale.ts';

const WORKER_PARTS: Partial<Record<StepOp, Partial<AnyStep>>> = {
  remove_background: { apply: applyRemoveBackground },
  upscale: { apply: applyUpscale },
  blur_faces: { apply: applyBlurFaces },
  gif: { effect: gifEffect },
};

/** The whole definition of a step. */
export const workerDefinition = (op: StepOp): AnyStep => ({ ...STEPS[op], ...WORKER_PARTS[op] });
