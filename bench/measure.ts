/**
 * Closed-loop measurement of one job: warm-up, then the latency of single requests, then the throughput at full load.
 */

/** Processes the bytes of a source file to the bytes of a result file. */
export type Job = (input: Uint8Array) => Promise<Uint8Array>;

export interface MeasureOptions {
  /** Duration of the full load; warm-up and single requests take a third of it each. */
  seconds: number;
  /** Concurrent requests at full load. */
  concurrency: number;
  /** Minimum number of single requests, and minimum multiple of `concurrency` at full load, however long they take. */
  fewest: number;
}

export interface Timings {
  /** Latencies of single requests, one at a time, in order. */
  latenciesMs: number[];
  /** Images finished at full load. */
  images: number;
  /** Time from the first request of the full load to the last response. */
  elapsedMs: number;
}

export async function measure(job: Job, input: Uint8Array, options: MeasureOptions): Promise<Timings> {
  const { seconds, concurrency, fewest } = options;
  // Warms up at full load, so that every thread has compiled its code and grown its memory.
  await load(job, input, { seconds: seconds / 3, concurrency, fewest: 1 });
  const latenciesMs = await single(job, input, { seconds: seconds / 3, fewest });
  return { latenciesMs, ...(await load(job, input, options)) };
}

async function single(
  job: Job,
  input: Uint8Array,
  { seconds, fewest }: Pick<MeasureOptions, 'seconds' | 'fewest'>,
): Promise<number[]> {
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (latencies.length < fewest || performance.now() < end) {
    const started = performance.now();
    await job(input);
    latencies.push(performance.now() - started);
  }
  return latencies;
}

/**
 * Keeps `concurrency` requests running until the time is over and the minimum number has started, then waits for the
 * last response. The time in which fewer requests run at the end counts, so the throughput is never overstated.
 */
async function load(
  job: Job,
  input: Uint8Array,
  { seconds, concurrency, fewest }: MeasureOptions,
): Promise<Pick<Timings, 'images' | 'elapsedMs'>> {
  const started = performance.now();
  const end = started + seconds * 1000;
  let images = 0;
  const client = async () => {
    while (images < fewest * concurrency || performance.now() < end) {
      images++;
      await job(input);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return { images, elapsedMs: performance.now() - started };
}
