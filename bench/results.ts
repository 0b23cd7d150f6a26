/** From raw values to figures: what a measurement holds, and how the rounds of it are summed up. */
import type { Measurement } from './contenders/contender.ts';
import type { Reply } from './fresh-process.ts';
import type { Input } from './inputs.ts';
import type { Machine, Revision } from './machine.ts';
import type { MeasureOptions } from './measure.ts';
import type { Score } from './score.ts';
import { geometricMean, median, percentile, spread } from './statistics.ts';

/** One process: one contender, one workload, one round. */
export interface Run {
  workload: string;
  contender: string;
  round: number;
  outcome: Reply<Measurement>;
}

export interface Settings extends MeasureOptions {
  rounds: number;
  quick: boolean;
}

/** Everything that is written down. */
export interface Report {
  date: string;
  revision: Revision;
  machine: Machine;
  settings: Settings;
  /** Real or generated pictures; results on the two are not comparable. */
  pictures: string;
  inputs: Record<string, Omit<Input, 'path'>>;
  runs: Run[];
  figures: Figure[];
}

/** One bar of the plot, one line of the table. */
export interface Figure {
  workload: string;
  title: string;
  contender: string;
  /** Why there are no values. */
  absent?: string;
  values?: Values;
}

export interface Values {
  imagesPerSecond: number;
  /** Throughput as a share of the yardstick's; null when that takes no part. */
  ratio: number | null;
  /** Largest less smallest throughput of the rounds, as a share of the median. */
  spread: number;
  medianMs: number;
  p95Ms: number;
  bytesOut: number;
  /** null when the result cannot be compared. */
  score: Score | null;
  readyBytes: number | null;
  peakBytes: number | null;
}

const throughput = ({ images, elapsedMs }: Measurement): number => (images * 1000) / elapsedMs;

/** Medians over the rounds; latencies over all single requests. Answers nothing when no round succeeded. */
export function sumUp(measurements: readonly Measurement[], score: Score | null): Omit<Values, 'ratio'> | undefined {
  const [first] = measurements;
  if (!first) return undefined;
  const rates = measurements.map(throughput);
  const latencies = measurements.flatMap(({ latenciesMs }) => latenciesMs);
  const memories = measurements.flatMap(({ memory }) => memory ?? []);
  return {
    imagesPerSecond: median(rates),
    spread: spread(rates),
    medianMs: median(latencies),
    p95Ms: percentile(latencies, 0.95),
    bytesOut: first.bytesOut,
    score,
    readyBytes: memories.length === 0 ? null : median(memories.map(({ ready }) => ready)),
    peakBytes: memories.length === 0 ? null : median(memories.map(({ peak }) => peak)),
  };
}

/** Adds to each figure its share of the yardstick's throughput on the same workload. */
export function withRatios(
  figures: readonly (Omit<Figure, 'values'> & { values?: Omit<Values, 'ratio'> })[],
  yardstick: string,
): Figure[] {
  const rates = new Map(
    figures.flatMap(({ workload, contender, values }) =>
      contender === yardstick && values ? [[workload, values.imagesPerSecond]] : [],
    ),
  );
  return figures.map(({ values, ...figure }) => {
    if (!values) return figure;
    const rate = rates.get(figure.workload);
    return { ...figure, values: { ...values, ratio: rate === undefined ? null : values.imagesPerSecond / rate } };
  });
}

/** One contender beside others, over all workloads that both have. */
export interface Means {
  contender: string;
  /** Who it is compared with: of each workload the first of these that takes part. */
  peers: readonly string[];
  workloads: number;
  /** Geometric means of its shares of the peer's. */
  throughput: number;
  /** null where the system does not tell. */
  peakMemory: number | null;
  /** The workload with the smallest share of the peer's throughput. */
  least: { workload: string; throughput: number };
}

/** @returns undefined where they have no workload in common */
export function meansOf(figures: readonly Figure[], contender: string, peers: readonly string[]): Means | undefined {
  const valuesOf = (workload: string, name: string) =>
    figures.find((figure) => figure.workload === workload && figure.contender === name)?.values;
  const pairs = [...new Set(figures.map(({ workload }) => workload))].flatMap((workload) => {
    const own = valuesOf(workload, contender);
    const peer = peers.map((name) => valuesOf(workload, name)).find((values) => values !== undefined);
    if (!own || !peer) return [];
    const peakMemory = own.peakBytes && peer.peakBytes ? [own.peakBytes / peer.peakBytes] : [];
    return { workload, throughput: own.imagesPerSecond / peer.imagesPerSecond, peakMemory };
  });
  const [least] = pairs.toSorted((a, b) => a.throughput - b.throughput);
  if (!least) return undefined;
  const memories = pairs.flatMap(({ peakMemory }) => peakMemory);
  return {
    contender,
    peers,
    workloads: pairs.length,
    throughput: geometricMean(pairs.map(({ throughput }) => throughput)),
    peakMemory: memories.length === 0 ? null : geometricMean(memories),
    least: { workload: least.workload, throughput: least.throughput },
  };
}
