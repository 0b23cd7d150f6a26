/** A connection to a SQLite database, whichever driver opens it. All calls are synchronous. */

export type SqliteValue = string | number | bigint | Uint8Array | null;

export interface SqliteStatement {
  /** Whether it returns rows. */
  readonly reader: boolean;
  all(...values: readonly SqliteValue[]): unknown[];
  /** Returns the first row; undefined if there is none. */
  get(...values: readonly SqliteValue[]): unknown;
  run(...values: readonly SqliteValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  iterate(...values: readonly SqliteValue[]): IterableIterator<unknown>;
}

export interface SqliteConnection {
  readonly path: string;
  readonly inTransaction: boolean;
  /** Runs statements that return no rows. */
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  /** Defines a function of SQL that returns the same for the same value. */
  define(name: string, run: (value: SqliteValue) => SqliteValue): void;
  close(): void;
}

export interface SqliteOptions {
  /** Default: false. Otherwise the file must exist. */
  readonly?: boolean;
  /** How long a statement waits for the lock of another connection. Default: 0. */
  timeoutMs?: number;
}

export type OpenSqlite = (path: string, options?: SqliteOptions) => SqliteConnection;

/** Returns the name of an error of SQLite (SQLite documentation, "Result Codes"); undefined for any other error. */
export function sqliteErrorName(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
}

/** Returns the first column of the first row, such as the value of a pragma; undefined without a row. */
export function readValue(connection: SqliteConnection, sql: string): unknown {
  const row = connection.prepare(sql).get() as Record<string, unknown> | undefined;
  return row && Object.values(row)[0];
}
