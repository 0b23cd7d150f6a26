/** Applies the events of a job's stream to the job. */

import type { StreamEvent } from '../../../client/event-stream.ts';
import type { Job, JobProgress, JobResult } from '../../../client/types.generated.ts';

export type JobStatus = Job['status'];

export const hasEnded = ({ status }: Pick<Job, 'status'>): boolean =>
  status === 'done' || status === 'failed' || status === 'cancelled';

/** @param job undefined before the first event, which contains the job */
export function applyEvent(job: Job | undefined, { name, data }: StreamEvent): Job | undefined {
  if (name === 'job' || name === 'end') return JSON.parse(data) as Job;
  if (job === undefined) return undefined;
  if (name === 'progress') return withProgress(job, (JSON.parse(data) as { progress: JobProgress }).progress);
  if (name === 'result') return withResult(job, JSON.parse(data) as JobResult);
  return job;
}

/** Sets the status to `running`: no event reports it other than `progress`. */
const withProgress = (job: Job, progress: JobProgress): Job => ({
  ...job,
  status: job.status === 'queued' ? 'running' : job.status,
  progress,
});

function withResult(job: Job, result: JobResult): Job {
  const results = job.results.map((other) => (other.index === result.index ? result : other));
  const expiries = results.flatMap(({ expires_at: at }) => at ?? []);
  return { ...job, results, expires_at: expiries.sort()[0] ?? null, totals: { ...job.totals, ...sizesOf(results) } };
}

function sizesOf(results: readonly JobResult[]) {
  const done = results.filter(({ status }) => status === 'done');
  const before = done.reduce((sum, { original_bytes: bytes }) => sum + (bytes ?? 0), 0);
  const after = done.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  const saved = before === 0 ? 0 : Math.round((1 - after / before) * 1000) / 10;
  return { original_bytes: before, bytes: after, saved_bytes: before - after, saved_percent: saved };
}

/** Returns a text such as `in 52 minutes`, or undefined if the time has passed. @param now in milliseconds */
export function timeLeft(expiresAt: string, now: number): string | undefined {
  const seconds = Math.ceil((Date.parse(expiresAt) - now) / 1000);
  if (seconds <= 0) return undefined;
  if (seconds < 90) return `in ${seconds} seconds`;
  return `in ${Math.round(seconds / 60)} minutes`;
}

export const endedCount = ({ done, failed, cancelled }: JobProgress): number => done + failed + cancelled;

/** Returns the inputs that can be sent again. Only addresses can: uploaded files are gone. */
export const retryableAddresses = ({ results }: Pick<Job, 'results'>): string[] =>
  results
    .filter(({ status, input }) => (status === 'failed' || status === 'cancelled') && /^https?:\/\//.test(input))
    .map(({ input }) => input);
