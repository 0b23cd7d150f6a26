import type { Generated } from 'kysely';

/**
 * The tables as Kysely sees them; columns are snake_case in the database. Only types that SQLite and PostgreSQL share:
 * times are text in UTC with milliseconds (`2026-11-21T05:20:00.000Z`), which sorts as it reads and is what the
 * interface shows; truth values are 0 and 1; lists are JSON text.
 */
export interface AccountTable {
  id: string;
  name: string;
  email: string | null;
  plan: string;
  disabled: number;
  createdAt: string;
}

export interface KeyTable {
  id: string;
  accountId: string;
  name: string;
  mode: 'live' | 'test';
  prefix: string;
  hash: string;
  scopes: string;
  monthlyLimit: number | null;
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
}

export interface FileTable {
  id: string;
  accountId: string;
  filename: string;
  contentType: string;
  format: string;
  width: number | null;
  height: number | null;
  bytes: number;
  sha256: string;
  createdAt: string;
  expiresAt: string;
  removedAt: string | null;
}

/** Credits that a subject (an account or a key) has used and holds in reserve in a period: a month or a day. */
export interface MeterTable {
  subject: string;
  period: string;
  requests: Generated<number>;
  ai: Generated<number>;
  reservedRequests: Generated<number>;
  reservedAi: Generated<number>;
}

/** What an account did in a month, by operation. */
export interface UsageTable {
  accountId: string;
  month: string;
  operation: string;
  requests: Generated<number>;
  ai: Generated<number>;
  bytesIn: Generated<number>;
  bytesOut: Generated<number>;
  failed: Generated<number>;
}

export interface NoticeTable {
  accountId: string;
  month: string;
  meter: 'requests' | 'ai';
  /** In percent of the limit. */
  threshold: number;
  /** When the threshold was passed. */
  used: number;
  limit: number;
  createdAt: string;
  attempts: Generated<number>;
  nextAttemptAt: string;
  sentAt: string | null;
  channel: 'email' | 'log' | null;
}

/** A bought pool of pages for website scans. */
export interface PackageTable {
  id: string;
  accountId: string;
  package: string;
  pagesTotal: number;
  pagesLeft: number;
  boughtAt: string;
  expiresAt: string | null;
}

/** Requests in the running minute. `endsAt` in milliseconds: it is computed with, never shown. */
export interface RateWindowTable {
  subject: string;
  requests: number;
  endsAt: number;
}

/** One version of a saved pipeline. */
export interface PipelineTable {
  accountId: string;
  name: string;
  version: number;
  description: string | null;
  outputName: string | null;
  /** JSON, as it was sent. */
  steps: string;
  /** Of the first version. */
  createdAt: string;
  /** Of this version. */
  updatedAt: string;
}

export const JOB_STATUSES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export interface JobTable {
  id: string;
  accountId: string;
  keyId: string;
  status: JobStatus;
  /** Both null for a pipeline that was sent with the job; a template has a name and no version. */
  pipelineName: string | null;
  pipelineVersion: number | null;
  outputName: string | null;
  /** JSON, as they were sent: a job keeps its own copy. */
  steps: string;
  webhookUrl: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  createdAt: string;
  startedAt: string | null;
  /** When one of its items was last taken up. */
  leasedAt: string | null;
  finishedAt: string | null;
}

export interface JobItemTable {
  jobId: string;
  /** From 0. */
  position: number;
  status: JobStatus;
  sourceKind: 'url' | 'file';
  /** The address, or the name of the private file. */
  source: string;
  /** Name that an upload came with. */
  filename: string | null;
  attempts: Generated<number>;
  /** Whoever works on it has until then; null when nobody does. */
  leaseUntil: string | null;
  /** Not before this; null at once. */
  nextAttemptAt: string | null;
  fileId: string | null;
  /** JSON of what the record says of a finished item. */
  result: string | null;
  originalBytes: number | null;
  bytes: number | null;
  /** Charged. */
  requests: Generated<number>;
  ai: Generated<number>;
  errorCode: string | null;
  errorMessage: string | null;
  finishedAt: string | null;
}

/** A request that is not to be done twice. */
export interface IdempotencyKeyTable {
  accountId: string;
  key: string;
  requestHash: string;
  jobId: string;
  createdAt: string;
}

export interface WebhookSecretTable {
  accountId: string;
  secret: string;
  createdAt: string;
  previousSecret: string | null;
  previousValidUntil: string | null;
}

export interface WebhookMessageTable {
  /** `webhook-id` of every attempt. */
  id: string;
  accountId: string;
  /** null for a test. */
  jobId: string | null;
  url: string;
  /** What is signed and sent, the same at every attempt. */
  body: string;
  status: 'pending' | 'delivered' | 'failed' | 'stopped';
  attempts: Generated<number>;
  lastStatus: number | null;
  lastAttemptAt: string | null;
  nextAttemptAt: string | null;
  createdAt: string;
}

export interface WebhookDeliveryTable {
  messageId: string;
  /** From 1. */
  attempt: number;
  at: string;
  status: number | null;
  durationMs: number;
  error: string | null;
}

export interface Tables {
  accounts: AccountTable;
  keys: KeyTable;
  files: FileTable;
  meters: MeterTable;
  usage: UsageTable;
  notices: NoticeTable;
  packages: PackageTable;
  rateWindows: RateWindowTable;
  pipelines: PipelineTable;
  jobs: JobTable;
  jobItems: JobItemTable;
  idempotencyKeys: IdempotencyKeyTable;
  webhookSecrets: WebhookSecretTable;
  webhookMessages: WebhookMessageTable;
  webhookDeliveries: WebhookDeliveryTable;
}

/** A moment as the tables hold it. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
