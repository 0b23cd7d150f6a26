/** The picture steps of compress in the order of the interface: crop, flip, rotate, resize, adjust, circle, border, watermark. */
import { hasAlpha, sampleMax } from '../../../codecs/colour.ts';
import { FORMATS } from '../../../codecs/formats.ts';
import { mapFrames, type Picture } from '../../../codecs/picture.ts';
import { formatOf, openSource } from '../../../codecs/read.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import type { Warning } from '../../result.ts';
import { type AdjustParams, adjust } from '../../steps/adjust.ts';
import { border } from '../../steps/border.ts';
import { flatten } from '../../steps/canvas.ts';
import { circle } from '../../steps/circle.ts';
import { crop } from '../../steps/crop.ts';
import { flip } from '../../steps/flip.ts';
import { icon } from '../../steps/icon.ts';
import { planResize, resize } from '../../steps/resize.ts';
import { rotate } from '../../steps/rotate.ts';
import type { Size, StepContext } from '../../steps/step.ts';
import { logoOverlay, type Overlay, textOverlay, watermark } from '../../steps/watermark.ts';
import type { SourceFile } from '../../task.ts';
import { resizeParams } from './geometry.ts';
import type { CompressParams } from './params.ts';
import type { Plan } from './plan.ts';

export interface Stepped {
  picture: Picture;
  warnings: Warning[];
}

const ADJUSTMENTS = [
  'brightness',
  'contrast',
  'saturation',
  'exposure',
  'grayscale',
  'blur',
  'enhance',
  'sharpen',
  'denoise',
] as const satisfies readonly (keyof AdjustParams)[];

const adjusts = (params: AdjustParams) => ADJUSTMENTS.some((name) => Boolean(params[name]));

export async function walkSteps(
  context: WorkerContext,
  plan: Plan,
  decoded: Picture,
  logo: SourceFile | undefined,
): Promise<Stepped> {
  const { params, output } = plan;
  const step: StepContext = { ...context, transparent: FORMATS[output].alpha, background: params.background };
  const warnings: Warning[] = [];
  if (!step.transparent && isSeeThrough(decoded, plan)) warnings.push('alpha_flattened');

  let picture = mapFrames(decoded, (frame) => shape(frame, plan, step));
  picture = mapFrames(picture, (frame) => decorate(frame, params, step));
  const overlays = await overlaysFor(context, picture.frames[0], params, logo, step);
  for (const overlay of overlays) {
    picture = mapFrames(picture, (frame) => watermark(frame, overlay.image, params));
    if (overlay.shrunk) warnings.push('watermark_shrunk');
  }
  if (output === 'ico') picture = mapFrames(picture, (frame) => icon(frame, step));
  return { picture, warnings };
}

/** Crop, flip, rotate, resize. */
function shape(frame: Image, { params, geometry, shrink }: Plan, step: StepContext): Image {
  // A decoder that has shrunk the picture was only asked to when there is nothing to crop.
  const cropped = shrink === 1 ? crop(frame, params) : frame;
  const turned = rotate(flip(cropped, params.flip), params.rotate, step);
  // The size after an odd angle is only known within a pixel beforehand.
  if (params.rotate % 90 !== 0) return resize(turned, turned, planResize(turned, resizeParams(params)), step);
  return resize(turned, geometry.turned, geometry.plan, step);
}

/** Adjustments, circle, border. */
function decorate(frame: Image, params: CompressParams, step: StepContext): Image {
  let result = adjusts(params) ? adjust(frame, params, step) : frame;
  if (params.crop_shape === 'circle') result = circle(result, step);
  // What the circle cleared shows the background, not the border, so it is painted before.
  if (!step.transparent && hasAlpha(result)) result = flatten(result, step);
  return params.border > 0 ? border(result, params.border, params.border_color, step) : result;
}

async function overlaysFor(
  context: WorkerContext,
  picture: Size,
  params: CompressParams,
  logo: SourceFile | undefined,
  step: StepContext,
): Promise<Overlay[]> {
  const overlays: Overlay[] = [];
  if (params.watermark_text !== undefined)
    overlays.push(await textOverlay(picture, params.watermark_text, params, step));
  if (logo) overlays.push(logoOverlay(picture, await openLogo(context, logo), params));
  return overlays;
}

async function openLogo({ vips }: WorkerContext, logo: SourceFile): Promise<Image> {
  const bytes = new Uint8Array(logo.data);
  const source = await openSource(vips, bytes, formatOf(bytes), 1);
  const picture = await source.open({
    animation: false,
    shrink: 1,
    sequential: false,
    tolerant: false,
    keepProfile: false,
    keepDepth: false,
  });
  return picture.frames[0].copyMemory();
}

/** Whether any pixel is see-through; of a picture that comes row by row, whether one could be. */
function isSeeThrough({ frames }: Picture, { sequential }: Plan): boolean {
  return frames.some(
    (frame) => hasAlpha(frame) && (sequential || frame.extractBand(frame.bands - 1).min() < sampleMax(frame)),
  );
}

/** Whether the request asks for anything that touches a pixel of this picture. */
export function changesPixels(
  { params, header, output, animation, geometry }: Plan,
  { warnings }: Stepped,
  logo: SourceFile | undefined,
): boolean {
  const { scaled, canvas } = geometry.plan;
  const resized = [scaled, canvas].some(({ width, height }) => width !== header.width || height !== header.height);
  return (
    output !== header.format ||
    header.orientation !== 1 ||
    header.pages !== (animation ? header.frames : 1) ||
    header.animated !== animation ||
    params.crop !== undefined ||
    params.crop_shape === 'circle' ||
    params.flip !== 'none' ||
    params.rotate % 360 !== 0 ||
    resized ||
    adjusts(params) ||
    params.border > 0 ||
    params.watermark_text !== undefined ||
    logo !== undefined ||
    warnings.includes('alpha_flattened')
  );
}
