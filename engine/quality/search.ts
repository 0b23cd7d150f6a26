/**
 * The searches of the modes target and smart. Each encoding costs as much as the rest of the request, so they use few.
 *
 * Both find the quality at which a growing value passes a bound. Over the logit of the quality, the logarithm of the
 * file size is nearly a straight line, for JPEG, WebP and AVIF alike, and so is the logarithm of the distance (measured
 * on 65 size curves and 180 distance curves of photos, screenshots, drawings and gradients). The line through the two
 * closest encodings predicts the next quality. The prediction is limited to the range that bisection could still
 * resolve with the remaining encodings.
 */

import { DISTANCE_SLOPE, logit, MAX_SLOPE_RATIO, qualityOf, SIZE_SLOPE } from './curve.ts';

type Awaitable<T> = T | Promise<T>;

interface Search<R extends { bytes: number }> {
  encode: (quality: number) => Awaitable<R>;
  /** Lowest and highest quality, integers from 1 to 100. */
  min?: number;
  max?: number;
  /** Maximum number of encodings. The boundary is always found with log2(max - min + 2) of them, rounded up. */
  encodings?: number;
}

export interface TargetSearch<R extends { bytes: number }> extends Search<R> {
  targetBytes: number;
  /**
   * A smaller file is too far below the target: neighbouring qualities are tried too, because sizes do not grow at
   * every step. Default: 0.
   */
  minBytes?: number;
}

export interface SmartSearch<R extends { bytes: number }> extends Search<R> {
  /** Distance of the result to the original. Falls as the quality grows; 0 is identical. */
  measure: (result: R, quality: number) => Awaitable<number>;
  maxDistance: number;
  /** Maximum bytes of the result. */
  ceiling?: number;
}

export interface Found<R> {
  quality: number;
  result: R;
  /** Whether the result has at most the requested number of bytes. */
  fits: boolean;
  /** Number of encodings used. */
  encodings: number;
}

export interface SmartFound<R> extends Found<R> {
  distance: number;
}

/** One encoding during the search. */
interface Probe<T> {
  value: T;
  quality: number;
  /** Whether the value has passed the bound. */
  past: boolean;
  /** Estimated distance past the bound, in units of the logit. */
  lead: number;
  /** Whether it is close enough to the bound to stop the search. */
  isEnough?: boolean;
}

/** The two neighbours on either side of the bound; one is missing if the bound is beyond an end of the scale. */
interface Boundary<T> {
  before: Probe<T> | undefined;
  after: Probe<T> | undefined;
  encodings: number;
}

const DEFAULTS = { min: 1, max: 100, encodings: 8 };

/** The usual quality at the bound: thresholds of smart are 67 to 81 for photos. */
const START = 70;
/** Offsets tried in this order around the found quality. */
const NEIGHBOUR_OFFSETS = [-1, 2, -2, 3, -3];

/**
 * Finds the highest quality whose file has at most `targetBytes`; if there is none, the smallest file that was found.
 */
export async function searchTarget<R extends { bytes: number }>(search: TargetSearch<R>): Promise<Found<R>> {
  const { encode, targetBytes, minBytes = 0, min = DEFAULTS.min, max = DEFAULTS.max } = search;
  const { before, after, encodings } = await findBoundary(search, async (quality) => {
    const value = await encode(quality);
    return { value, quality, past: value.bytes > targetBytes, lead: sizeLead(value.bytes, targetBytes) };
  });
  const { quality, value } = (before ?? after)!;
  const found = { quality, result: value, fits: value.bytes <= targetBytes, encodings };
  if (!found.fits || quality === max || value.bytes >= minBytes) return found;
  for (const offset of NEIGHBOUR_OFFSETS) {
    const near = quality + offset;
    if (near < min || near > max) continue;
    const result = await encode(near);
    found.encodings += 1;
    if (result.bytes <= targetBytes && result.bytes >= minBytes) return { ...found, quality: near, result };
  }
  return found;
}

/** Close enough to the bound: the distance is 4% below it. In units of the logit. */
const CLOSE_LEAD = 0.1;

/**
 * Finds the lowest quality, approximately, whose distance is at most `maxDistance`. If no quality from `min` to `max`
 * meets that within the ceiling, returns the highest quality that fits; if none fits, the smallest file that was found.
 */
export async function searchSmart<R extends { bytes: number }>(search: SmartSearch<R>): Promise<SmartFound<R>> {
  const { encode, measure, maxDistance, ceiling = Number.POSITIVE_INFINITY } = search;
  type Measured = { result: R; distance: number | undefined };
  const { before, after, encodings } = await findBoundary<Measured>(search, async (quality) => {
    const result = await encode(quality);
    if (result.bytes > ceiling) {
      // It is too large, so do not decode it for its distance.
      return { value: { result, distance: undefined }, quality, past: true, lead: sizeLead(result.bytes, ceiling) };
    }
    const distance = await measure(result, quality);
    const lead = distanceLead(distance, maxDistance);
    return { value: { result, distance }, quality, past: lead >= 0, lead, isEnough: lead >= 0 && lead < CLOSE_LEAD };
  });
  const reached = after && after.value.result.bytes <= ceiling;
  const { quality, value } = (reached ? after : (before ?? after))!;
  const { result } = value;
  const distance = value.distance ?? (await measure(result, quality));
  return { quality, result, distance, fits: result.bytes <= ceiling, encodings };
}

const sizeLead = (bytes: number, limit: number): number => Math.log(bytes / limit) / SIZE_SLOPE;
/** Avoids the logarithm of 0. */
const distanceLead = (distance: number, limit: number): number =>
  Math.log(Math.max(limit, Number.EPSILON) / Math.max(distance, Number.EPSILON)) / DISTANCE_SLOPE;

/** Narrows the scale to two neighbours with the bound between them. Keeps only the values of those two. */
async function findBoundary<T>(
  { min = DEFAULTS.min, max = DEFAULTS.max, encodings: most = DEFAULTS.encodings }: Omit<Search<never>, 'encode'>,
  probe: (quality: number) => Promise<Probe<T>>,
): Promise<Boundary<T>> {
  let before: Probe<T> | undefined;
  let after: Probe<T> | undefined;
  const points: Point[] = [];
  const low = () => before?.quality ?? min - 1;
  const high = () => after?.quality ?? max + 1;
  while (high() - low() > 1 && points.length < most) {
    const reach = 2 ** (most - points.length - 1);
    const guess = within(Math.max(low() + 1, high() - reach), Math.min(high() - 1, low() + reach), crossing(points));
    const probed = await probe(within(low() + 1, high() - 1, guess));
    points.push({ x: logit(probed.quality), lead: probed.lead });
    if (probed.past) after = probed;
    else before = probed;
    if (probed.isEnough) break;
  }
  return { before, after, encodings: points.length };
}

interface Point {
  x: number;
  lead: number;
}

/** The quality at which the line through the two points closest to the bound crosses it. */
function crossing(points: readonly Point[]): number {
  const [one, two] = points.toSorted((p, q) => Math.abs(p.lead) - Math.abs(q.lead));
  if (!one) return START;
  const slope = two ? (two.lead - one.lead) / (two.x - one.x) : 1;
  return Math.round(qualityOf(one.x - one.lead / within(1 / MAX_SLOPE_RATIO, MAX_SLOPE_RATIO, slope)));
}

const within = (low: number, high: number, value: number): number => Math.max(low, Math.min(high, value));
