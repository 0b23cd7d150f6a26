/** Applies the pixel steps, each to the image that the previous steps produced. */
import { startKernels } from '../../codecs/kernels/kernels.ts';
import { type DecodedImage, mapFrames } from '../../codecs/picture.ts';
import type { WorkerContext } from '../context.ts';
import { cover } from '../operations/blur-faces/cover.ts';
import { parseBoxes } from '../operations/blur-faces/params.ts';
import { resizeParams } from '../operations/compress/geometry.ts';
import { watermarked } from '../operations/compress/steps.ts';
import { findFaces } from '../operations/faces/detect.ts';
import { composed } from '../operations/remove-background/compose.ts';
import { separateAlpha } from '../operations/remove-background/cutout.ts';
import { estimateMask } from '../operations/remove-background/mask.ts';
import { double } from '../operations/upscale/double.ts';
import type { Warning } from '../result.ts';
import { adjust } from '../steps/adjust.ts';
import { border } from '../steps/border.ts';
import { circle } from '../steps/circle.ts';
import { crop } from '../steps/crop.ts';
import { flip } from '../steps/flip.ts';
import { pad, planResize, resize } from '../steps/resize.ts';
import { rotate } from '../steps/rotate.ts';
import type { Size, StepContext } from '../steps/step.ts';
import type { SourceFile } from '../task.ts';
import { paddedSize } from './effects.ts';
import type { StepOp, StepParams } from './ops.ts';
import type { Step } from './record.ts';
import { cutOutOf } from './step-traits.ts';

/** The steps that change an image. Whole animations and ID photos are made elsewhere. */
type PixelOp = Exclude<StepOp, 'metadata' | 'convert' | 'compress' | 'id_photo' | 'gif'>;
export type PixelStep = Extract<Step, { op: PixelOp }>;

export interface PipelineContext {
  context: WorkerContext;
  /** Planned size; the image may be smaller if its decoder has shrunk it. */
  before: Size;
  logo: SourceFile | undefined;
}

export interface StepResult {
  picture: DecodedImage;
  warnings: Warning[];
}

type StepFunctions = {
  [O in PixelOp]: (
    picture: DecodedImage,
    params: StepParams<O>,
    surroundings: PipelineContext,
  ) => DecodedImage | Promise<StepResult>;
};

/**
 * New area gets the step's own colour; otherwise it stays transparent until the encoding flattens it, if the format has
 * no alpha.
 */
function paint({ context }: PipelineContext, background: string | undefined): StepContext {
  return { ...context, transparent: background === undefined, background: background ?? '' };
}

const APPLIERS: StepFunctions = {
  // Already done when the image was decoded.
  orient: (picture) => picture,
  crop: (picture, params, around) =>
    mapFrames(picture, (frame) => {
      const cut = crop(frame, params);
      return params.crop_shape === 'circle' ? circle(cut, paint(around, undefined)) : cut;
    }),
  flip: (picture, params) => mapFrames(picture, (frame) => flip(frame, params.flip)),
  rotate: (picture, params, around) =>
    mapFrames(picture, (frame) => rotate(frame, params.rotate, paint(around, params.background))),
  resize: (picture, params, around) => {
    const plan = planResize(around.before, resizeParams(params));
    return mapFrames(picture, (frame) =>
      pad(resize(frame, around.before, plan), plan, paint(around, params.background)),
    );
  },
  pad: (picture, params, around) => {
    const { width, height } = around.before;
    const plan = {
      factors: { horizontal: 1, vertical: 1 },
      scaled: { width, height },
      canvas: paddedSize(params, around.before),
    };
    return mapFrames(picture, (frame) => pad(frame, plan, paint(around, params.background)));
  },
  adjust: (picture, params, around) => mapFrames(picture, (frame) => adjust(frame, params, paint(around, undefined))),
  border: (picture, params, around) =>
    mapFrames(picture, (frame) => border(frame, params.border, params.border_color, paint(around, undefined))),
  watermark: (picture, { logo, ...params }, around) =>
    watermarked(around.context, picture, params, logo ? around.logo : undefined, paint(around, undefined)),
  async remove_background(picture, params, { context }) {
    const [frame] = picture.frames;
    const mask = await estimateMask(context, frame);
    const image = await composed(context, separateAlpha(frame), mask, cutOutOf(params));
    return {
      picture: { ...picture, frames: [image] },
      warnings: mask.doubtful ? ['low_confidence'] : [],
    };
  },
  async upscale(picture, _params, { context }) {
    const image = await double(context.vips, await context.models.open('upscale'), picture.frames[0]);
    return { picture: { ...picture, frames: [image] }, warnings: [] };
  },
  async blur_faces(picture, params, { context }) {
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
  },
};

export const isPixelStep = (step: Step): step is PixelStep => step.op in APPLIERS;

/**
 * @param picture in memory if the step reads it more than once
 * @throws Failure `model_unavailable`, `no_subject`, and for the logo as for `openCompanion`
 */
export async function applyStep(
  picture: DecodedImage,
  step: PixelStep,
  surroundings: PipelineContext,
): Promise<StepResult> {
  // The type of a table cannot express that step and function belong to the same operation.
  const apply = APPLIERS[step.op] as (
    picture: DecodedImage,
    params: unknown,
    surroundings: PipelineContext,
  ) => DecodedImage | Promise<StepResult>;
  const applied = await apply(picture, step.params, surroundings);
  return 'frames' in applied ? { picture: applied, warnings: [] } : applied;
}
