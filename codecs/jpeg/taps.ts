/**
 * Weights of a resampling filter: Lanczos with three lobes (C. E. Duchon, "Lanczos filtering in one and two
 * dimensions", 1979).
 */

export const LOBES = 3;
/** Precomputed values of the filter per lobe: the nearest one is off by less than 2^-13. */
const STEPS = 8192;
/** The sum of the weights. */
const ONE = 2 ** 14;

function filterAt(x: number): number {
  const angle = Math.PI * x;
  return x === 0 ? 1 : (LOBES * Math.sin(angle) * Math.sin(angle / LOBES)) / angle ** 2;
}

let filter: Float64Array | undefined;

/** The source samples and weights of each target sample. */
export interface Taps {
  /** For each target sample the index of its first source sample. */
  starts: Int32Array<ArrayBuffer>;
  /** The weights of the `count` source samples from there on. */
  weights: Int16Array<ArrayBuffer>;
  count: number;
}

interface Resampling {
  /** Number of source samples. */
  source: number;
  /** Number of target samples. */
  target: number;
  /** Source samples per target sample. Below 1 the image is enlarged. */
  ratio: number;
  /** The numbers of weights and of samples are rounded up to a multiple of this. Added entries have weights of 0. */
  multiple: number;
}

/** Computes the weights. Samples beyond both ends repeat the first and the last. */
export function lanczosTaps({ source, target, ratio, multiple }: Resampling): Taps {
  filter ??= Float64Array.from({ length: LOBES * STEPS + 2 }, (_, index) => filterAt(index / STEPS));
  const stretch = Math.max(1, ratio);
  const reach = LOBES * stretch;
  const scale = STEPS / stretch;
  const count = Math.ceil(Math.min(source, Math.ceil(2 * reach) + 1) / multiple) * multiple;
  const samples = Math.ceil(target / multiple) * multiple;
  const starts = new Int32Array(samples);
  const weights = new Int16Array(samples * count);
  const exact = new Float64Array(count);
  for (let index = 0; index < target; index++) {
    const centre = (index + 0.5) * ratio - 0.5;
    const first = Math.ceil(centre - reach);
    const last = Math.floor(centre + reach);
    const start = Math.max(0, Math.min(first, source - 1));
    exact.fill(0);
    let sum = 0;
    // True for most samples.
    const isInside = first >= 0 && last < source;
    for (let tap = first; tap <= last; tap++) {
      const value = filter[Math.trunc(Math.abs(tap - centre) * scale + 0.5)]!;
      const place = isInside ? tap : Math.min(Math.max(tap, 0), source - 1);
      exact[place - start]! += value;
      sum += value;
    }
    starts[index] = start;
    storeWeights(exact, ONE / sum, weights, index * count);
  }
  return { starts, weights, count };
}

/** Rounds the weights so that their sum stays `ONE`. */
function storeWeights(exact: Float64Array, factor: number, out: Int16Array, at: number): void {
  let carried = 0;
  for (let tap = 0; tap < exact.length; tap++) {
    const wanted = exact[tap]! * factor + carried;
    const rounded = Math.floor(wanted + 0.5);
    out[at + tap] = rounded;
    carried = wanted - rounded;
  }
}
