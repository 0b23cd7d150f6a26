/** Summarises single encodings to one row per candidate: time, and size at equal quality. */
import { geometricMean } from '../statistics.ts';

/** One encoding of one image. */
export interface Sample {
  image: string;
  quality: number;
  ms: number;
  bytes: number;
  /** 0 to 1. */
  similarity: number;
  /** Whether every sample is the same as in the source image. */
  exact: boolean;
}

export interface Line {
  name: string;
  chosen: boolean;
  /** Geometric mean over all its encodings. */
  ms: number;
  /**
   * Bytes at the similarity of the chosen one, relative to its bytes; undefined if the two never reach the same
   * similarity.
   */
  relativeBytes: number | undefined;
  /** Whether every lossless encoding was really lossless. */
  exact: boolean;
  /** For a chosen one only: names of candidates that are both faster and smaller. */
  beatenBy: string[];
}

/** Smaller differences are ignored. */
const TIE = 0.02;

export function summarise(
  candidates: readonly { name: string; chosen?: boolean; samples: readonly Sample[] }[],
  lossless: boolean,
): Line[] {
  const reference = candidates.find(({ chosen }) => chosen)!;
  const lines = candidates.map(({ name, chosen = false, samples }) => ({
    name,
    chosen,
    ms: geometricMean(samples.map(({ ms }) => ms)),
    relativeBytes: relativeBytes(reference.samples, samples, lossless),
    exact: samples.every(({ exact }) => exact),
    beatenBy: [] as string[],
  }));
  const chosen = lines.find((line) => line.chosen)!;
  chosen.beatenBy = lines
    .filter(
      ({ ms, relativeBytes, exact }) =>
        relativeBytes !== undefined && ms < chosen.ms * (1 - TIE) && relativeBytes < 1 - TIE && (exact || !lossless),
    )
    .map(({ name }) => name);
  return lines;
}

function relativeBytes(
  reference: readonly Sample[],
  samples: readonly Sample[],
  lossless: boolean,
): number | undefined {
  const ratios = reference.flatMap(({ image, bytes, similarity }) => {
    const own = samples.filter((sample) => sample.image === image);
    const equal = lossless || own.length === 1 ? own[0]?.bytes : bytesAt(own, similarity);
    return equal === undefined ? [] : [equal / bytes];
  });
  return ratios.length === 0 ? undefined : geometricMean(ratios);
}

/**
 * Estimates the bytes that an encoder needs for this similarity: between two of its qualities the logarithms of size
 * and of dissimilarity are nearly linear. Returns undefined outside of the measured range.
 */
export function bytesAt(
  samples: readonly Pick<Sample, 'bytes' | 'similarity'>[],
  similarity: number,
): number | undefined {
  const points = samples.map((sample) => ({ x: closeness(sample.similarity), y: Math.log(sample.bytes) }));
  points.sort((a, b) => a.x - b.x);
  const wanted = closeness(similarity);
  const above = points.findIndex(({ x }) => x >= wanted);
  const high = points[above];
  const low = points[above - 1];
  if (!high || (!low && high.x > wanted)) return undefined;
  if (!low || high.x === low.x) return Math.exp(high.y);
  return Math.exp(low.y + ((wanted - low.x) / (high.x - low.x)) * (high.y - low.y));
}

const MIN_DISSIMILARITY = 1e-7;

const closeness = (similarity: number): number => -Math.log(Math.max(MIN_DISSIMILARITY, 1 - similarity));
