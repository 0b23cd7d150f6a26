/** Geometry of an image in the pane that shows it. */
import type { Point, Size } from '../image.ts';

/** Position of the image's top left corner in its pane. One pixel of the image is `scale` pixels of the page. */
export interface View extends Point {
  scale: number;
}

/** The sizes that a view depends on. */
export interface Frame {
  image: Size;
  pane: Size;
  /** Screen pixels per pixel of the page. */
  density: number;
}

/** Maximum of screen pixels per image pixel. */
const MAX_SCREEN_PIXELS_PER_PIXEL = 16;
/** Above this magnification, pixels are drawn sharp. Smoothing would hide the changes to compare. */
const MIN_PIXELATED_SCALE = 2;

/** Returns the scale that fits the whole image, without enlarging its pixels beyond screen pixels. */
export const fittingScale = ({ image, pane, density }: Frame): number =>
  Math.min(pane.width / image.width, pane.height / image.height, 1 / density);

export const fitted = (frame: Frame): View => clampView({ scale: fittingScale(frame), x: 0, y: 0 }, frame);

/** Zooms and keeps the point `at` of the pane in place. Never gets smaller than the fitted image. */
export function scaled(view: View, scale: number, at: Point, frame: Frame): View {
  const least = fittingScale(frame);
  const most = Math.max(least, MAX_SCREEN_PIXELS_PER_PIXEL / frame.density);
  const next = Math.min(most, Math.max(least, scale));
  const factor = next / view.scale;
  return clampView({ scale: next, x: at.x - (at.x - view.x) * factor, y: at.y - (at.y - view.y) * factor }, frame);
}

export const pan = (view: View, across: number, down: number, frame: Frame): View =>
  clampView({ ...view, x: view.x + across, y: view.y + down }, frame);

/** Keeps the visible part of the image when the pane is resized. An image that was wholly visible stays so. */
export function resizePane(view: View, before: Frame, after: Frame): View {
  if (isWhole(view, before)) return fitted(after);
  const across = (after.pane.width - before.pane.width) / 2;
  const down = (after.pane.height - before.pane.height) / 2;
  const middle = { x: after.pane.width / 2, y: after.pane.height / 2 };
  return scaled({ ...view, x: view.x + across, y: view.y + down }, view.scale, middle, after);
}

/** Returns whether the whole image is visible, so that there is nothing to pan. */
export function isWhole({ scale }: View, { image, pane }: Pick<Frame, 'image' | 'pane'>): boolean {
  // Half a pixel of tolerance, because scales are fractions.
  return image.width * scale <= pane.width + 0.5 && image.height * scale <= pane.height + 0.5;
}

/** @param scale of this image */
export const showsPixels = (scale: number, density: number): boolean => scale * density > MIN_PIXELATED_SCALE;

/** Returns the point of the image at a point of its pane. */
export const imagePointAt = ({ scale, x, y }: View, at: Point): Point => ({
  x: (at.x - x) / scale,
  y: (at.y - y) / scale,
});

/** Keeps the edges of the image outside the pane. An image smaller than the pane is centred. */
function clampView({ scale, x, y }: View, { image, pane }: Frame): View {
  const along = (start: number, length: number, room: number) =>
    length <= room ? (room - length) / 2 : Math.min(0, Math.max(room - length, start));
  return {
    scale,
    x: along(x, image.width * scale, pane.width),
    y: along(y, image.height * scale, pane.height),
  };
}
