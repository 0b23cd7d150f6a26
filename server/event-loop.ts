/**
 * Measures how long the event loop of this process is blocked. A blocked event loop handles no request. The histogram
 * is never reset, so that every reader of /metrics sees the longest block since the service became ready.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Time between two samples. Node records the time from one sample to the next, so this much is
 * subtracted. A block that begins between two samples is reported up to this much too short.
 */
export const SAMPLE_MS = 4;

export interface EventLoopDelay {
  /** The longest block since the measurement began, in seconds. */
  maxSeconds: number;
  /** Delays in seconds by quantile, over the same time. */
  quantiles: ReadonlyMap<number, number>;
}

const QUANTILES = [0.5, 0.9, 0.99];

let histogram: IntervalHistogram | undefined;

/**
 * Starts measuring. Called when the service is ready, because loading modules before that blocks the event loop longer.
 */
export function measureEventLoop(): void {
  if (histogram) return;
  histogram = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  histogram.enable();
}

/** Returns the delays measured so far. All values are 0 before the first sample. */
export function eventLoopDelay(): EventLoopDelay {
  const measured = histogram && histogram.count > 0 ? histogram : undefined;
  return {
    maxSeconds: delaySeconds(measured?.max),
    quantiles: new Map(QUANTILES.map((quantile) => [quantile, delaySeconds(measured?.percentile(quantile * 100))])),
  };
}

const delaySeconds = (nanoseconds = 0): number => Math.max(0, nanoseconds / 1e9 - SAMPLE_MS / 1000);
