/** Ends jobs (docs/spec/shapes.md, section 10.2) and creates their webhook messages. */
import type { Repositories } from '../../storage/ports/database.ts';
import type { ItemCount, JobEnd } from '../../storage/ports/jobs.ts';
import { jobFinished } from '../webhooks/event.ts';
import { jobRecords } from './record.ts';

type Outcome = Omit<JobEnd, 'finishedAt'>;

/**
 * Ends a job if all its items have ended. Runs in the transaction of the last item.
 * @returns whether the job has ended
 */
export async function endIfComplete(
  repositories: Repositories,
  jobId: string,
  now: string,
  baseUrl: string,
): Promise<boolean> {
  const counts = await repositories.jobs.itemCounts(jobId);
  if (counts.some(({ status }) => status === 'queued' || status === 'running')) return false;
  return await endJob(repositories, jobId, outcomeOf(counts), now, baseUrl);
}

/** Ends a job, whatever the states of its items. Returns false if it had already ended. */
export async function endJob(
  repositories: Repositories,
  jobId: string,
  outcome: Outcome,
  now: string,
  baseUrl: string,
): Promise<boolean> {
  if (!(await repositories.jobs.end(jobId, { ...outcome, finishedAt: now }))) return false;
  const job = await repositories.jobs.find(jobId);
  if (job?.webhookUrl) {
    const [record] = await jobRecords(repositories, [jobId], baseUrl);
    await repositories.webhooks.createMessage({
      accountId: job.accountId,
      jobId,
      url: job.webhookUrl,
      body: jobFinished(record!, now),
      createdAt: now,
    });
  }
  return true;
}

export const CANCELLED: Outcome = { status: 'cancelled', errorCode: null, errorMessage: null };

function outcomeOf(counts: readonly ItemCount[]): Outcome {
  if (counts.some(({ status }) => status === 'done')) return { status: 'done', errorCode: null, errorMessage: null };
  const causes = counts.filter(({ status }) => status === 'failed');
  const [cause] = causes;
  if (cause && causes.length === 1)
    return { status: 'failed', errorCode: cause.errorCode, errorMessage: cause.errorMessage };
  return {
    status: 'failed',
    errorCode: 'all_items_failed',
    errorMessage: 'No image of the job succeeded, for different reasons: see its results.',
  };
}
