import { invalidParameter } from '../../base/failure.ts';
import type { Image } from '../../codecs/vips.ts';
import { type Box, parseBox, parseRatio } from '../operations/parse-parameters.ts';
import type { Size } from './step.ts';

export interface CropParams {
  crop?: string | undefined;
  crop_ratio?: string | undefined;
  crop_gravity: 'centre' | 'attention';
}

/**
 * The area of `crop`, which must be inside the image.
 * @throws Failure `invalid_parameter`
 */
export function cropArea({ width, height }: Size, crop: string): Box {
  const area = parseBox(crop);
  if (area.x + area.width > width || area.y + area.height > height) {
    throw invalidParameter(`a box inside the ${width} x ${height} picture`, 'crop', crop);
  }
  return area;
}

/** The largest size with the given aspect ratio inside an image, at least one pixel in each direction. */
export function ratioSize({ width, height }: Size, ratio: number): Size {
  return width > height * ratio
    ? { width: Math.max(1, Math.round(height * ratio)), height }
    : { width, height: Math.max(1, Math.round(width / ratio)) };
}

/** Crops to the box first, then to the aspect ratio inside it. */
export function crop(image: Image, params: CropParams): Image {
  const cut = params.crop === undefined ? image : cutOut(image, cropArea(image, params.crop));
  if (params.crop_ratio === undefined) return cut;
  const { width, height } = ratioSize(cut, parseRatio(params.crop_ratio));
  if (width === cut.width && height === cut.height) return cut;
  if (params.crop_gravity === 'attention') return cut.smartcrop(width, height, { interesting: 'attention' });
  return cropCentre(cut, { width, height });
}

const cutOut = (image: Image, { x, y, width, height }: Box) => image.crop(x, y, width, height);

/** Crops the centre of an image. If it cannot be exact, the half pixel is rounded as in sharp. */
export function cropCentre(image: Image, { width, height }: Size): Image {
  const middle = (outer: number, inner: number) => Math.floor((outer - inner + 1) / 2);
  return image.crop(middle(image.width, width), middle(image.height, height), width, height);
}
