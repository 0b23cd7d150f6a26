/**
 * The searches behind the modes target and smart. Each encoding costs as much as the rest of the request together, so
 * they take few.
 *
 * Both look for the place on the quality scale where a growing value passes a bound. Over the logit of the quality, the
 * logarithm of the file size is nearly a straight line, for JPEG, WebP and AVIF alike, and so is the logarithm of
 * 1 - similarity (measured on 65 size curves and 34 similarity curves of photographs, screenshots, gradients and noise).
 * The line through the two closest encodings tells where to look next; what a bisection with the encodings left could
 * still resolve limits how far to trust it.
 */

type Awaitable<T> = T | Promise<T>;

interface Search<R extends { bytes: number }> {
  encode: (quality: number) => Awaitable<R>;
  /** Lowest and highest quality, integers from 1 to 100. */
  min?: number;
  max?: number;
  /** Most encodings to spend. The boundary is always found with log2(max - min + 2) of them, rounded up. */
  encodings?: number;
}

export interface TargetSearch<R extends { bytes: number }> extends Search<R> {
  targetBytes: number;
  /**
   * A file of fewer bytes is too far below the target: qualities beside it are tried too, since sizes do not grow everywhere.
   * Default: 0.
   */
  minBytes?: number;
}

export interface SmartSearch<R extends { bytes: number }> extends Search<R> {
  /** Similarity of the result to the original, growing with the quality; 1 is identical. */
  measure: (result: R, quality: number) => Awaitable<number>;
  threshold: number;
  /** Most bytes the result may have. */
  ceiling?: number;
}

export interface Found<R> {
  quality: number;
  result: R;
  /** The result has no more bytes than asked for. */
  fits: boolean;
  /** How many encodings it took. */
  encodings: number;
}

export interface SmartFound<R> extends Found<R> {
  similarity: number;
}

/** An encoding as the search sees it. */
interface Probe<T> {
  value: T;
  quality: number;
  /** The value has passed the bound. */
  past: boolean;
  /** How far past the bound, estimated in units of the logit. */
  lead: number;
}

/** The two neighbours on either side of the bound; one is missing when the bound lies beyond an end of the scale. */
interface Boundary<T> {
  before: Probe<T> | undefined;
  after: Probe<T> | undefined;
  encodings: number;
}

const DEFAULTS = { min: 1, max: 100, encodings: 8 };

/** Quality where the bound usually lies: thresholds of smart 67 to 81 for photographs. */
const START = 70;
/** Growth of ln(bytes) per unit of the logit: 0.35 for WebP, 0.45 for JPEG, 0.74 for AVIF. */
const SIZE_SLOPE = 0.45;
/** Growth of -ln(1 - similarity) per unit of the logit, most often 0.5 to 0.9. */
const SIMILARITY_SLOPE = 0.7;
/** A slope that differs from those by more than this factor comes from noise, such as two encodings of one size. */
const STRAY = 4;

/** Tried in this order around the quality that was found. */
const NEIGHBOURS = [-1, 2, -2, 3, -3];

/** The largest quality whose file has at most `targetBytes`; if none has, the smallest file that was found. */
export async function searchTarget<R extends { bytes: number }>(search: TargetSearch<R>): Promise<Found<R>> {
  const { encode, targetBytes, minBytes = 0, min = DEFAULTS.min, max = DEFAULTS.max } = search;
  const { before, after, encodings } = await findBoundary(search, async (quality) => {
    const value = await encode(quality);
    return { value, quality, past: value.bytes > targetBytes, lead: sizeLead(value.bytes, targetBytes) };
  });
  const { quality, value } = (before ?? after)!;
  const found = { quality, result: value, fits: value.bytes <= targetBytes, encodings };
  if (!found.fits || quality === max || value.bytes >= minBytes) return found;
  for (const offset of NEIGHBOURS) {
    const near = quality + offset;
    if (near < min || near > max) continue;
    const result = await encode(near);
    found.encodings += 1;
    if (result.bytes <= targetBytes && result.bytes >= minBytes) return { ...found, quality: near, result };
  }
  return found;
}

/**
 * The smallest quality that reaches the threshold. If none from `min` to `max` does within the ceiling, the largest
 * quality that fits, and if none fits, the smallest file that was found.
 */
export async function searchSmart<R extends { bytes: number }>(search: SmartSearch<R>): Promise<SmartFound<R>> {
  const { encode, measure, threshold, ceiling = Number.POSITIVE_INFINITY } = search;
  type Measured = { result: R; similarity: number | undefined };
  const { before, after, encodings } = await findBoundary<Measured>(search, async (quality) => {
    const result = await encode(quality);
    if (result.bytes > ceiling) {
      // It is out, so its similarity is not worth decoding it.
      return { value: { result, similarity: undefined }, quality, past: true, lead: sizeLead(result.bytes, ceiling) };
    }
    const similarity = await measure(result, quality);
    return {
      value: { result, similarity },
      quality,
      past: similarity >= threshold,
      lead: similarityLead(similarity, threshold),
    };
  });
  const reached = after && after.value.result.bytes <= ceiling;
  const { quality, value } = (reached ? after : (before ?? after))!;
  const { result } = value;
  const similarity = value.similarity ?? (await measure(result, quality));
  return { quality, result, similarity, fits: result.bytes <= ceiling, encodings };
}

const sizeLead = (bytes: number, limit: number): number => Math.log(bytes / limit) / SIZE_SLOPE;
const similarityLead = (similarity: number, threshold: number): number =>
  Math.log(differenceFrom1(threshold) / differenceFrom1(similarity)) / SIMILARITY_SLOPE;
/** Never 0, whose logarithm is infinite. */
const differenceFrom1 = (similarity: number): number => Math.max(1 - similarity, Number.EPSILON);

/** Narrows the scale down to two neighbours with the bound between them. Keeps the values of those two only. */
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
  return Math.round(qualityAt(one.x - one.lead / within(1 / STRAY, STRAY, slope)));
}

// Over 101, so that quality 100 has a finite logit.
const logit = (quality: number): number => Math.log(quality / (101 - quality));
const qualityAt = (logit: number): number => 101 / (1 + Math.exp(-logit));

const within = (low: number, high: number, value: number): number => Math.max(low, Math.min(high, value));
