/** What each pixel step makes of the size of a picture, on numbers alone, and whether it changes anything. */
import { imageTooLarge } from '../../codecs/errors.ts';
import { SCALE } from '../../models/upscale.ts';
import type { WorkerContext } from '../context.ts';
import { parseBoxes } from '../operations/blur-faces/params.ts';
import { croppedSize, resizeParams } from '../operations/compress/geometry.ts';
import { adjusts } from '../operations/compress/steps.ts';
import { checkCutOutSize } from '../operations/remove-background/cutout.ts';
import { parseFrame } from '../operations/remove-background/params.ts';
import { planResize } from '../steps/resize.ts';
import { rotate } from '../steps/rotate.ts';
import type { Size } from '../steps/step.ts';
import type { StepOp, StepParams } from './ops.ts';
import type { Step } from './record.ts';

/** The steps that work on pixels, but for those that do it in a way of their own: whole animations and ID photos. */
export type PixelOp = Exclude<StepOp, 'metadata' | 'convert' | 'compress' | 'id_photo' | 'gif'>;
export type PixelStep = Extract<Step, { op: PixelOp }>;

/** Whether a step works on pixels. */
export const isPixelStep = (step: Step): step is PixelStep => step.op in EFFECTS;

export interface EffectContext {
  context: WorkerContext;
  /** Most that the source of an upscale may have. */
  maxPixels: number;
  /** EXIF orientation of the source. */
  orientation: number;
}

export interface Effect {
  size: Size;
  /** Something other than the size changes. */
  changes: boolean;
}

type Effects = {
  [O in PixelOp]: (params: StepParams<O>, before: Size, context: EffectContext) => Effect;
};

const sameSize = ({ width, height }: Size, changes: boolean): Effect => ({ size: { width, height }, changes });

const EFFECTS: Effects = {
  orient: (_params, before, { orientation }) => sameSize(before, orientation !== 1),
  crop: (params, before) => ({ size: croppedSize(before, params), changes: params.crop_shape === 'circle' }),
  flip: ({ flip }, before) => sameSize(before, flip !== 'none'),
  rotate: (params, before, { context }) => ({
    size: rotatedSize(context, before, params.rotate),
    changes: params.rotate % 360 !== 0,
  }),
  resize: (params, before) => ({
    size: planResize(before, resizeParams(params)).canvas,
    // Recorded in the file.
    changes: params.dpi !== undefined || params.print_width !== undefined || params.print_height !== undefined,
  }),
  pad: (params, before) => ({ size: paddedSize(params, before), changes: false }),
  adjust: (params, before) => sameSize(before, adjusts(params)),
  border: ({ border }, { width, height }) => ({
    size: { width: width + 2 * border, height: height + 2 * border },
    changes: false,
  }),
  watermark: ({ watermark_text, logo }, before) => sameSize(before, watermark_text !== undefined || logo),
  remove_background: ({ frame }, before, { context }) => {
    checkCutOutSize(context, before);
    return { size: frame === undefined ? before : parseFrame(frame), changes: true };
  },
  upscale: (_params, before, effects) => {
    checkUpscale(before, effects);
    return { size: { width: before.width * SCALE, height: before.height * SCALE }, changes: true };
  },
  blur_faces: ({ boxes }, before) => sameSize(before, boxes === undefined || boxesInside(boxes, before)),
};

/** Steps and their effect are of one operation, which the type of a table cannot say. */
export function effectOf(step: PixelStep, before: Size, effects: EffectContext): Effect {
  const effect = EFFECTS[step.op] as (params: unknown, before: Size, effects: EffectContext) => Effect;
  return effect(step.params, before, effects);
}

/** Exactly what libvips will answer, which computes nothing of a picture that nobody reads. */
function rotatedSize({ vips, modules }: WorkerContext, { width, height }: Size, degrees: number): Size {
  const blank = vips.Image.black(width, height);
  const turned = rotate(blank, degrees, { vips, modules, transparent: false, background: '#000000' });
  return { width: turned.width, height: turned.height };
}

/** The picture is never cut. */
export function paddedSize({ width, height }: StepParams<'pad'>, before: Size): Size {
  return { width: Math.max(width, before.width), height: Math.max(height, before.height) };
}

/** @throws Failure `image_too_large` */
function checkUpscale({ width, height }: Size, { context, maxPixels }: EffectContext): void {
  if (width * height > maxPixels) throw imageTooLarge(`${maxPixels} pixels`, `${width} x ${height} pixels`);
  const maxSide = Math.floor(context.limits.side / SCALE);
  if (Math.max(width, height) > maxSide)
    throw imageTooLarge(`${maxSide} pixels on a side`, `${width} x ${height} pixels`);
}

function boxesInside(boxes: string, { width, height }: Size): boolean {
  return parseBoxes(boxes).some(
    (box) => box.x < width && box.y < height && box.x + box.width > 0 && box.y + box.height > 0,
  );
}
