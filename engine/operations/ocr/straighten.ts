/** Transforms the displayed image to the one that is read, upright and of the right size, and its boxes back. */
import type { Box } from '../../../base/geometry.ts';
import type { VipsApi } from '../../../codecs/vips.ts';
import type { GreyImage } from '../../../models/text.ts';

/** Rotation of a page, in degrees clockwise. */
export const TURNS = [0, 90, 180, 270] as const;
export type Turn = (typeof TURNS)[number];

export interface Placement {
  turn: Turn;
  /** Degrees by which the lines fall to the right once the turn is undone. */
  tilt: number;
  /** Size of the read image relative to the displayed image. */
  scale: number;
}

export interface Straightened {
  image: GreyImage;
  /** The smallest box of the displayed image that contains a box of the straightened image. */
  toDisplayed(box: Box): Box;
}

/** Tesseract misses letters at the very edge, so add a margin. */
const MARGIN = 16;
const WHITE = [255];

/** @param area part of the image to read; the whole image by default */
export function straighten(
  vips: VipsApi,
  image: GreyImage,
  { turn, tilt, scale }: Placement,
  area: Box = { x: 0, y: 0, width: image.width, height: image.height },
): Straightened {
  const whole = vips.Image.newFromMemory(image.data, image.width, image.height, 1, vips.BandFormat.uchar).copy({
    interpretation: 'b-w',
  });
  const cut =
    area.width === image.width && area.height === image.height
      ? whole
      : whole.extractArea(area.x, area.y, area.width, area.height);
  const upright = turn === 0 ? cut : cut.rot(turn === 90 ? 'd270' : turn === 180 ? 'd180' : 'd90');
  const sized = scale === 1 ? upright : upright.resize(scale, { kernel: scale > 1 ? 'cubic' : 'lanczos3' });
  const radians = (-tilt * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  // Its origin is the top left corner of `sized`; it may extend to the left of it and above it.
  const level =
    tilt === 0
      ? sized
      : sized.affine([cos, -sin, sin, cos], {
          interpolate: vips.Interpolate.newFromName('bicubic'),
          background: WHITE,
        });
  const framed = level.embed(MARGIN, MARGIN, level.width + 2 * MARGIN, level.height + 2 * MARGIN, {
    extend: 'background',
    background: WHITE,
  });
  const straightened = { data: framed.writeToMemory() as Uint8Array, width: framed.width, height: framed.height };
  const corners = [
    [0, 0],
    [sized.width, 0],
    [0, sized.height],
    [sized.width, sized.height],
  ] as const;
  const originX = tilt === 0 ? 0 : Math.floor(Math.min(...corners.map(([x, y]) => cos * x - sin * y)));
  const originY = tilt === 0 ? 0 : Math.floor(Math.min(...corners.map(([x, y]) => sin * x + cos * y)));
  const scaleX = sized.width / upright.width;
  const scaleY = sized.height / upright.height;

  const point = (x: number, y: number): [number, number] => {
    const [levelX, levelY] = [x - MARGIN + originX, y - MARGIN + originY];
    const [u, v] = [(cos * levelX + sin * levelY) / scaleX, (-sin * levelX + cos * levelY) / scaleY];
    switch (turn) {
      case 0:
        return [area.x + u, area.y + v];
      case 90:
        return [area.x + area.width - v, area.y + u];
      case 180:
        return [area.x + area.width - u, area.y + area.height - v];
      case 270:
        return [area.x + v, area.y + area.height - u];
    }
  };
  return {
    image: straightened,
    toDisplayed({ x, y, width, height }) {
      const points = [point(x, y), point(x + width, y), point(x, y + height), point(x + width, y + height)];
      const [xs, ys] = [points.map(([px]) => px), points.map(([, py]) => py)];
      return within(image, Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
    },
  };
}

/** The box in whole pixels, at least one in each direction, inside the image. */
function within({ width, height }: GreyImage, left: number, top: number, right: number, bottom: number): Box {
  const x = Math.min(width - 1, Math.max(0, Math.round(left)));
  const y = Math.min(height - 1, Math.max(0, Math.round(top)));
  return {
    x,
    y,
    width: Math.min(width, Math.max(x + 1, Math.round(right))) - x,
    height: Math.min(height, Math.max(y + 1, Math.round(bottom))) - y,
  };
}
