/** QuickDraw's shapes as outlines. */
import type { Reader } from '../../metadata/bytes.ts';
import type { Outline } from './canvas.ts';
import { type Rect, signed } from './rect.ts';

/**
 * Corners of a full circle: enough to stay within a quarter of a pixel of the true outline for radii up to 3,000
 * pixels.
 */
const TURN_CORNERS = 240;

export interface Point {
  x: number;
  y: number;
}

export const rectOutline = ({ left, top, right, bottom }: Rect): Outline => [
  left,
  top,
  right,
  top,
  right,
  bottom,
  left,
  bottom,
];

export const ovalOutline = (rect: Rect): number[] => arcPoints(rect, 0, 360);

/**
 * Returns the points of an arc. Degrees count clockwise from 12 o'clock, on the circle before it is squeezed to an
 * oval, as in QuickDraw.
 */
export function arcPoints({ left, top, right, bottom }: Rect, start: number, sweep: number): number[] {
  const corners = Math.max(2, Math.ceil((Math.abs(sweep) / 360) * TURN_CORNERS));
  const points: number[] = [];
  for (let corner = 0; corner <= corners; corner++) {
    const angle = ((start + (sweep * corner) / corners) * Math.PI) / 180;
    points.push(
      (left + right) / 2 + (Math.sin(angle) * (right - left)) / 2,
      (top + bottom) / 2 - (Math.cos(angle) * (bottom - top)) / 2,
    );
  }
  return points;
}

export const wedgeOutline = (rect: Rect, start: number, sweep: number): Outline => [
  ...arcPoints(rect, start, sweep),
  (rect.left + rect.right) / 2,
  (rect.top + rect.bottom) / 2,
];

/** @param oval the width and height of the whole oval whose quarters are the corners */
export function roundRectOutline({ left, top, right, bottom }: Rect, oval: Point): Outline {
  const width = Math.max(0, Math.min(oval.x, right - left));
  const height = Math.max(0, Math.min(oval.y, bottom - top));
  return [
    ...arcPoints({ left: right - width, top, right, bottom: top + height }, 0, 90),
    ...arcPoints({ left: right - width, top: bottom - height, right, bottom }, 90, 90),
    ...arcPoints({ left, top: bottom - height, right: left + width, bottom }, 180, 90),
    ...arcPoints({ left, top, right: left + width, bottom: top + height }, 270, 90),
  ];
}

/** Returns the area that the pen covers along a line. The pen extends to the right and down from its point. */
export function lineOutline(from: Point, to: Point, pen: Point): Outline {
  const [a, b] = from.x < to.x || (from.x === to.x && from.y <= to.y) ? [from, to] : [to, from];
  if (a.y <= b.y) {
    return [a.x, a.y, a.x + pen.x, a.y, b.x + pen.x, b.y, b.x + pen.x, b.y + pen.y, b.x, b.y + pen.y, a.x, a.y + pen.y];
  }
  return [a.x, a.y, b.x, b.y, b.x + pen.x, b.y, b.x + pen.x, b.y + pen.y, a.x + pen.x, a.y + pen.y, a.x, a.y + pen.y];
}

const POLYGON_HEADER_BYTES = 10;

export function readPolygon(reader: Reader, at: number): number[] {
  const end = at + reader.u16(at);
  const points: number[] = [];
  for (let point = at + POLYGON_HEADER_BYTES; point + 4 <= end; point += 4) {
    points.push(signed(reader.u16(point + 2)), signed(reader.u16(point)));
  }
  return points;
}

const REGION_HEADER_BYTES = 10;
const ROW_END = 0x7fff;

/**
 * Yields a region as rectangles: its bounds, or those between the points where its inside begins and ends, listed for
 * each row that differs from the one above (Apple, "Inside Macintosh", volume I, 1985, "Regions").
 */
export function* readRegion(reader: Reader, at: number, bounds: Rect): Generator<Rect> {
  const end = at + reader.u16(at);
  if (end <= at + REGION_HEADER_BYTES) {
    yield bounds;
    return;
  }
  let edges: number[] = [];
  let top = bounds.top;
  for (let read = at + REGION_HEADER_BYTES; read + 2 <= end; ) {
    const y = signed(reader.u16(read));
    read += 2;
    for (let edge = 0; edge + 1 < edges.length; edge += 2) {
      yield { left: edges[edge]!, top, right: edges[edge + 1]!, bottom: y };
    }
    if (y === ROW_END) return;
    const changes: number[] = [];
    for (; read + 2 <= end && reader.u16(read) !== ROW_END; read += 2) changes.push(signed(reader.u16(read)));
    read += 2;
    edges = exclusive(edges, changes);
    top = y;
  }
}

/** Returns the numbers that are in exactly one of two sorted lists. */
function exclusive(left: readonly number[], right: readonly number[]): number[] {
  const odd: number[] = [];
  for (let l = 0, r = 0; l < left.length || r < right.length; ) {
    const fromLeft = left[l] ?? Number.POSITIVE_INFINITY;
    const fromRight = right[r] ?? Number.POSITIVE_INFINITY;
    if (fromLeft !== fromRight) odd.push(Math.min(fromLeft, fromRight));
    if (fromLeft <= fromRight) l++;
    if (fromRight <= fromLeft) r++;
  }
  return odd;
}
