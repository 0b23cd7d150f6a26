/**
 * The image steps of compress in the order that the API defines: crop, flip, rotate, resize, adjust, pad, circle,
 * border, watermark.
 */
import { hasAlpha, sampleMax } from '../../../codecs/colour.ts';
import { OUTPUTS, type OutputFormat } from '../../../codecs/formats/registry.ts';
import { type DecodedImage, type Header, mapFrames } from '../../../codecs/picture.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import type { Warning } from '../../result.ts';
import { type AdjustParams, adjust } from '../../steps/adjust.ts';
import { border } from '../../steps/border.ts';
import { flatten } from '../../steps/canvas.ts';
import { circle } from '../../steps/circle.ts';
import { crop, cropArea } from '../../steps/crop.ts';
import { flip } from '../../steps/flip.ts';
import { icon } from '../../steps/icon.ts';
import { pad, planResize, type ResizePlan, resize } from '../../steps/resize.ts';
import { rotate } from '../../steps/rotate.ts';
import type { Size, StepContext } from '../../steps/step.ts';
import { logoOverlay, type Overlay, textOverlay, type WatermarkParams, watermark } from '../../steps/watermark.ts';
import type { SourceFile } from '../../task.ts';
import { openAuxiliaryImage } from '../auxiliary-images.ts';
import { resizeParams } from './geometry.ts';
import type { CompressParams } from './params.ts';
import type { Plan } from './plan.ts';

export interface StepsResult {
  picture: DecodedImage;
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

export const adjusts = (params: AdjustParams) => ADJUSTMENTS.some((name) => Boolean(params[name]));

export async function applySteps(
  context: WorkerContext,
  plan: Plan,
  decoded: DecodedImage,
  logo: SourceFile | undefined,
): Promise<StepsResult> {
  const { params, output } = plan;
  const step: StepContext = { ...context, transparent: OUTPUTS[output].alpha, background: params.background };
  const warnings: Warning[] = [];
  if (!step.transparent && isSeeThrough(decoded, plan)) warnings.push('alpha_flattened');

  let picture = mapFrames(decoded, (frame) => {
    const { image, resizing } = shape(frame, plan, step);
    return decorate(image, resizing, params, step);
  });
  const marked = await watermarked(context, picture, params, logo, step);
  picture = marked.picture;
  warnings.push(...marked.warnings);
  if (OUTPUTS[output].icon) picture = mapFrames(picture, (frame) => icon(frame, step));
  return { picture, warnings };
}

/** Crop, flip, rotate, resize. */
function shape(
  frame: Image,
  { params, geometry, shrink }: Plan,
  step: StepContext,
): { image: Image; resizing: ResizePlan } {
  // The decoder shrinks only if there is nothing to crop.
  const cropped = shrink === 1 ? crop(frame, params) : frame;
  // New corners stay transparent until the adjustments are done, which must not change the background.
  const turned = rotate(flip(cropped, params.flip), params.rotate, { ...step, transparent: true });
  // After rotation by other angles, the planned size is only accurate within a pixel.
  const exact = params.rotate % 90 === 0;
  const resizing = exact ? geometry.plan : planResize(turned, resizeParams(params));
  return { image: resize(turned, exact ? geometry.turned : turned, resizing), resizing };
}

/** Adjustments, pad, circle, border. */
function decorate(frame: Image, resizing: ResizePlan, params: CompressParams, step: StepContext): Image {
  const adjusted = adjusts(params) ? adjust(frame, params, step) : frame;
  const padded = pad(adjusted, resizing, step);
  const shaped = params.crop_shape === 'circle' ? circle(padded, step) : padded;
  // The area that the circle cleared shows the background, not the border colour, so paint it first.
  const painted = !step.transparent && hasAlpha(shaped) ? flatten(shaped, step) : shaped;
  return params.border > 0 ? border(painted, params.border, params.border_color, step) : painted;
}

type MarkParams = WatermarkParams & Pick<CompressParams, 'watermark_text'>;

/** Draws the text and the logo over the image, if there are any. */
export async function watermarked(
  context: WorkerContext,
  picture: DecodedImage,
  params: MarkParams,
  logo: SourceFile | undefined,
  step: StepContext,
): Promise<StepsResult> {
  const overlays = await overlaysFor(context, picture.frames[0], params, logo, step);
  const warnings = overlays.filter(({ shrunk }) => shrunk).map(() => 'watermark_shrunk' as const);
  const marked = overlays.reduce(
    (seen, { image }) => mapFrames(seen, (frame) => watermark(frame, image, params)),
    picture,
  );
  return { picture: marked, warnings };
}

async function overlaysFor(
  context: WorkerContext,
  picture: Size,
  params: MarkParams,
  logo: SourceFile | undefined,
  step: StepContext,
): Promise<Overlay[]> {
  const overlays: Overlay[] = [];
  if (params.watermark_text !== undefined)
    overlays.push(await textOverlay(picture, params.watermark_text, params, step));
  if (logo) overlays.push(logoOverlay(picture, await openAuxiliaryImage(context, logo, 'watermark_image'), params));
  return overlays;
}

/** Whether any pixel is transparent. For an image that comes row by row, whether one could be. */
export function isSeeThrough({ frames }: DecodedImage, { sequential }: Pick<Plan, 'sequential'>): boolean {
  return frames.some(
    (frame) => hasAlpha(frame) && (sequential || frame.extractBand(frame.bands - 1).min() < sampleMax(frame)),
  );
}

/**
 * Whether the file already has the format, orientation and frames that a request without changed pixels would produce.
 */
export function isStoredAs(output: OutputFormat, header: Header, animation: boolean): boolean {
  return (
    output === header.format &&
    header.orientation === 1 &&
    header.pages === (animation ? header.frames : 1) &&
    header.animated === animation
  );
}

/** Whether the request changes any pixel of this image. */
export function changesPixels(plan: Plan, isMarked: boolean): boolean {
  const { params, header, output, animation } = plan;
  return (
    !isStoredAs(output, header, animation) ||
    params.crop !== undefined ||
    params.flip !== 'none' ||
    params.rotate % 360 !== 0 ||
    changesSamples(plan, isMarked)
  );
}

/** Whether the request changes samples, beyond a crop, mirroring and quarter turns. */
export function changesSamples({ params, header, geometry }: Plan, isMarked: boolean): boolean {
  const { scaled, canvas } = geometry.plan;
  const cut = params.crop === undefined ? header : cropArea(header, params.crop);
  const [width, height] = params.rotate % 180 === 0 ? [cut.width, cut.height] : [cut.height, cut.width];
  const resized = [scaled, canvas].some((size) => size.width !== width || size.height !== height);
  return (
    params.crop_shape === 'circle' ||
    params.rotate % 90 !== 0 ||
    resized ||
    adjusts(params) ||
    params.border > 0 ||
    params.watermark_text !== undefined ||
    isMarked
  );
}
