/** Properties of steps that follow from their parameters. Main-thread safe. */
import { parseFrame, resolveBackground } from '../operations/remove-background/params.ts';
import { runsModel } from './model-steps.ts';
import { ENCODING_OPS, type StepOp, type StepParams } from './ops.ts';
import type { Step } from './record.ts';

const isEncodingOp = (op: StepOp): op is (typeof ENCODING_OPS)[number] =>
  (ENCODING_OPS as readonly StepOp[]).includes(op);

export type EncodingStep = Extract<Step, { op: (typeof ENCODING_OPS)[number] }>;

/** Whether a step determines how the result is written. */
export const isEncoding = (step: Step): step is EncodingStep => isEncodingOp(step.op);

/** Whether a step takes a single image; of an animation, the first frame. */
export const takesOneFrame = (step: Step): boolean => runsModel(step) || step.op === 'id_photo';

/** Whether a step needs 8-bit samples in sRGB or grey. */
export const needsPlainSamples = (step: Step): boolean => takesOneFrame(step) || step.op === 'blur_faces';

/** Whether a step reads the rows of an image once, in the order in which the decoder delivers them. */
export function readsRowsInOrder(step: Step): boolean {
  switch (step.op) {
    case 'flip':
      return !step.params.flip.includes('v');
    case 'crop':
    case 'adjust':
      return !readsTwice(step);
    case 'rotate':
    case 'blur_faces':
      return false;
    default:
      return !runsModel(step);
  }
}

/** Whether a step reads the whole image before it changes any of it. */
export function readsTwice(step: Step): boolean {
  if (step.op === 'crop') return step.params.crop_ratio !== undefined && step.params.crop_gravity === 'attention';
  if (step.op === 'adjust') return step.params.enhance;
  return needsPlainSamples(step);
}

/** Whether a step has the same effect on a smaller version of the image. */
export function isScaleIndependent(step: Step): boolean {
  if (step.op === 'rotate') return step.params.rotate % 90 === 0;
  return step.op === 'orient' || step.op === 'flip' || step.op === 'metadata';
}

/** Whether a vector source can still be rendered at another size after the step. */
export function keepsVector(step: Step): boolean {
  // A box is given in pixels of the image at its own size.
  if (step.op === 'crop') return step.params.crop === undefined && step.params.crop_shape === 'rect';
  return step.op === 'rotate' || isScaleIndependent(step);
}

/** Whether a step may make parts of an opaque image transparent. */
export function canAddTransparency(step: Step): boolean {
  switch (step.op) {
    case 'crop':
      return step.params.crop_shape === 'circle';
    case 'rotate':
      return step.params.background === undefined && step.params.rotate % 90 !== 0;
    case 'resize':
      return step.params.background === undefined && step.params.fit === 'contain';
    case 'pad':
      return step.params.background === undefined;
    case 'border':
      return step.params.border_color === 'transparent';
    case 'remove_background':
      return cutOutOf(step.params).background.kind === 'transparent';
    default:
      return false;
  }
}

/**
 * The options of a remove_background step. The format is that of the encoding.
 * @throws Failure `invalid_parameter` for background=image, which pipelines do not support
 */
export function cutOutOf(params: StepParams<'remove_background'>) {
  return {
    params,
    background: resolveBackground({ ...params, format: 'png', mask: false }, false),
    frame: params.frame === undefined ? undefined : parseFrame(params.frame),
  };
}
