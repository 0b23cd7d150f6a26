/** Filters and pages the list of jobs. The service returns the newest 500 of the last hour. */
import type { Job } from '../../../client/types.generated.ts';
import type { JobStatus } from './job-state.ts';

export const STATUSES: readonly JobStatus[] = ['queued', 'running', 'done', 'failed', 'cancelled'];
export const PER_PAGE = 10;

export interface JobPage {
  jobs: readonly Job[];
  /** Starts at 1. */
  page: number;
  pages: number;
  /** Number of jobs that match the filter. */
  total: number;
}

/** @param page starts at 1; a number out of range is clamped */
export function pageOf(jobs: readonly Job[], status: string | null, page: number): JobPage {
  const found = status === null ? jobs : jobs.filter((job) => job.status === status);
  const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
  const at = Math.max(1, Math.min(pages, Number.isInteger(page) ? page : 1));
  return { jobs: found.slice((at - 1) * PER_PAGE, at * PER_PAGE), page: at, pages, total: found.length };
}
