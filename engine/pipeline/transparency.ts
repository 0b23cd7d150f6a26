/** Computes whether an image has transparency after some steps: the only question of a plan that needs pixels. */
import { hasAlpha, sampleMax } from '../../codecs/colour.ts';
import type { DecodedImage } from '../../codecs/picture.ts';
import { decode, type Source, WHOLE_IMAGE } from '../../codecs/source.ts';
import type { Image } from '../../codecs/vips.ts';
import { SCALE } from '../../models/upscale.ts';
import type { WorkerContext } from '../context.ts';
import { checkFrames } from '../operations/compress/plan.ts';
import { isStreamed } from '../operations/decoding.ts';
import { planGif } from '../operations/gif/plan.ts';
import { editFrames } from '../operations/gif/run.ts';
import type { Size } from '../steps/step.ts';
import { applyStep, isPixelStep } from './apply.ts';
import type { StepOp } from './ops.ts';
import type { DecidedStep, Step } from './record.ts';
import { canAddTransparency, cutOutOf, readsRowsInOrder, takesOneFrame } from './step-traits.ts';

/**
 * Whether any pixel of any frame is transparent. Runs no models: the transparency of their results is known without.
 * @param done the steps before
 */
export async function hasTransparencyAfter(
  context: WorkerContext,
  source: Source,
  done: readonly DecidedStep[],
): Promise<boolean> {
  if (!source.header.hasAlpha && !done.some(({ step }) => canAddTransparency(step))) return false;
  let picture = await open(context, source, done);
  for (const { step, before, after } of done) {
    if (!isPixelStep(step) || KEEPS_ALPHA.has(step.op)) continue;
    const [first] = picture.frames;
    const standIn = placeholderFor(context, first, step, after);
    picture = standIn
      ? { ...picture, frames: [standIn] }
      : (await applyStep(picture, step, { context, before, logo: undefined })).picture;
  }
  return picture.frames.some((frame) => hasAlpha(frame) && frame.extractBand(frame.bands - 1).min() < sampleMax(frame));
}

/** These steps draw over the image, not around it, so they leave its transparency unchanged. */
const KEEPS_ALPHA: ReadonlySet<StepOp> = new Set(['adjust', 'watermark', 'blur_faces']);

async function open(context: WorkerContext, source: Source, done: readonly DecidedStep[]): Promise<DecodedImage> {
  const edit = done.find(({ step }) => step.op === 'gif')?.step;
  if (edit?.op === 'gif') {
    const plan = planGif(context, source, { ...edit.params, page: 1 });
    return (await editFrames(source, plan, edit.params, true)).picture;
  }
  const animation = source.header.frames > 1 && !done.some(({ step }) => takesOneFrame(step));
  const frames = animation ? source.header.frames : 1;
  checkFrames(context, source, frames);
  const inOrder = done.every(({ step }) => readsRowsInOrder(step));
  const sequential = isStreamed(context, source, { frames, shrink: 1, inOrder });
  return await decode(context.vips, source, { ...WHOLE_IMAGE, animation, sequential, tolerant: true });
}

/** An image with the same transparency as the result of a step with a model. */
function placeholderFor(context: WorkerContext, frame: Image, step: Step, after: Size): Image | undefined {
  switch (step.op) {
    case 'upscale':
      return frame.zoom(SCALE, SCALE);
    case 'remove_background': {
      const clear = cutOutOf(step.params).background.kind === 'transparent';
      return context.vips.Image.black(after.width, after.height, { bands: clear ? 4 : 3 }).copy({
        interpretation: 'srgb',
      });
    }
    default:
      return undefined;
  }
}
