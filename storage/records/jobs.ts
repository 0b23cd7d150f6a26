import type { Key } from './keys.ts';

export const JOB_STATUSES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

export interface Job {
  id: string;
  accountId: string;
  keyId: string;
  status: JobStatus;
  /** Both null for a pipeline that was sent with the job. A template has a name and no version. */
  pipelineName: string | null;
  pipelineVersion: number | null;
  outputName: string | null;
  /** JSON, as they were sent: a job keeps its own copy. */
  steps: string;
  /** JSON; null for one result of each image. */
  outputs: string | null;
  webhookUrl: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  createdAt: string;
  startedAt: string | null;
  /** When one of its items was last leased. */
  leasedAt: string | null;
  finishedAt: string | null;
}

/** One image of a job. */
export interface JobItem {
  jobId: string;
  /** From 0. */
  position: number;
  status: JobStatus;
  sourceKind: 'url' | 'file';
  /** The address, or the name of the private file. */
  source: string;
  /** The file name of an upload. */
  filename: string | null;
  /**
   * How many times a worker has started it. When the service is stopped properly, interrupted attempts are not counted.
   */
  attempts: number;
  /** How many times it was leased. */
  leases: number;
  /** When the lease ends; null when nobody works on it. */
  leaseUntil: string | null;
  /** It may not be leased before this time; null for at once. */
  nextAttemptAt: string | null;
  fileId: string | null;
  /** JSON of the record of a finished item. */
  result: string | null;
  originalBytes: number | null;
  bytes: number | null;
  /** Charged credits. */
  requests: number;
  ai: number;
  errorCode: string | null;
  errorMessage: string | null;
  finishedAt: string | null;
}

/** A request that must not be performed twice, and the job that it created. */
export interface IdempotentRequest {
  accountId: string;
  key: string;
  requestHash: string;
  jobId: string;
  createdAt: string;
}

/** A job with the mode of the key that sent it. */
export type SentJob = Job & { keyMode: Key['mode'] };
