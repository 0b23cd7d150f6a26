/** Places a mark, such as a text or a logo, over an image. */
import type { Size } from '../../base/geometry.ts';
import { hasAlpha, isDeep, toRgb } from '../../codecs/colour.ts';
import type { Image } from '../../codecs/vips.ts';

export const POSITIONS = ['tl', 'tc', 'tr', 'cl', 'c', 'cr', 'bl', 'bc', 'br', 'tile'] as const;

export interface Placement {
  position: (typeof POSITIONS)[number];
  /**
   * Offset in percent of the width and the height of the image: away from the edge of the position, or to the right and
   * down where it is centred and for tiles.
   */
  x: number;
  y: number;
}

/** Distance from the edges, as a share of the shorter side of the image; gap between tiles, relative to the mark. */
const MARGIN = 0.02;
const TILE_GAP = 0.5;

const margin = ({ width, height }: Size) => Math.round(MARGIN * Math.min(width, height));

/** The area inside the margins, in which a mark must fit. */
export const availableArea = (image: Size): Size => ({
  width: Math.max(1, image.width - 2 * margin(image)),
  height: Math.max(1, image.height - 2 * margin(image)),
});

/** Size of the upright box around a mark that is rotated by `degrees`. */
export function rotatedBox({ width, height }: Size, degrees: number): Size {
  const [sine, cosine] = [Math.abs(Math.sin((degrees * Math.PI) / 180)), Math.abs(Math.cos((degrees * Math.PI) / 180))];
  return { width: width * cosine + height * sine, height: width * sine + height * cosine };
}

/**
 * Draws a mark over an image, once or as tiles.
 *
 * @param mark RGBA, 8 bits
 * @param gap distance between tiles in pixels
 * @param opacity in percent
 */
export function drawOver(image: Image, mark: Image, gap: number, opacity: number, placement: Placement): Image {
  const base = toRgb(image);
  const shown = faded(mark, opacity);
  const deep = isDeep(base) ? shown.colourspace('rgb16') : shown;
  const placed = placement.position === 'tile' ? tiled(deep, gap, base, placement) : at(deep, base, placement);
  const composed = placed ? base.composite2(placed.mark, 'over', { x: placed.x, y: placed.y }) : base;
  const bands = hasAlpha(base) ? composed : composed.extractBand(0, { n: 3 });
  return bands.cast(base.format).copy({ interpretation: base.interpretation });
}

function faded(mark: Image, opacity: number): Image {
  const alpha = mark
    .extractBand(3)
    .linear(opacity / 100, 0)
    .cast(mark.format);
  return mark.extractBand(0, { n: 3 }).bandjoin(alpha).copy({ interpretation: 'srgb' });
}

interface PlacedMark {
  mark: Image;
  x: number;
  y: number;
}

const share = (length: number, percent: number): number => Math.round((length * percent) / 100);

function at(mark: Image, image: Size, { position, x, y }: Placement): PlacedMark {
  const edge = margin(image);
  const along = (free: number, offset: number, isStart: boolean, isEnd: boolean) => {
    if (isStart) return edge + offset;
    return isEnd ? Math.max(0, free - edge) - offset : Math.round(free / 2) + offset;
  };
  const [dx, dy] = [share(image.width, x), share(image.height, y)];
  return {
    mark,
    x: along(image.width - mark.width, dx, position.endsWith('l'), position.endsWith('r')),
    y: along(image.height - mark.height, dy, position.startsWith('t'), position.startsWith('b')),
  };
}

/** Distance between tiles: half of the mark, where a long line of text counts as twice as long as high. */
export const tileGap = ({ width, height }: Size): number =>
  Math.round(TILE_GAP * Math.max(height, Math.min(width, height * 2)));

/** Repeats the mark in rows and columns of whole tiles, spread evenly. Undefined if the offset leaves no whole tile. */
function tiled(mark: Image, gap: number, image: Size, { x, y }: Placement): PlacedMark | undefined {
  const columns = spread(image.width, mark.width, gap, share(image.width, x));
  const rows = spread(image.height, mark.height, gap, share(image.height, y));
  if (columns.count < 1 || rows.count < 1) return undefined;
  const cell = mark.embed(0, 0, columns.pitch, rows.pitch, { extend: 'black' });
  return { mark: cell.replicate(columns.count, rows.count), x: columns.first, y: rows.first };
}

/** Spreads as many marks over a length as fit with their gap. An offset moves them, and drops those that would be cut. */
function spread(length: number, mark: number, gap: number, offset: number) {
  const pitch = Math.floor(length / Math.max(1, Math.floor(length / (mark + gap))));
  const fitting = Math.floor(length / pitch);
  const centred = Math.floor((length - fitting * pitch + pitch - mark) / 2) + offset;
  const first = ((centred % pitch) + pitch) % pitch;
  return { first, pitch, count: Math.floor((length - mark - first) / pitch) + 1 };
}
