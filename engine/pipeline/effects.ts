/** Computes the effect of each step on the image size, without pixels, and whether it changes anything. */
import type { Source } from '../../codecs/source.ts';
import { SCALE } from '../../models/upscale.ts';
import type { WorkerContext } from '../context.ts';
import { parseBoxes } from '../operations/blur-faces/params.ts';
import { croppedSize, resizeParams } from '../operations/compress/geometry.ts';
import { adjusts } from '../operations/compress/steps.ts';
import { planGif } from '../operations/gif/plan.ts';
import { resolvePhoto } from '../operations/id-photo/photo.ts';
import { checkCutOutSize } from '../operations/remove-background/cutout.ts';
import { parseFrame } from '../operations/remove-background/params.ts';
import { checkUpscaleSize } from '../operations/upscale/size.ts';
import { cropArea } from '../steps/crop.ts';
import { planResize } from '../steps/resize.ts';
import { rotate } from '../steps/rotate.ts';
import type { Size } from '../steps/step.ts';
import type { StepOp, StepParams } from './ops.ts';
import type { Step } from './record.ts';

export interface EffectContext {
  context: WorkerContext;
  source: Source;
  /** Maximum pixels of the source of an upscale. */
  maxPixels: number;
}

export interface Effect {
  size: Size;
  /** Whether it changes anything, even if the size stays the same. */
  changes: boolean;
}

type Effects = {
  [O in StepOp]: (params: StepParams<O>, before: Size, context: EffectContext) => Effect;
};

const sameSize = ({ width, height }: Size, changes: boolean): Effect => ({ size: { width, height }, changes });
const unlessSame = (size: Size, before: Size): Effect => ({
  size,
  changes: size.width !== before.width || size.height !== before.height,
});

const EFFECTS: Effects = {
  orient: (_params, before, { source }) => sameSize(before, source.header.orientation !== 1),
  crop(params, before) {
    const { size, changes } = unlessSame(croppedSize(before, params), before);
    return { size, changes: changes || params.crop_shape === 'circle' };
  },
  flip: ({ flip }, before) => sameSize(before, flip !== 'none'),
  rotate: (params, before, { context }) => ({
    size: rotatedSize(context, before, params.rotate),
    changes: params.rotate % 360 !== 0,
  }),
  resize(params, before) {
    const { scaled, canvas } = planResize(before, resizeParams(params));
    // A resolution is recorded in the file.
    const records = params.dpi !== undefined || params.print_width !== undefined || params.print_height !== undefined;
    return { size: canvas, changes: records || [scaled, canvas].some((size) => unlessSame(size, before).changes) };
  },
  pad: (params, before) => unlessSame(paddedSize(params, before), before),
  adjust: (params, before) => sameSize(before, adjusts(params)),
  border({ border }, { width, height }) {
    return { size: { width: width + 2 * border, height: height + 2 * border }, changes: border > 0 };
  },
  watermark: ({ watermark_text, logo }, before) => sameSize(before, watermark_text !== undefined || logo),
  remove_background({ frame }, before, { context }) {
    checkCutOutSize(context, before);
    return { size: frame === undefined ? before : parseFrame(frame), changes: true };
  },
  upscale(_params, before, { context, maxPixels }) {
    checkUpscaleSize(context, before, maxPixels);
    return { size: { width: before.width * SCALE, height: before.height * SCALE }, changes: true };
  },
  blur_faces: ({ boxes }, before) => sameSize(before, boxes === undefined || coversAny(boxes, before)),
  id_photo(params, before, { context }) {
    const { size, sheet } = resolvePhoto(params);
    if (params.crop !== undefined) cropArea(before, params.crop);
    if (params.remove_background) checkCutOutSize(context, before);
    return { size: sheet?.size ?? size, changes: true };
  },
  gif: (params, _before, { context, source }) => ({
    size: planGif(context, source, { ...params, page: 1 }).resizing.scaled,
    changes: true,
  }),
  metadata: (_params, before) => sameSize(before, true),
  convert: (_params, before) => sameSize(before, true),
  compress: (_params, before) => sameSize(before, true),
};

/**
 * @throws Failure `invalid_parameter` if an area is outside the image, `image_too_large` for an image that the step
 * does not accept
 */
export function effectOf(step: Step, before: Size, effects: EffectContext): Effect {
  // The type of a table cannot express that step and effect belong to the same operation.
  const effect = EFFECTS[step.op] as (params: unknown, before: Size, effects: EffectContext) => Effect;
  return effect(step.params, before, effects);
}

/** Gets the exact size from libvips, which computes no pixels until they are read. */
function rotatedSize({ vips, modules }: WorkerContext, { width, height }: Size, degrees: number): Size {
  const blank = vips.Image.black(width, height);
  const turned = rotate(blank, degrees, { vips, modules, transparent: false, background: '#000000' });
  return { width: turned.width, height: turned.height };
}

/** The image is never cropped. */
export function paddedSize({ width, height }: Size, before: Size): Size {
  return { width: Math.max(width, before.width), height: Math.max(height, before.height) };
}

function coversAny(boxes: string, picture: Size): boolean {
  return parseBoxes(boxes).some(
    ({ x, y, width, height }) => x < picture.width && y < picture.height && x + width > 0 && y + height > 0,
  );
}
