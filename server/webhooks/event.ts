/** Creates the bodies of webhooks (docs/spec/shapes.md, section 11). */

/** The part of a job's record that the event uses. */
interface ReportedJob {
  results: readonly { steps?: unknown }[];
}

/**
 * Creates the body for a job that has ended: its record without the steps of its results. The steps would make it
 * several times the 20 kB that Standard Webhooks recommends.
 * @param timestamp when the job ended
 */
export function jobFinished(job: ReportedJob, timestamp: string): string {
  const results = job.results.map(({ steps: _, ...result }) => result);
  return JSON.stringify({ type: 'job.finished', timestamp, data: { ...job, results } });
}

/** Creates the body of a test. It contains no data of the account. */
export const webhookTest = (timestamp: string): string => JSON.stringify({ type: 'webhook.test', timestamp, data: {} });
