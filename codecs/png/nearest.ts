/** The distance of colours with alpha, and the search for the nearest of a palette. */
import { METRIC } from '../gif/nearest.ts';

/** Premultiplied red, green and blue, weighted for the human eye, and alpha. */
export const AXES = 4;
/** The largest value of each. */
export const MAX_POINT: readonly number[] = [...METRIC, 1].map((weight) => 255 * weight);
/** Projections on the diagonal of the four axes, whose direction has the length 1. */
const MAX_PROJECTION = MAX_POINT.reduce((sum, value) => sum + value) / 2;

const projection = (points: ArrayLike<number>, at: number): number =>
  (points[at]! + points[at + 1]! + points[at + 2]! + points[at + 3]!) / 2;

/** Writes the points of pixels to `points`. @param pixels RGBA, 8 bits, not premultiplied */
export function fillPoints(pixels: Uint8Array, points: Float32Array): void {
  const [red, green, blue] = METRIC;
  for (let at = 0; at < pixels.length; at += AXES) {
    const alpha = pixels[at + 3]!;
    const share = alpha / 255;
    points[at] = pixels[at]! * red * share;
    points[at + 1] = pixels[at + 1]! * green * share;
    points[at + 2] = pixels[at + 2]! * blue * share;
    points[at + 3] = alpha;
  }
}

/**
 * Finds the nearest of a few points, exactly. They are sorted by their projections on one axis, and the search goes
 * outwards from that of the wanted point: two points are never nearer to each other than their projections.
 */
export class NearestPoint {
  readonly #points: Float32Array;
  readonly #projections: Float64Array;
  /** The numbers of the points in `points` of the constructor, by their place in the order. */
  readonly #numbers: Uint8Array;
  /** For each whole projection the last place at or below it, where the search begins. */
  readonly #starts: Uint8Array;
  /** A quarter of the squared distance to the nearest other point: what is nearer has no other nearest point. */
  readonly #own: Float64Array;
  /** The place that was found last: neighbouring pixels are similar. */
  #last = 0;

  /** @param points at most 256 */
  constructor(points: Float32Array) {
    const count = points.length / AXES;
    const order = Array.from({ length: count }, (_, number) => number);
    order.sort((one, other) => projection(points, AXES * one) - projection(points, AXES * other));
    this.#numbers = Uint8Array.from(order);
    this.#points = Float32Array.from(order.flatMap((number) => [...pointAt(points, number)]));
    this.#projections = Float64Array.from(order, (number) => projection(points, AXES * number));
    this.#starts = new Uint8Array(Math.ceil(MAX_PROJECTION) + 1);
    for (let whole = 0, place = 0; whole < this.#starts.length; whole += 1) {
      while (place < count - 1 && this.#projections[place + 1]! <= whole) place += 1;
      this.#starts[whole] = place;
    }
    this.#own = Float64Array.from(order, (_, place) => {
      const distances = order.map((_, other) =>
        other === place ? Number.POSITIVE_INFINITY : this.#distance(other, ...pointAt(this.#points, place)),
      );
      return Math.min(...distances) / 4;
    });
  }

  /** Returns the number of the nearest point, of several the same one each time. The values are from 0 to those of {@link MAX_POINT}. */
  find(red: number, green: number, blue: number, alpha: number): number {
    let best = this.#last;
    let least = this.#distance(best, red, green, blue, alpha);
    if (least < this.#own[best]!) return this.#numbers[best]!;
    const projections = this.#projections;
    const wanted = (red + green + blue + alpha) / 2;
    const start = this.#starts[Math.floor(wanted)]!;
    for (let place = start; place >= 0; place -= 1) {
      const gap = wanted - projections[place]!;
      if (gap * gap > least) break;
      const distance = this.#distance(place, red, green, blue, alpha);
      if (distance > least || (distance === least && place > best)) continue;
      least = distance;
      best = place;
    }
    for (let place = start + 1; place < projections.length; place += 1) {
      const gap = projections[place]! - wanted;
      if (gap > 0 && gap * gap > least) break;
      const distance = this.#distance(place, red, green, blue, alpha);
      if (distance > least || (distance === least && place > best)) continue;
      least = distance;
      best = place;
    }
    this.#last = best;
    return this.#numbers[best]!;
  }

  /** The squared distance of the point at a place of the order. */
  #distance(place: number, red: number, green: number, blue: number, alpha: number): number {
    const at = AXES * place;
    const points = this.#points;
    const byRed = red - points[at]!;
    const byGreen = green - points[at + 1]!;
    const byBlue = blue - points[at + 2]!;
    const byAlpha = alpha - points[at + 3]!;
    return byRed * byRed + byGreen * byGreen + byBlue * byBlue + byAlpha * byAlpha;
  }
}

const pointAt = (points: Float32Array, number: number): [number, number, number, number] => [
  points[AXES * number]!,
  points[AXES * number + 1]!,
  points[AXES * number + 2]!,
  points[AXES * number + 3]!,
];
