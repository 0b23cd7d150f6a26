/** Geometry of areas of an image. Areas always have whole pixels, lie within the image and are never empty. */
import { ARROWS } from '../arrows.ts';
import type { Box, Point, Size } from '../image.ts';

/** The handles of an area, named by compass directions. */
export const HANDLES = ['nw', 'n', 'ne', 'e', 'se', 's', 'sw', 'w'] as const;
export type Handle = (typeof HANDLES)[number];

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(value, most));
const wholeNumber = (value: number, least: number, most: number): number => clamp(Math.round(value), least, most);

/** Returns the nearest area that lies within the image. */
export function clampToImage(box: Box, image: Size): Box {
  const width = wholeNumber(box.width, 1, image.width);
  const height = wholeNumber(box.height, 1, image.height);
  return {
    x: wholeNumber(box.x, 0, image.width - width),
    y: wholeNumber(box.y, 0, image.height - height),
    width,
    height,
  };
}

export const moveArea = (box: Box, right: number, down: number, image: Size): Box =>
  clampToImage({ ...box, x: box.x + right, y: box.y + down }, image);

/**
 * Returns the area between a fixed corner and a point.
 * @param ratio aspect ratio to keep, as width divided by height, as closely as whole pixels allow
 */
export function areaBetween(corner: Point, to: Point, image: Size, ratio?: number): Box {
  const x = wholeNumber(corner.x, 0, image.width);
  const y = wholeNumber(corner.y, 0, image.height);
  // At the edge of the image, the area can only extend to one side.
  const toLeft = (to.x < x && x > 0) || x === image.width;
  const toTop = (to.y < y && y > 0) || y === image.height;
  const room = { width: toLeft ? x : image.width - x, height: toTop ? y : image.height - y };
  const wanted = {
    width: Math.abs(clamp(to.x, 0, image.width) - x),
    height: Math.abs(clamp(to.y, 0, image.height) - y),
  };
  const { width, height } = fitRatio(wanted, room, ratio);
  return { x: toLeft ? x - width : x, y: toTop ? y - height : y, width, height };
}

/** Returns the smallest size of the ratio that contains the wanted size, limited by the available space. */
function fitRatio(wanted: Size, room: Size, ratio: number | undefined): Size {
  const width =
    ratio === undefined ? wanted.width : Math.min(Math.max(wanted.width, wanted.height * ratio), room.height * ratio);
  const across = wholeNumber(width, 1, room.width);
  return { width: across, height: wholeNumber(ratio === undefined ? wanted.height : across / ratio, 1, room.height) };
}

/** Returns the area after dragging a handle to a point. Dragging past the opposite side mirrors the area. */
export function resized(box: Box, handle: Handle, to: Point, image: Size, ratio?: number): Box {
  const opposite = {
    x: handle.includes('w') ? box.x + box.width : box.x,
    y: handle.includes('n') ? box.y + box.height : box.y,
  };
  if (handle.length === 2) return areaBetween(opposite, to, image, ratio);
  const isAcross = handle === 'e' || handle === 'w';
  if (ratio !== undefined) return resizeSide(box, isAcross, opposite, to, image, ratio);
  return isAcross
    ? { ...areaBetween(opposite, { x: to.x, y: opposite.y }, image), y: box.y, height: box.height }
    : { ...areaBetween(opposite, { x: opposite.x, y: to.y }, image), x: box.x, width: box.width };
}

/** Resizes by the handle of a side. The other axis follows the ratio and stays centred if there is space. */
function resizeSide(box: Box, isAcross: boolean, opposite: Point, to: Point, image: Size, ratio: number): Box {
  const wanted = isAcross ? Math.abs(to.x - opposite.x) : Math.abs(to.y - opposite.y) * ratio;
  const toLeft = isAcross && to.x < opposite.x;
  const toTop = !isAcross && to.y < opposite.y;
  const room = {
    width: isAcross ? (toLeft ? opposite.x : image.width - opposite.x) : image.width,
    height: isAcross ? image.height : toTop ? opposite.y : image.height - opposite.y,
  };
  const { width, height } = fitRatio({ width: wanted, height: 0 }, room, ratio);
  const x = isAcross ? opposite.x - (toLeft ? width : 0) : box.x + (box.width - width) / 2;
  const y = isAcross ? box.y + (box.height - height) / 2 : opposite.y - (toTop ? height : 0);
  return clampToImage({ x, y, width, height }, image);
}

/** Returns the largest area of a ratio, centred in the image. */
export const largestArea = (image: Size, ratio: number): Box =>
  changeRatio({ x: 0, y: 0, width: image.width, height: image.height }, image, ratio);

/** Returns the largest area of a ratio, centred in another area. */
export function changeRatio(box: Box, image: Size, ratio: number): Box {
  const { width, height } = fitRatio({ width: Math.min(box.width, box.height * ratio), height: 0 }, image, ratio);
  return clampToImage(
    { x: box.x + (box.width - width) / 2, y: box.y + (box.height - height) / 2, width, height },
    image,
  );
}

/** Returns whether the size has the ratio, as closely as whole pixels allow. */
export const hasRatio = ({ width, height }: Size, ratio: number): boolean =>
  Math.abs(width - height * ratio) <= Math.max(1, ratio);

/** Returns the initial area for a user who does not draw one. */
export const firstArea = ({ width, height }: Size): Box =>
  clampToImage({ x: width / 4, y: height / 4, width: width / 2, height: height / 2 }, { width, height });

/** Changes one number of the area, as typed in a field. With a ratio, the other side follows and the corner stays. */
export function withNumber(box: Box, name: keyof Box, value: number, image: Size, ratio?: number): Box {
  if (name === 'x' || name === 'y') return clampToImage({ ...box, [name]: value }, image);
  const to = { x: box.x + box.width, y: box.y + box.height };
  if (ratio === undefined) {
    const room = name === 'width' ? image.width - box.x : image.height - box.y;
    return { ...box, [name]: wholeNumber(value, 1, room) };
  }
  const width = name === 'width' ? value : value * ratio;
  return areaBetween(box, { x: box.x + width, y: Math.min(to.y, box.y + width / ratio) }, image, ratio);
}

/** Returns the distance of one key press. It scales with the image, so that the movement is visible at any size. */
const keyStep = ({ width, height }: Size): number => Math.max(1, Math.round(Math.max(width, height) / 200));

/**
 * Returns the area after an arrow key. The key moves the area, or with Shift its right or bottom side. Undefined for
 * other keys.
 */
export function areaAfterKey(
  box: Box,
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
  image: Size,
  ratio?: number,
): Box | undefined {
  const arrow = ARROWS[key];
  if (!arrow) return undefined;
  const step = keyStep(image);
  if (!shiftKey) return moveArea(box, arrow.x * step, arrow.y * step, image);
  const name = arrow.x === 0 ? 'height' : 'width';
  return withNumber(box, name, Math.max(1, box[name] + (arrow.x + arrow.y) * step), image, ratio);
}

/** Returns the smallest box that contains a point, so that a box within another one can be selected. */
export function boxAt(boxes: readonly Box[], { x, y }: Point): number | undefined {
  let found: number | undefined;
  for (const [index, box] of boxes.entries()) {
    if (x < box.x || y < box.y || x >= box.x + box.width || y >= box.y + box.height) continue;
    if (found === undefined || area(box) <= area(boxes[found]!)) found = index;
  }
  return found;
}

const area = ({ width, height }: Size): number => width * height;

/** Returns the outlines of many boxes as one SVG path, because a page can have 2,000 words. */
export const outlines = (boxes: readonly Box[]): string =>
  boxes.map(({ x, y, width, height }) => `M${x} ${y}h${width}v${height}h${-width}z`).join('');

/** Returns the position of the area on the image, for CSS. */
export function toCssPosition({ x, y, width, height }: Box, image: Size) {
  const percent = (part: number, whole: number) => `${(part / whole) * 100}%`;
  return {
    left: percent(x, image.width),
    top: percent(y, image.height),
    width: percent(width, image.width),
    height: percent(height, image.height),
  };
}
