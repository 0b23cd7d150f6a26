/** Which part of a picture becomes the photo, planned on numbers before any pixel is decoded. */
import type { Size } from '../../steps/step.ts';
import type { Box } from '../notations.ts';

const wholeOf = ({ width, height }: Size): Box => ({ x: 0, y: 0, width, height });

/**
 * The largest part of the crop, in its middle, that has the photo's shape. Its sides are whole pixels, so that one of
 * them may be up to a pixel too long; what that is too much is cut off after scaling, and nothing is stretched.
 * @param crop inside the picture; all of it when undefined
 */
export function photoArea(picture: Size, photo: Size, crop: Box | undefined): Box {
  const cut = crop ?? wholeOf(picture);
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

/** How much larger the area becomes in the photo; below 1 it becomes smaller. */
export function magnification(area: Size, photo: Size): number {
  return Math.max(photo.width / area.width, photo.height / area.height);
}

/** The same part of a picture that is drawn at another size. */
export function scaledArea({ x, y, width, height }: Box, from: Size, to: Size): Box {
  const across = (pixels: number) => Math.round((pixels * to.width) / from.width);
  const down = (pixels: number) => Math.round((pixels * to.height) / from.height);
  return { x: across(x), y: down(y), width: across(x + width) - across(x), height: down(y + height) - down(y) };
}
