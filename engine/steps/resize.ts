import type { Box, Point, Size } from '../../base/geometry.ts';
import { premultiplied } from '../../codecs/colour.ts';
import type { Image } from '../../codecs/vips.ts';
import { conflictingParameters } from '../operations/errors.ts';
import { type Focus, parseFocus } from '../operations/parse-parameters.ts';
import { areaAround, cropAround } from './crop.ts';
import { cutAround, focusModels } from './focus.ts';
import { padTo } from './pad.ts';
import { DEFAULT_DPI, type PrintParams, printPixels, printResolution } from './print.ts';
import { areaOf, defineStep, isSameSize, paint, type Resolution, type StepDefinition } from './step.ts';

export interface ResizeParams {
  width?: number | undefined;
  height?: number | undefined;
  percent?: number | undefined;
  fit: 'inside' | 'exact' | 'cover' | 'contain';
  focus?: string | undefined;
  enlarge: boolean;
  max_width?: number | undefined;
  max_height?: number | undefined;
  /** Whether the canvas of an image with too few pixels is smaller, so that the image still fills it. */
  shrinksCanvas?: boolean;
}

/** The parameters of a resize, which may give its size as that of a print. */
export interface SizeRequest extends ResizeParams, PrintParams {
  dpi?: number | undefined;
  dpr?: number | undefined;
}

export const resize = defineStep({
  label: {
    name: 'Resize',
    hint: 'To a width, a height, a percentage or a print size.',
    group: 'Size and shape',
    place: 1,
  },
  params: ({ z, integer, number, side, focus, newAreaColour, described }) => ({
    width: described(side().optional(), 'Target width in pixels.', 800),
    height: described(side().optional(), 'Target height in pixels.', 600),
    percent: described(integer(1, 1000).optional(), 'Scale, when neither width nor height is given.', 50),
    fit: described(
      z.enum(['inside', 'exact', 'cover', 'contain']).default('inside'),
      'inside keeps the ratio, exact stretches, cover fills and crops, contain pads.',
      'cover',
    ),
    focus: described(
      focus().optional(),
      'What fit=cover keeps: faces (uses a model and counts as an AI request), or a place x,y in fractions of the image.',
      '0.5,0.2',
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
    dpr: described(
      number(0.1, 8).default(1),
      'Device pixel ratio: multiplies width, height, max_width and max_height.',
      2,
    ),
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
    return cutAround(image, usedFocus(params), context, (frame, focus) =>
      padTo(resizeImage(frame, before, plan, focus), after, paint(context, params.background)),
    );
  },
  models: (params) => focusModels(usedFocus(params)),
  keepsColours: ({ fit }) => fit !== 'contain',
  shownArea: (params, before) => areaShown(params, before),
  resolution: (params, before, after) => resolutionOf(params, before, after),
  renders: (params, before) => ({ scale: renderingScale(before, params), params: { ...params, percent: undefined } }),
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
  apply(image, params, context) {
    const { before } = context;
    const plan = planResize(before, inPixels(params));
    return cutAround(image, usedFocus(params), context, (frame, focus) => resizeImage(frame, before, plan, focus));
  },
  models: (params) => focusModels(usedFocus(params)),
  keepsColours: true,
  shownArea: (params, before) => areaShown(params, before),
  decodesSmaller: (params, before) => planResize(before, inPixels(params)).scaled,
};

/** The focus of a resize that cuts; undefined for others. */
function usedFocus(params: SizeRequest): Focus | undefined {
  const { width, height } = inPixels(params);
  const cuts = params.fit === 'cover' && width !== undefined && height !== undefined;
  return cuts && params.focus !== undefined ? parseFocus(params.focus) : undefined;
}

/** The area that a resize does not cut, in pixels of the image before. Undefined if it depends on the pixels. */
function areaShown(params: SizeRequest, before: Size): Box | undefined {
  const focus = usedFocus(params);
  if (focus === 'faces') return undefined;
  const { scaled, canvas } = planResize(before, inPixels(params));
  const size = { width: Math.min(scaled.width, canvas.width), height: Math.min(scaled.height, canvas.height) };
  const { x, y, width, height } = areaAround(scaled, size, focus);
  const [across, down] = [before.width / scaled.width, before.height / scaled.height];
  return { x: x * across, y: y * down, width: width * across, height: height * down };
}

/** The factor for a vector image to be rendered at the requested size, smaller or larger. */
export function renderingScale(before: Size, params: SizeRequest): number {
  const { scaled } = planResize(before, { ...inPixels(params), enlarge: true });
  return Math.max(scaled.width / before.width, scaled.height / before.height);
}

/**
 * The resolution to record. An image with too few pixels for its print size gets a lower one.
 * @param before size before the resize
 * @param result size including everything added later
 */
export function resolutionOf(params: SizeRequest, before: Size, result: Size): Resolution {
  if (params.print_width === undefined && params.print_height === undefined) return { dpi: params.dpi, warnings: [] };
  const plan = planResize(before, inPixels(params));
  const wanted = planResize(before, { ...inPixels(params), enlarge: true });
  const enough = plan.canvas.width >= wanted.canvas.width && plan.canvas.height >= wanted.canvas.height;
  if (enough) return { dpi: params.dpi ?? DEFAULT_DPI, warnings: [] };
  return { dpi: printResolution(result, params), warnings: ['print_resolution_low'] };
}

/** @throws Failure `conflicting_parameters` for a size in pixels and in millimetres */
export function checkResize(params: Pick<SizeRequest, 'width' | 'height' | 'percent' | keyof PrintParams>): void {
  const print =
    params.print_width !== undefined ? 'print_width' : params.print_height !== undefined ? 'print_height' : undefined;
  const pixels = (['width', 'height', 'percent'] as const).find((name) => params[name] !== undefined);
  if (print && pixels) throw conflictingParameters(print, `Expected ${print} without ${pixels} but received both.`);
}

/** The resize parameters in pixels of the result: print sizes are converted, and the device pixel ratio is applied. */
export function inPixels(params: SizeRequest): ResizeParams {
  const { width, height, max_width, max_height, dpr = 1 } = params;
  const onDevice = (pixels: number | undefined) => (pixels === undefined ? undefined : atLeastOne(pixels * dpr));
  return {
    ...params,
    ...{ width: onDevice(width), height: onDevice(height) },
    ...{ max_width: onDevice(max_width), max_height: onDevice(max_height) },
    ...printPixels(params, params.dpi ?? DEFAULT_DPI),
    // A print keeps its size in millimetres: with too few pixels it has a lower resolution, not an empty margin.
    shrinksCanvas: params.print_width !== undefined || params.print_height !== undefined,
  };
}

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
    case 'contain': {
      const factor = Math.min(horizontal, vertical);
      const excess = params.shrinksCanvas && !enlarge ? Math.max(1, factor) : 1;
      const canvas = { width: atLeastOne(width / excess), height: atLeastOne(height / excess) };
      return { ...uniform(factor), canvas };
    }
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
 * @param focus where it is cropped; default: the centre
 */
export function resizeImage(image: Image, source: Size, { factors, scaled, canvas }: ResizePlan, focus?: Point): Image {
  const sized = scaleTo(image, scaled, {
    horizontal: (factors.horizontal * source.width) / image.width,
    vertical: (factors.vertical * source.height) / image.height,
  });
  const covered = canvas.width < scaled.width || canvas.height < scaled.height;
  return covered ? cropAround(sized, canvas, focus) : sized;
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
