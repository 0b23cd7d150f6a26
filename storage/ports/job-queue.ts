/**
 * The queue of job items. It is one of the repositories, so that the result of an item is stored in the same transaction
 * as its end. A queue with tables of its own in the same database can implement it too.
 */

import type { Job, JobItem } from '../records/jobs.ts';

export type NewJobItem = Pick<JobItem, 'sourceKind' | 'source' | 'filename'>;

/** A leased item. The lease is valid until it expires or the item is leased again. */
export type Lease = Pick<JobItem, 'jobId' | 'position' | 'leases' | 'attempts'>;

/** The result of a finished item. */
export type ItemDone = Pick<JobItem, 'fileId' | 'result' | 'originalBytes' | 'bytes' | 'requests' | 'ai'> & {
  finishedAt: string;
};

export interface ItemFailed {
  errorCode: string;
  errorMessage: string;
  finishedAt: string;
}

/**
 * All methods must be called in a transaction: each makes several changes, or one that belongs together with others.
 */
export interface JobQueue {
  /** Adds the items of a new job, in order. */
  enqueue(jobId: string, items: readonly NewJobItem[]): Promise<void>;
  /**
   * Leases the next item; undefined if none is due. Accounts with fewer running items come first, then the account with
   * the longest wait since its last turn. The same rule decides between the jobs of an account. Within a job, the item
   * with the fewest attempts comes first.
   */
  lease(options: LeaseOptions): Promise<{ job: Job; item: JobItem; started: boolean } | undefined>;
  /** Counts an attempt: a worker starts the item. */
  begin(lease: Lease): Promise<void>;
  /** Extends a lease. False when it has ended. */
  extend(lease: Lease, until: string): Promise<boolean>;
  /** Completes an item. False when the lease has ended: then its result must not be stored. */
  complete(lease: Lease, done: ItemDone): Promise<boolean>;
  /** Marks an item as failed. False when the lease has ended. */
  fail(lease: Lease, failed: ItemFailed): Promise<boolean>;
  /**
   * Puts an item back into the queue without counting an attempt.
   * @param notBefore the time from which it may be leased again; null for at once
   */
  giveBack(lease: Lease, notBefore: string | null): Promise<void>;
  /**
   * Puts abandoned items back into the queue. Their attempts stay counted.
   * @param endedBefore only leases that had expired by then; undefined for all leases, at startup, when no
   * process works on any
   * @returns the items that have been tried `mostAttempts` times; they are not changed
   */
  recover(options: { endedBefore: string | undefined; mostAttempts: number }): Promise<JobItem[]>;
}

export interface LeaseOptions {
  now: string;
  until: string;
  /** The maximum number of running jobs of an account. */
  runningJobs: number;
  /** The job of each item that waits for a slow source. These items do not count as running. */
  stalled?: readonly Pick<Job, 'id' | 'accountId'>[];
  /** Whether another item of a job may fetch its source. Not called for uploads. */
  mayFetch?: (jobId: string) => boolean;
}
