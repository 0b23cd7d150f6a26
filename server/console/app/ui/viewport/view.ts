/** Where a picture lies in the pane that shows it. */
export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** The top left corner of the picture in its pane; one pixel of the picture is `scale` pixels of the page. */
export interface View extends Point {
  scale: number;
}

/** What a view depends on. */
export interface Frame {
  picture: Size;
  pane: Size;
  /** Pixels of the screen in one of the page. */
  density: number;
}

/** So many pixels of the screen for one of the picture, at most. */
const CLOSEST = 16;
/** From twice its size on a picture shows its pixels: blurred ones would hide what was done to them. */
const PIXELS_SEEN = 2;

/** The scale that shows the whole picture, but none of its pixels larger than one of the screen. */
export function fittingScale({ picture, pane, density }: Frame): number {
  return Math.min(pane.width / picture.width, pane.height / picture.height, 1 / density);
}

export function fitted(frame: Frame): View {
  return within({ scale: fittingScale(frame), x: 0, y: 0 }, frame);
}

/** Never smaller than the whole picture in its pane; the point `at` of the pane stays where it is. */
export function scaled(view: View, scale: number, at: Point, frame: Frame): View {
  const least = fittingScale(frame);
  const most = Math.max(least, CLOSEST / frame.density);
  const next = Math.min(most, Math.max(least, scale));
  const factor = next / view.scale;
  return within({ scale: next, x: at.x - (at.x - view.x) * factor, y: at.y - (at.y - view.y) * factor }, frame);
}

export function moved(view: View, across: number, down: number, frame: Frame): View {
  return within({ ...view, x: view.x + across, y: view.y + down }, frame);
}

/** The same part of the picture in a pane of another size; the whole picture where it was whole. */
export function refitted(view: View, before: Frame, after: Frame): View {
  if (isWhole(view, before)) return fitted(after);
  const across = (after.pane.width - before.pane.width) / 2;
  const down = (after.pane.height - before.pane.height) / 2;
  const middle = { x: after.pane.width / 2, y: after.pane.height / 2 };
  return scaled({ ...view, x: view.x + across, y: view.y + down }, view.scale, middle, after);
}

/** Whether all of the picture is seen, so that there is nothing to move. */
export function isWhole({ scale }: View, { picture, pane }: Pick<Frame, 'picture' | 'pane'>): boolean {
  // Half a pixel: scales are fractions.
  return picture.width * scale <= pane.width + 0.5 && picture.height * scale <= pane.height + 0.5;
}

/** @param scale of this picture */
export const showsPixels = (scale: number, density: number): boolean => scale * density > PIXELS_SEEN;

/** The point of the picture that is seen at a point of its pane. */
export function pictureAt({ scale, x, y }: View, at: Point): Point {
  return { x: (at.x - x) / scale, y: (at.y - y) / scale };
}

/** No edge of the picture comes further in than the pane's; where it is smaller than the pane it is in the middle. */
function within({ scale, x, y }: View, { picture, pane }: Frame): View {
  const along = (start: number, length: number, room: number) =>
    length <= room ? (room - length) / 2 : Math.min(0, Math.max(room - length, start));
  return {
    scale,
    x: along(x, picture.width * scale, pane.width),
    y: along(y, picture.height * scale, pane.height),
  };
}
