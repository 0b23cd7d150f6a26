/** The driver on better-sqlite3, for versions of Node without a SQLite of their own. */
import { createRequire } from 'node:module';
import type { Database } from 'better-sqlite3';
import type { OpenSqlite, SqliteStatement } from './connection.ts';

export type BetterSqlite = typeof import('better-sqlite3');

const require = createRequire(import.meta.url);

/** @throws the error of `require` if the package, or its native part, is not installed */
export const requireBetterSqlite = (): BetterSqlite => require('better-sqlite3');

export const openWith =
  (BetterDatabase: BetterSqlite): OpenSqlite =>
  (path, { readonly = false, timeoutMs = 0 } = {}) => {
    const database: Database = new BetterDatabase(path, { readonly, timeout: timeoutMs });
    return {
      path,
      get inTransaction() {
        return database.inTransaction;
      },
      exec: (sql) => {
        database.exec(sql);
      },
      prepare: (sql) => database.prepare(sql) as unknown as SqliteStatement,
      define: (name, run) => {
        database.function(name, { deterministic: true }, run as (value: unknown) => unknown);
      },
      close: () => {
        database.close();
      },
    };
  };
