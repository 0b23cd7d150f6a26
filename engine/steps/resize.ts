import { premultiplied } from '../../codecs/colour.ts';
import { mapFrames } from '../../codecs/decoded-image.ts';
import type { Image } from '../../codecs/vips.ts';
import { conflictingParameters } from '../operations/errors.ts';
import { cropCentre } from './crop.ts';
import { padTo } from './pad.ts';
import { DEFAULT_DPI, type PrintParams, printPixels } from './print.ts';
import { areaOf, defineStep, isSameSize, paint, type Size, type StepDefinition } from './step.ts';

export interface ResizeParams {
  width?: number | undefined;
  height?: number | undefined;
  percent?: number | undefined;
  fit: 'inside' | 'exact' | 'cover' | 'contain';
  enlarge: boolean;
  max_width?: number | undefined;
  max_height?: number | undefined;
}

/** The parameters of a resize, which may give its size as that of a print. */
export interface SizeRequest extends ResizeParams, PrintParams {
  dpi?: number | undefined;
}

export const resize = defineStep({
  label: {
    name: 'Resize',
    hint: 'To a width, a height, a percentage or a print size.',
    group: 'Size and shape',
    place: 1,
  },
  params: ({ z, integer, number, side, newAreaColour, described }) => ({
    width: described(side().optional(), 'Target width in pixels.', 800),
    height: described(side().optional(), 'Target height in pixels.', 600),
    percent: described(integer(1, 1000).optional(), 'Scale, when neither width nor height is given.', 50),
    fit: described(
      z.enum(['inside', 'exact', 'cover', 'contain']).default('inside'),
      'inside keeps the ratio, exact stretches, cover fills and crops, contain pads.',
      'cover',
    ),
    enlarge: described(z.boolean().default(false), 'Allow making the image larger.', true),
    print_width: described(
      number(1, 5000).optional(),
      'Print width in millimetres at dpi; not together with width, height or percent.',
      100,
    ),
    print_height: described(
      number(1, 5000).optional(),
      'Print height in millimetres at dpi; not together with width, height or percent.',
      150,
    ),
    dpi: integer(72, 1200)
      .optional()
      .meta({
        description: `Resolution recorded in the file, in dots per inch; print sizes use ${DEFAULT_DPI} when it is not given. Alone it only records the resolution.`,
        default: DEFAULT_DPI,
        examples: [300],
      }),
    max_width: described(side().optional(), 'Fit inside this width, never enlarge.', 1920),
    max_height: described(side().optional(), 'Fit inside this height, never enlarge.', 1080),
    background: newAreaColour(),
  }),
  check: (params) => checkResize(params),
  needsOneOf: ['width', 'height', 'percent', 'max_width', 'max_height', 'print_width', 'print_height', 'dpi'],
  effect(params, before) {
    const plan = planResize(before, inPixels(params));
    // A resolution is recorded in the file.
    const records = params.dpi !== undefined || params.print_width !== undefined || params.print_height !== undefined;
    return { size: plan.canvas, changes: records || changesSize(plan, before) };
  },
  apply(image, params, context) {
    const { before, after } = context;
    const plan = planResize(before, inPixels(params));
    return mapFrames(image, (frame) =>
      padTo(resizeImage(frame, before, plan), after, paint(context, params.background)),
    );
  },
  keepsColours: ({ fit }) => fit !== 'contain',
  // A resize may only record a resolution.
  changesPixels: (_params, before, after) => !isSameSize(before, after),
  decodesSmaller: (params, before) => planResize(before, inPixels(params)).scaled,
  canAddTransparency: ({ background, fit }) => background === undefined && fit === 'contain',
  visible(params, before) {
    const { scaled, canvas } = planResize(before, inPixels(params));
    return {
      scale: areaOf(scaled) / areaOf(before),
      kept: Math.min(1, canvas.width / scaled.width) * Math.min(1, canvas.height / scaled.height),
    };
  },
});

/** The resize of compress, which pads after the adjustments, and records the resolution with its encoding. */
export const resizeWithoutPadding: StepDefinition<SizeRequest> = {
  effect(params, before) {
    const plan = planResize(before, inPixels(params));
    const { scaled, canvas } = plan;
    const size = { width: Math.min(scaled.width, canvas.width), height: Math.min(scaled.height, canvas.height) };
    return { size, changes: changesSize(plan, before), canvas };
  },
  apply(image, params, { before }) {
    const plan = planResize(before, inPixels(params));
    return mapFrames(image, (frame) => resizeImage(frame, before, plan));
  },
  keepsColours: true,
  decodesSmaller: (params, before) => planResize(before, inPixels(params)).scaled,
};

/** The factor for a vector image to be rendered at the requested size, smaller or larger. */
export function renderingScale(before: Size, params: SizeRequest): number {
  const { scaled } = planResize(before, { ...inPixels(params), enlarge: true });
  return Math.max(scaled.width / before.width, scaled.height / before.height);
}

/** @throws Failure `conflicting_parameters` for a size in pixels and in millimetres */
export function checkResize(params: Pick<SizeRequest, 'width' | 'height' | 'percent' | keyof PrintParams>): void {
  const print =
    params.print_width !== undefined ? 'print_width' : params.print_height !== undefined ? 'print_height' : undefined;
  const pixels = (['width', 'height', 'percent'] as const).find((name) => params[name] !== undefined);
  if (print && pixels) throw conflictingParameters(print, `Expected ${print} without ${pixels} but received both.`);
}

/** The resize parameters with print sizes converted to pixels. */
export const inPixels = (params: SizeRequest): ResizeParams => ({
  ...params,
  ...printPixels(params, params.dpi ?? DEFAULT_DPI),
});

const changesSize = ({ scaled, canvas }: ResizePlan, before: Size): boolean =>
  ![scaled, canvas].every((size) => isSameSize(size, before));

/** A planned resize: scale the image to `scaled` pixels, then crop it or, after the adjustments, pad it to `canvas`. */
export interface ResizePlan {
  /** Exact factors, before rounding to pixels. Equal in both directions unless the image is stretched. */
  factors: { horizontal: number; vertical: number };
  scaled: Size;
  canvas: Size;
}

const atLeastOne = (pixels: number) => Math.max(1, Math.round(pixels));

function planFit(source: Size, params: ResizeParams): ResizePlan {
  const { width, height, percent, fit, enlarge } = params;
  const stretched = (horizontal: number, vertical: number): ResizePlan => {
    const cap = (factor: number) => (enlarge ? factor : Math.min(1, factor));
    const factors = { horizontal: cap(horizontal), vertical: cap(vertical) };
    const scaled = {
      width: atLeastOne(source.width * factors.horizontal),
      height: atLeastOne(source.height * factors.vertical),
    };
    return { factors, scaled, canvas: scaled };
  };
  const uniform = (factor: number) => stretched(factor, factor);

  if (width === undefined && height === undefined) return uniform(percent === undefined ? 1 : percent / 100);
  // If only one side is given, the other keeps the aspect ratio, whatever the fit.
  if (width === undefined) return uniform((height as number) / source.height);
  if (height === undefined) return uniform(width / source.width);
  const horizontal = width / source.width;
  const vertical = height / source.height;
  switch (fit) {
    case 'inside':
      return uniform(Math.min(horizontal, vertical));
    case 'exact':
      return stretched(horizontal, vertical);
    case 'cover': {
      const plan = uniform(Math.max(horizontal, vertical));
      const { scaled } = plan;
      return { ...plan, canvas: { width: Math.min(width, scaled.width), height: Math.min(height, scaled.height) } };
    }
    case 'contain':
      return { ...uniform(Math.min(horizontal, vertical)), canvas: { width, height } };
  }
}

/** Fits a plan into max_width and max_height by scaling image and canvas equally. */
function fitInside(plan: ResizePlan, maxWidth = Infinity, maxHeight = Infinity): ResizePlan {
  const { factors, scaled, canvas } = plan;
  const factor = Math.min(maxWidth / canvas.width, maxHeight / canvas.height);
  if (factor >= 1) return plan;
  const shrink = ({ width, height }: Size) => ({
    width: atLeastOne(width * factor),
    height: atLeastOne(height * factor),
  });
  return {
    factors: { horizontal: factors.horizontal * factor, vertical: factors.vertical * factor },
    scaled: shrink(scaled),
    canvas: shrink(canvas),
  };
}

/** Plans a resize without pixels, so that a dry run and the decoder's shrink-on-load know the size beforehand. */
export const planResize = (source: Size, params: ResizeParams): ResizePlan =>
  fitInside(planFit(source, params), params.max_width, params.max_height);

/**
 * Scales and crops as planned: Lanczos3 on the image's own samples, premultiplied.
 * @param source the size that the plan was made for; `image` may be smaller if its decoder has shrunk it
 */
export function resizeImage(image: Image, source: Size, { factors, scaled, canvas }: ResizePlan): Image {
  const sized = scaleTo(image, scaled, {
    horizontal: (factors.horizontal * source.width) / image.width,
    vertical: (factors.vertical * source.height) / image.height,
  });
  const covered = canvas.width < scaled.width || canvas.height < scaled.height;
  return covered ? cropCentre(sized, canvas) : sized;
}

function scaleTo(image: Image, { width, height }: Size, { horizontal, vertical }: ResizePlan['factors']): Image {
  if (width === image.width && height === image.height) return image;
  return premultiplied(image, (source) => {
    const sized = source.resize(horizontal, { vscale: vertical, kernel: 'lanczos3' });
    if (sized.width === width && sized.height === height) return sized;
    // libvips has rounded a side the other way. Use the planned size.
    return source.resize(width / source.width, { vscale: height / source.height, kernel: 'lanczos3' });
  });
}
