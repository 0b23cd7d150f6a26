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

export interface Tables {
  accounts: AccountTable;
  keys: KeyTable;
  files: FileTable;
  meters: MeterTable;
  usage: UsageTable;
  notices: NoticeTable;
  packages: PackageTable;
  rateWindows: RateWindowTable;
}

/** A moment as the tables hold it. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
