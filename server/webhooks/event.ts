/** Bodies of webhooks (spec/shapes.md, section 11). */

/** As much of a job's record as the event looks at. */
interface ReportedJob {
  results: readonly { steps?: unknown }[];
}

/**
 * The body that tells of a job that has ended: its whole record but for the steps of its results, which would make it
 * several times the 20 kB that Standard Webhooks recommends.
 * @param timestamp when the job ended
 */
export function jobFinished(job: ReportedJob, timestamp: string): string {
  const results = job.results.map(({ steps: _, ...result }) => result);
  return JSON.stringify({ type: 'job.finished', timestamp, data: { ...job, results } });
}

/** The body of a test, which holds nothing of the account. */
export function webhookTest(timestamp: string): string {
  return JSON.stringify({ type: 'webhook.test', timestamp, data: {} });
}
