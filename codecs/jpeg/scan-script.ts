/** Chooses the scans of a JPEG: the script with the fewest bytes of those that are tried. */

export interface Scan {
  /** One bit per component. */
  mask: number;
  /** With all coefficients in full (sequential coding). The other fields are then ignored. */
  isSequential: boolean;
  /** The first and last coefficient, in zigzag order. */
  first: number;
  last: number;
  /** Successive approximation: the lowest bit of earlier scans (0 for a first scan) and of this scan. */
  high: number;
  low: number;
}

/** Returns the bits of a scan with its headers. */
export type CostOf = (scan: Scan) => number;

export interface ScriptRequest {
  components: number;
  /** A scan of several components may contain all of them. */
  canInterleave: boolean;
  effort: Effort;
}

/**
 * What is tried besides sequential coding: nothing; progressive scripts, compared on some of the lines of blocks; or
 * more scripts, compared on all lines.
 */
export type Effort = 'sequential' | 'sampled' | 'exact';

/** Where the bands of AC coefficients are split, as in mozjpeg. */
const SPLITS = [2, 5, 8, 12, 18];
/** Bits that are left to later scans. */
const MAX_LUMA_LOW = 3;
const MAX_CHROMA_LOW = 2;
const LAST = 63;

/**
 * Chooses the best script.
 * @param costOf is called once for each scan
 */
export function chooseScript(request: ScriptRequest, costOf: CostOf): Scan[] {
  const costs = new Map<string, number>();
  const known: CostOf = (scan) => {
    const key = Object.values(scan).join();
    const cost = costs.get(key) ?? costOf(scan);
    costs.set(key, cost);
    return cost;
  };
  const { effort } = request;
  if (effort === 'sequential') return sequential(request);
  return cheapest([sequential(request), searchScript(request, known)], known);
}

function cheapest(scripts: Scan[][], costOf: CostOf): Scan[] {
  const costs = scripts.map((scans) => scans.reduce((sum, scan) => sum + costOf(scan), 0));
  return scripts[costs.indexOf(Math.min(...costs))] as Scan[];
}

/** Returns one scan of all components, or one for each. */
const masksOf = ({ components, canInterleave }: ScriptRequest): number[] =>
  canInterleave ? [2 ** components - 1] : singles(components);

const singles = (components: number): number[] => Array.from({ length: components }, (_, index) => 1 << index);

/** Sequential coding. */
export const WHOLE: Omit<Scan, 'mask'> = { isSequential: true, first: 0, last: LAST, high: 0, low: 0 };

const sequential = (request: ScriptRequest): Scan[] => masksOf(request).map((mask) => ({ mask, ...WHOLE }));

const scanOf = (mask: number, first: number, last: number, high: number, low: number): Scan => ({
  mask,
  isSequential: false,
  first,
  last,
  high,
  low,
});

const refinements = (mask: number, low: number): Scan[] =>
  Array.from({ length: low }, (_, done) => scanOf(mask, 1, LAST, low - done, low - done - 1));

/** Finds the best scans of DC and of the AC coefficients of each component, each on its own. */
function searchScript(request: ScriptRequest, costOf: CostOf): Scan[] {
  const dc = (high: number, low: number) => masksOf(request).map((mask) => scanOf(mask, 0, 0, high, low));
  return [
    ...cheapest([dc(0, 0), [...dc(0, 1), ...dc(1, 0)]], costOf),
    ...singles(request.components).flatMap((mask, index) =>
      bestBands(mask, index === 0 ? MAX_LUMA_LOW : MAX_CHROMA_LOW, request.effort, costOf),
    ),
  ];
}

function bestBands(mask: number, maxLow: number, effort: Effort, costOf: CostOf): Scan[] {
  const lows = Array.from({ length: maxLow + 1 }, (_, low) => low);
  if (effort === 'exact')
    return cheapest(
      lows.map((low) => [...bestSplit(mask, low, costOf), ...refinements(mask, low)]),
      costOf,
    );
  // First chooses how many bits come later, then where the rest is split.
  const wholes = lows.map((low) => [scanOf(mask, 1, LAST, 0, low), ...refinements(mask, low)]);
  const [{ low }, ...later] = cheapest(wholes, costOf) as [Scan, ...Scan[]];
  return [...bestSplit(mask, low, costOf), ...later];
}

function bestSplit(mask: number, low: number, costOf: CostOf): Scan[] {
  const whole = [scanOf(mask, 1, LAST, 0, low)];
  const parted = SPLITS.map((end) => [scanOf(mask, 1, end, 0, low), scanOf(mask, end + 1, LAST, 0, low)]);
  return cheapest([whole, ...parted], costOf);
}
