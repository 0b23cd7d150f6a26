/** Which part of a picture becomes the photo, planned on numbers before any pixel is decoded. */
import { cropArea } from '../../steps/crop.ts';
import type { Size } from '../../steps/step.ts';
import type { Box } from '../parameters.ts';

/**
 * The largest part of the crop, in its middle, that has the photo's shape. Its sides are whole pixels, so that one of
 * them may be up to a pixel too long; what that is too much is cut off after scaling, and nothing is stretched.
 * @param crop in pixels of the picture as displayed; the whole picture when undefined
 * @throws Failure `invalid_parameter` when the crop lies outside the picture
 */
export function photoArea(picture: Size, photo: Size, crop: string | undefined): Box {
  const { width, height } = picture;
  const cut = crop === undefined ? { x: 0, y: 0, width, height } : cropArea(picture, crop);
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
