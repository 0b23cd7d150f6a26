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

export interface Tables {
  accounts: AccountTable;
  keys: KeyTable;
  files: FileTable;
}

/** A moment as the tables hold it. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
