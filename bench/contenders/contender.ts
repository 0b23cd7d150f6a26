/** Code that all contenders share: each is a separate process that measures one workload and reports to the runner. */
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Piscina } from 'piscina';
import { answer } from '../fresh-process.ts';
import { type Job, type MeasureOptions, measure, type Timings } from '../measure.ts';
import { memoryOf } from '../process-memory.ts';
import { type Workload, workloadNamed } from '../workloads.ts';

export const THREADS = availableParallelism();

/** The runner's order, the only argument of the process. */
export interface Order extends MeasureOptions {
  workload: string;
  input: string;
  /** Path of one result, which is scored. */
  output: string;
}

export interface Ready {
  job: Job;
  versions: Record<string, string>;
  /** The process whose memory is measured, with its children; by default this one. */
  pid?: number;
  close?(): Promise<void>;
}

export interface Measurement extends Timings {
  versions: Record<string, string>;
  bytesOut: number;
  /** Ready: before the first image. Peak: the maximum at any time. null if the system does not report it. */
  memory: { ready: number; peak: number } | null;
}

/** Runs the process. `prepare` starts everything that a user would start once. */
export function runContender(prepare: (workload: Workload) => Promise<Ready>): Promise<never> {
  return answer((order: Order) => execute(order, prepare));
}

async function execute(order: Order, prepare: (workload: Workload) => Promise<Ready>): Promise<Measurement> {
  // Not a Buffer, because Buffer slices share memory.
  const input = new Uint8Array(await readFile(order.input));
  const { job, versions, pid = process.pid, close } = await prepare(workloadNamed(order.workload));
  const before = memoryOf(pid);
  const output = await job(input);
  await writeFile(order.output, output);
  const timings = await measure(job, input, order);
  const after = memoryOf(pid);
  await close?.();
  return {
    ...timings,
    versions,
    bytesOut: output.length,
    memory: before && after ? { ready: before.resident, peak: after.peak } : null,
  };
}

/**
 * Runs a job on as many threads as there are cores, for libraries without threads of their own.
 * @param file in this folder, without its extension
 */
export function onThreads(file: string, workerData: unknown): Job {
  const pool = new Piscina<Uint8Array, Uint8Array>({
    filename: new URL(file + extname(import.meta.url), import.meta.url).href,
    minThreads: THREADS,
    maxThreads: THREADS,
    workerData,
  });
  return (input) => pool.run(input);
}
