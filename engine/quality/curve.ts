/**
 * Predicts other encodings of an image from a few: over the logit of the quality, the logarithms of size and distance
 * are nearly straight lines (see search.ts).
 */

export interface CurvePoint {
  /** 1 to 100. */
  quality: number;
  bytes: number;
  /** See distance.ts. */
  distance: number;
}

/** Divides by 101 - quality, so that quality 100 has a finite logit. */
export const logit = (quality: number): number => Math.log(quality / (101 - quality));
export const qualityOf = (logit: number): number => 101 / (1 + Math.exp(-logit));

/** Growth of ln(bytes) per unit of the logit: 0.35 for WebP, 0.45 for JPEG, 0.74 for AVIF. */
export const SIZE_SLOPE = 0.45;
/** Decrease of ln(distance) per unit of the logit, most often 0.2 to 0.7. */
export const DISTANCE_SLOPE = 0.4;

/** Estimates the distance of an encoding with this many bytes. */
export function distanceAt(points: readonly CurvePoint[], bytes: number): number {
  const line = points.map((point) => ({ x: Math.log(point.bytes), y: Math.log(Math.max(point.distance, MIN)) }));
  return Math.exp(valueAt(line, Math.log(bytes), -DISTANCE_SLOPE / SIZE_SLOPE));
}

/** Estimates the quality of an encoding with this distance, as a whole number. */
export function qualityAt(
  points: readonly CurvePoint[],
  distance: number,
  { min, max }: { min: number; max: number },
): number {
  const line = points.map((point) => ({ x: Math.log(Math.max(point.distance, MIN)), y: logit(point.quality) }));
  const quality = Math.ceil(qualityOf(valueAt(line, Math.log(Math.max(distance, MIN)), -1 / DISTANCE_SLOPE)));
  return Math.max(min, Math.min(max, quality));
}

/** A minimum with a finite logarithm. */
const MIN = 1e-6;

interface Point {
  x: number;
  y: number;
}

/** Value on the line through the two points nearest to `x`. Uses the usual slope if these give none. */
function valueAt(points: readonly Point[], x: number, usual: number): number {
  const [one, two] = points.toSorted((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x));
  if (!one) throw new RangeError('Expected at least one point but received none.');
  const slope = two && two.x !== one.x ? (two.y - one.y) / (two.x - one.x) : usual;
  // The slope between two nearly equal encodings is noise.
  const isUsual = slope / usual > 1 / MAX_SLOPE_RATIO && slope / usual < MAX_SLOPE_RATIO;
  return one.y + (isUsual ? slope : usual) * (x - one.x);
}

/**
 * A slope that differs from the usual one by a larger factor is noise, for example between two encodings of equal size.
 */
export const MAX_SLOPE_RATIO = 4;
