/** Plans the steps of compress that change the shape of an image, before any pixel is decoded. */

import { largestShrink, type Shrink } from '../../../codecs/shrink.ts';
import { cropArea, ratioSize } from '../../steps/crop.ts';
import { DEFAULT_DPI, type PrintParams, printPixels } from '../../steps/print.ts';
import { planResize, type ResizeParams, type ResizePlan } from '../../steps/resize.ts';
import type { Size } from '../../steps/step.ts';
import { parseRatio } from '../parse-parameters.ts';
import type { CompressParams } from './params.ts';

/**
 * The size after crop.
 * @throws Failure `invalid_parameter` if the box is outside the image
 */
export function croppedSize(source: Size, params: Pick<CompressParams, 'crop' | 'crop_ratio'>): Size {
  const cut = params.crop === undefined ? source : cropArea(source, params.crop);
  return params.crop_ratio === undefined ? cut : ratioSize(cut, parseRatio(params.crop_ratio));
}

/** The size after rotation: exact for quarter turns, within a pixel for other angles. */
function rotatedSize({ width, height }: Size, degrees: number): Size {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  return { width: Math.round(width * cos + height * sin), height: Math.round(width * sin + height * cos) };
}

export interface SizeRequest extends ResizeParams, PrintParams {
  dpi?: number | undefined;
}

/** The resize parameters with print sizes converted to pixels. */
export function resizeParams(params: SizeRequest): ResizeParams {
  return { ...params, ...printPixels(params, params.dpi ?? DEFAULT_DPI) };
}

export interface Geometry {
  /** Size before resize. */
  turned: Size;
  plan: ResizePlan;
  /** Size with the border. */
  result: Size;
}

/** @throws Failure `invalid_parameter` if the crop is outside the image */
export function planGeometry(source: Size, params: CompressParams): Geometry {
  const turned = rotatedSize(croppedSize(source, params), params.rotate);
  const plan = planResize(turned, resizeParams(params));
  const { width, height } = plan.canvas;
  return { turned, plan, result: { width: width + 2 * params.border, height: height + 2 * params.border } };
}

/** How much a decoder may shrink an image, if it can. */
export interface DecodedSize {
  /** The factor by which it may shrink the image without going below the final size. */
  shrink: Shrink;
  /** The final size, of the upright image. */
  size: Size | undefined;
}

export const FULL_SIZE: DecodedSize = { shrink: 1, size: undefined };

/** The part of a resize step that a decoder may do. @param turned whether quarter turns come before the resize */
export function sizeBefore(before: Size, { scaled }: ResizePlan, turned: boolean): DecodedSize {
  const ratio = Math.min(before.width / scaled.width, before.height / scaled.height);
  const isResized = before.width !== scaled.width || before.height !== scaled.height;
  if (ratio < 1 || !isResized) return FULL_SIZE;
  return {
    shrink: largestShrink(ratio),
    size: turned ? { width: scaled.height, height: scaled.width } : scaled,
  };
}

export function decodedSize({ turned, plan }: Geometry, params: CompressParams): DecodedSize {
  // A crop is given in pixels of the whole image, and rotating by other angles would blur an image that was shrunk
  // before.
  if (params.crop !== undefined || params.crop_ratio !== undefined || params.rotate % 90 !== 0) return FULL_SIZE;
  return sizeBefore(turned, plan, params.rotate % 180 !== 0);
}
