import type { Job, JobItem, JobStatus, SentJob } from '../records/jobs.ts';

export type NewJob = Pick<
  Job,
  | 'id'
  | 'accountId'
  | 'keyId'
  | 'pipelineName'
  | 'pipelineVersion'
  | 'outputName'
  | 'steps'
  | 'outputs'
  | 'webhookUrl'
  | 'createdAt'
>;

/** The end of a job. */
export type JobEnd = Pick<Job, 'errorCode' | 'errorMessage'> & {
  status: 'done' | 'failed' | 'cancelled';
  finishedAt: string;
};

/** The number of items of a job with the same status and error code. */
export interface ItemCount {
  status: JobStatus;
  errorCode: string | null;
  /** The message of one of them. */
  errorMessage: string | null;
  items: number;
}

export interface Jobs {
  /** Records a job. Its items must be added to the queue in the same transaction. */
  insert(job: NewJob): Promise<void>;
  find(id: string): Promise<SentJob | undefined>;
  /** Those of the jobs with these ids that exist, in no particular order. */
  some(ids: readonly string[]): Promise<SentJob[]>;
  /**
   * Ids of the jobs of an account that were created since `time` or have not ended, newest first.
   * @param page the range to return
   * @returns the ids and the total number
   */
  listedIds(
    accountId: string,
    time: string,
    page: { limit: number; offset: number },
  ): Promise<{ ids: string[]; total: number }>;
  /** Items of several jobs, in order within each job. */
  items(jobIds: readonly string[]): Promise<JobItem[]>;
  item(jobId: string, position: number): Promise<JobItem | undefined>;
  /** Number of jobs of an account whose first item has not started. */
  queued(accountId: string): Promise<number>;
  /** Number of all jobs, by status. */
  countByStatus(): Promise<Partial<Record<JobStatus, number>>>;
  /** Number of items of a job, by their present status. */
  itemCounts(jobId: string): Promise<ItemCount[]>;
  /** Ends a job and cancels its remaining items. False when it had already ended. Must be called in a transaction. */
  end(id: string, end: JobEnd): Promise<boolean>;
  /** Ids of the jobs that have not ended. */
  openIds(): Promise<string[]>;
  /** Names of the private files that unfinished items still need. */
  openSources(): Promise<string[]>;
  /** Deletes the jobs that ended at or before `time`, with their items. */
  forget(time: string): Promise<void>;
}
