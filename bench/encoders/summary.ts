/** From single encodings to one line for each candidate: time, and size at equal quality. */
import { geometricMean } from '../statistics.ts';

/** One encoding of one picture. */
export interface Sample {
  picture: string;
  quality: number;
  ms: number;
  bytes: number;
  /** 0 to 1. */
  similarity: number;
  /** Every sample is that of the picture. */
  exact: boolean;
}

export interface Line {
  name: string;
  chosen: boolean;
  /** Geometric mean of all its encodings. */
  ms: number;
  /** Bytes for the same similarity as the chosen one, as a share of its bytes; undefined where the two never meet. */
  relativeBytes: number | undefined;
  /** Whether every lossless encoding was one. */
  exact: boolean;
  /** A chosen one only: names of those that are both faster and smaller. */
  beatenBy: string[];
}

/** Less than this is no difference. */
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
  const ratios = reference.flatMap(({ picture, bytes, similarity }) => {
    const own = samples.filter((sample) => sample.picture === picture);
    const equal = lossless || own.length === 1 ? own[0]?.bytes : bytesAt(own, similarity);
    return equal === undefined ? [] : [equal / bytes];
  });
  return ratios.length === 0 ? undefined : geometricMean(ratios);
}

/**
 * Bytes that an encoder would need for this similarity: between two of its qualities the logarithms of size and of
 * dissimilarity lie nearly on a line. Answers nothing outside of what was measured.
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

const LEAST_DISSIMILARITY = 1e-7;

const closeness = (similarity: number): number => -Math.log(Math.max(LEAST_DISSIMILARITY, 1 - similarity));
