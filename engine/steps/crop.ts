import { invalidParameter } from '../../base/failure.ts';
import type { Box, Point, Size } from '../../base/geometry.ts';
import { withAlpha } from '../../codecs/colour.ts';
import { mapFrames } from '../../codecs/decoded-image.ts';
import type { Image } from '../../codecs/vips.ts';
import { conflictingParameters } from '../operations/errors.ts';
import { type Focus, parseBox, parseFocus, parseRatio } from '../operations/parse-parameters.ts';
import { cutAround, focusModels } from './focus.ts';
import {
  areaOf,
  defineStep,
  isSameSize,
  paint,
  type StepContext,
  type StepDefinition,
  sameSize,
  unlessSame,
} from './step.ts';

export interface CropParams {
  crop?: string | undefined;
  crop_ratio?: string | undefined;
  crop_gravity: 'centre' | 'attention';
  focus?: string | undefined;
}

export const crop = defineStep({
  label: { name: 'Crop', hint: 'Cut to an area, a ratio or a circle.', group: 'Size and shape', place: 2 },
  params: ({ z, box, ratio, focus, described }) => ({
    crop: described(
      box().optional(),
      'x,y,width,height in pixels of the image as displayed; applied before flip and rotate.',
      '10,20,300,200',
    ),
    crop_ratio: described(ratio().optional(), 'Crop to this shape.', '16:9'),
    crop_gravity: described(
      z.enum(['centre', 'attention']).default('centre'),
      'Where a ratio crop is taken; attention places it on the subject.',
      'attention',
    ),
    focus: described(
      focus().optional(),
      'What a cut to a ratio or by fit=cover keeps: faces (uses a model and counts as an AI request), or a place x,y in fractions of the image that is cut.',
      '0.5,0.2',
    ),
    crop_shape: described(
      z.enum(['rect', 'circle']).default('rect'),
      'circle clears everything outside the ellipse.',
      'circle',
    ),
  }),
  check: (params) => checkCrop(params),
  needsOneOf: ['crop', 'crop_ratio', 'crop_shape'],
  effect(params, before) {
    const { size, changes } = unlessSame(croppedSize(before, params), before);
    return { size, changes: changes || params.crop_shape === 'circle' };
  },
  apply(image, params, context) {
    const [{ width, height }] = image.frames;
    const area = params.crop === undefined ? wholeOf({ width, height }) : cropArea({ width, height }, params.crop);
    const focus = usedFocus(params);
    const inArea = focus && focus !== 'faces' ? placeInside({ width, height }, area, focus) : focus;
    return cutAround(
      mapFrames(image, (frame) => cutOut(frame, area)),
      inArea,
      context,
      (frame, place) => {
        const cut = cropToRatio(frame, params, place);
        return params.crop_shape === 'circle' ? drawCircle(cut, paint(context)) : cut;
      },
    );
  },
  models: (params) => focusModels(usedFocus(params)),
  changesPixels: (params, before, after) => params.crop_shape === 'circle' || !isSameSize(before, after),
  onCoefficients(params, before, after) {
    if (params.crop_shape === 'circle') return undefined;
    const area = params.crop === undefined ? undefined : cropArea(before, params.crop);
    // A ratio that cuts more than the box needs the pixels: the place of its cut may depend on them.
    return isSameSize(area ?? before, after) ? { area } : undefined;
  },
  shownArea(params, before) {
    const area = params.crop === undefined ? wholeOf(before) : cropArea(before, params.crop);
    const focus = usedFocus(params);
    if (params.crop_ratio === undefined) return area;
    if (params.crop_gravity === 'attention' || focus === 'faces') return undefined;
    const size = ratioSize(area, parseRatio(params.crop_ratio));
    const inside = areaAround(area, size, focus && placeInside(before, area, focus));
    return { ...inside, x: area.x + inside.x, y: area.y + inside.y };
  },
  readsTwice: ({ crop_ratio, crop_gravity }) => crop_ratio !== undefined && crop_gravity === 'attention',
  // A box is given in pixels of the image at its own size.
  keepsVector: (params) => params.crop === undefined && params.crop_shape === 'rect',
  keepsColours: (params) => params.crop_shape === 'rect',
  canAddTransparency: ({ crop_shape }) => crop_shape === 'circle',
  visible: (_params, before, after) => ({ kept: areaOf(after) / areaOf(before) }),
});

/** The circle of compress, which comes after the adjustments. */
export const circle: StepDefinition<{ crop_shape: 'rect' | 'circle' }> = {
  effect: ({ crop_shape }, before) => sameSize(before, crop_shape === 'circle'),
  apply: (image, _params, context) => mapFrames(image, (frame) => drawCircle(frame, paint(context))),
  canAddTransparency: true,
};

/** The focus of a cut to a ratio; undefined if there is none. */
const usedFocus = ({ crop_ratio, focus }: Pick<CropParams, 'crop_ratio' | 'focus'>): Focus | undefined =>
  crop_ratio === undefined || focus === undefined ? undefined : parseFocus(focus);

/** @throws Failure `invalid_parameter` for a ratio with a side of 0, `conflicting_parameters` for two ways to place it */
export function checkCrop({ crop_ratio, crop_gravity, focus }: Omit<CropParams, 'crop'>): void {
  if (focus !== undefined && crop_gravity !== 'centre')
    throw conflictingParameters('focus', `Expected focus without crop_gravity=${crop_gravity} but received both.`);
  if (crop_ratio === undefined) return;
  const ratio = parseRatio(crop_ratio);
  if (!(ratio > 0 && Number.isFinite(ratio)))
    throw invalidParameter('two positive numbers, as in 16:9,', 'crop_ratio', crop_ratio);
}

/**
 * The area of `crop`, which must be inside the image.
 * @throws Failure `invalid_parameter`
 */
export function cropArea({ width, height }: Size, crop: string): Box {
  const area = parseBox(crop);
  if (area.x + area.width > width || area.y + area.height > height) {
    throw invalidParameter(`a box inside the ${width} x ${height} image`, 'crop', crop);
  }
  return area;
}

/** The largest size with the given aspect ratio inside an image, at least one pixel in each direction. */
export const ratioSize = ({ width, height }: Size, ratio: number): Size =>
  width > height * ratio
    ? { width: Math.max(1, Math.round(height * ratio)), height }
    : { width, height: Math.max(1, Math.round(width / ratio)) };

/** The size after crop. @throws Failure `invalid_parameter` if the box is outside the image */
function croppedSize(source: Size, params: Pick<CropParams, 'crop' | 'crop_ratio'>): Size {
  const cut = params.crop === undefined ? source : cropArea(source, params.crop);
  return params.crop_ratio === undefined ? cut : ratioSize(cut, parseRatio(params.crop_ratio));
}

/** The whole of an image as an area. */
export const wholeOf = ({ width, height }: Size): Box => ({ x: 0, y: 0, width, height });

/** Cuts an area out of an image; the whole image stays as it is. */
export const cutOut = (image: Image, { x, y, width, height }: Box): Image =>
  isSameSize(image, { width, height }) ? image : image.crop(x, y, width, height);

/** A place of an image as one of an area of it. It may be outside. */
const placeInside = ({ width, height }: Size, area: Box, { x, y }: Point): Point => ({
  x: (x * width - area.x) / area.width,
  y: (y * height - area.y) / area.height,
});

function cropToRatio(image: Image, { crop_ratio, crop_gravity }: CropParams, focus: Point | undefined): Image {
  if (crop_ratio === undefined) return image;
  const { width, height } = ratioSize(image, parseRatio(crop_ratio));
  if (width === image.width && height === image.height) return image;
  if (crop_gravity === 'attention') return image.smartcrop(width, height, { interesting: 'attention' });
  return cropAround(image, { width, height }, focus);
}

const CENTRE: Point = { x: 0.5, y: 0.5 };

/** Crops an image with `focus` as near to the middle as possible. */
export function cropAround(image: Image, size: Size, focus?: Point): Image {
  const { x, y, width, height } = areaAround(image, size, focus);
  return image.crop(x, y, width, height);
}

/** An area of the size with `focus` as near to its middle as possible. The half pixel is rounded as in sharp. */
export function areaAround(outer: Size, { width, height }: Size, { x, y }: Point = CENTRE): Box {
  const start = (whole: number, part: number, middle: number) =>
    Math.min(whole - part, Math.max(0, Math.floor(whole * middle - part / 2 + 0.5)));
  return { x: start(outer.width, width, x), y: start(outer.height, height, y), width, height };
}

/** Clears everything outside the ellipse that touches the four sides, with a soft edge one pixel wide. */
function drawCircle(image: Image, { vips }: Pick<StepContext, 'vips'>): Image {
  const { width, height } = image;
  const mask = new Uint8Array(width * height);
  const radiusX = width / 2;
  const radiusY = height / 2;
  const nearEdge = 4 / Math.min(radiusX, radiusY);
  for (let y = 0; y < height; y += 1) {
    const dy = (y + 0.5 - radiusY) / radiusY;
    for (let x = 0; x < width; x += 1) {
      const dx = (x + 0.5 - radiusX) / radiusX;
      const squared = dx * dx + dy * dy;
      // Compute the distance only for pixels near the edge.
      if (Math.abs(squared - 1) > nearEdge) {
        mask[y * width + x] = squared < 1 ? 255 : 0;
        continue;
      }
      // First-order distance to the ellipse by its gradient (Taubin 1994): accurate enough for an edge of one pixel.
      const gradient = 2 * Math.hypot(dx / radiusX, dy / radiusY);
      const distance = gradient === 0 ? -Infinity : (squared - 1) / gradient;
      mask[y * width + x] = 255 * Math.min(1, Math.max(0, 0.5 - distance));
    }
  }
  const coverage = vips.Image.newFromMemory(mask, width, height, 1, vips.BandFormat.uchar);
  const clear = withAlpha(image);
  const alpha = clear
    .extractBand(clear.bands - 1)
    .multiply(coverage)
    .divide(255)
    .cast(image.format);
  return clear
    .extractBand(0, { n: clear.bands - 1 })
    .bandjoin(alpha)
    .copy({ interpretation: image.interpretation });
}
