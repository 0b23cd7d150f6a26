/** Plans which part of an image becomes the photo, before any pixel is decoded. */
import type { Box, Size } from '../../../base/geometry.ts';

const wholeOf = ({ width, height }: Size): Box => ({ x: 0, y: 0, width, height });

/**
 * The largest centred part of the crop that has the photo's aspect ratio. Its sides are whole pixels, so one of them
 * may be up to a pixel too long. The excess is cut off after scaling; nothing is stretched.
 * @param crop inside the image; undefined for the whole image
 */
export function photoArea(image: Size, photo: Size, crop: Box | undefined): Box {
  const cut = crop ?? wholeOf(image);
  const sides = {
    width: Math.min(cut.width, Math.ceil((cut.height * photo.width) / photo.height)),
    height: Math.min(cut.height, Math.ceil((cut.width * photo.height) / photo.width)),
  };
  return {
    x: cut.x + Math.floor((cut.width - sides.width) / 2),
    y: cut.y + Math.floor((cut.height - sides.height) / 2),
    ...sides,
  };
}

/** Scale factor from the area to the photo; below 1 it shrinks. */
export const magnification = (area: Size, photo: Size): number =>
  Math.max(photo.width / area.width, photo.height / area.height);

/** The same part of an image that is rendered at another size. */
export function scaledArea({ x, y, width, height }: Box, from: Size, to: Size): Box {
  const across = (pixels: number) => Math.round((pixels * to.width) / from.width);
  const down = (pixels: number) => Math.round((pixels * to.height) / from.height);
  return { x: across(x), y: down(y), width: across(x + width) - across(x), height: down(y + height) - down(y) };
}
