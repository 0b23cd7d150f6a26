/**
 * How long the event loop of this process is held: while it is, nobody gets an answer. The histogram of Node is one for the
 * whole process and is never reset, so that every reader of /metrics sees the longest hold since the service is ready.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Between two samples. Node records the time from one sample to the next, of which this much is no delay and is
 * subtracted. A hold that begins between two samples is reported up to this much too short.
 */
export const SAMPLE_MS = 4;

export interface EventLoopDelay {
  /** The longest since the measurement began, in seconds. */
  maxSeconds: number;
  /** Seconds by quantile, over the same time. */
  quantiles: ReadonlyMap<number, number>;
}

const QUANTILES = [0.5, 0.9, 0.99];

let histogram: IntervalHistogram | undefined;

/** Begins to measure. What a process does before it is ready, above all reading its modules, is told by /readyz. */
export function measureEventLoop(): void {
  if (histogram) return;
  histogram = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  histogram.enable();
}

/** All of it is 0 before there is a sample. */
export function eventLoopDelay(): EventLoopDelay {
  const measured = histogram && histogram.count > 0 ? histogram : undefined;
  return {
    maxSeconds: delaySeconds(measured?.max),
    quantiles: new Map(QUANTILES.map((quantile) => [quantile, delaySeconds(measured?.percentile(quantile * 100))])),
  };
}

function delaySeconds(nanoseconds = 0): number {
  return Math.max(0, nanoseconds / 1e9 - SAMPLE_MS / 1000);
}
