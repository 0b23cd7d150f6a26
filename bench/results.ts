/** Aggregates raw values: the content of a measurement, and the summary of its rounds. */
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

/** Everything that is written to the result files. */
export interface Report {
  date: string;
  revision: Revision;
  machine: Machine;
  settings: Settings;
  /** Real or generated images; results of the two are not comparable. */
  images: string;
  inputs: Record<string, Omit<Input, 'path'>>;
  runs: Run[];
  figures: Figure[];
}

/** One bar of the plot and one row of the table. */
export interface Figure {
  workload: string;
  title: string;
  contender: string;
  /** Reason why there are no values. */
  absent?: string;
  values?: Values;
}

export interface Values {
  imagesPerSecond: number;
  /** Throughput relative to the reference contender's; null if that one was not measured. */
  ratio: number | null;
  /** Largest minus smallest throughput of the rounds, as a share of the median. */
  spread: number;
  medianMs: number;
  p95Ms: number;
  bytesOut: number;
  /** null if the result cannot be compared. */
  score: Score | null;
  readyBytes: number | null;
  peakBytes: number | null;
}

const throughput = ({ images, elapsedMs }: Measurement): number => (images * 1000) / elapsedMs;

/** Medians over the rounds; latencies over all single requests. Returns undefined if no round succeeded. */
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

/** Adds to each figure its throughput relative to the reference contender's on the same workload. */
export function addRatios(
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

/** Comparison of one contender with others, over all workloads that both have. */
export interface Means {
  contender: string;
  /** The others: for each workload the first of these that was measured. */
  peers: readonly string[];
  workloads: number;
  /** Geometric mean of its throughput relative to the other's. */
  throughput: number;
  /** null if the system does not report memory. */
  peakMemory: number | null;
  /** The workload with the lowest relative throughput. */
  least: { workload: string; throughput: number };
}

/** @returns undefined if they have no workload in common */
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
