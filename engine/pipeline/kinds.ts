/** What kinds of steps there are, as far as their parameters tell. Main-thread safe. */
import { parseFrame, resolveBackground } from '../operations/remove-background/params.ts';
import { runsModel } from './model-steps.ts';
import { ENCODING_OPS, type StepOp, type StepParams } from './ops.ts';
import type { Step } from './record.ts';

const isEncodingOp = (op: StepOp): op is (typeof ENCODING_OPS)[number] =>
  (ENCODING_OPS as readonly StepOp[]).includes(op);

export type EncodingStep = Extract<Step, { op: (typeof ENCODING_OPS)[number] }>;

/** Steps that say how the result is written. */
export const isEncoding = (step: Step): step is EncodingStep => isEncodingOp(step.op);

/** Steps that take one picture, and of an animation the first. */
export const takesOneFrame = (step: Step): boolean => runsModel(step) || step.op === 'id_photo';

/** Steps that need samples of 8 bits in sRGB or grey. */
export const needsPlainSamples = (step: Step): boolean => takesOneFrame(step) || step.op === 'blur_faces';

/** Steps that take the rows of a picture once, in the order in which a decoder gives them. */
export function walksInOrder(step: Step): boolean {
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

/** Steps that look at the whole picture before they change any of it. */
export function readsTwice(step: Step): boolean {
  if (step.op === 'crop') return step.params.crop_ratio !== undefined && step.params.crop_gravity === 'attention';
  if (step.op === 'adjust') return step.params.enhance;
  return needsPlainSamples(step);
}

/** Steps that do the same to a smaller version of the picture. */
export function suitsAnySize(step: Step): boolean {
  if (step.op === 'rotate') return step.params.rotate % 90 === 0;
  return step.op === 'orient' || step.op === 'flip' || step.op === 'metadata';
}

/** Steps after which a drawing can still be drawn at another size. */
export function keepsShapes(step: Step): boolean {
  // A box is given in pixels of the picture as it is without a request.
  if (step.op === 'crop') return step.params.crop === undefined && step.params.crop_shape === 'rect';
  return step.op === 'rotate' || suitsAnySize(step);
}

/** Steps that may leave parts of an opaque picture see-through. */
export function canClear(step: Step): boolean {
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
 * What a step of remove_background asks for. The format is that of the encoding.
 * @throws Failure `invalid_parameter` for background=image, which pipelines do not have
 */
export function cutOutOf(params: StepParams<'remove_background'>) {
  return {
    params,
    background: resolveBackground({ ...params, format: 'png', mask: false }, false),
    frame: params.frame === undefined ? undefined : parseFrame(params.frame),
  };
}
