/** Kysely's SQLite dialect with additions. */

import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  SqliteAdapter,
  type SqliteDatabase as SqliteDatabaseLike,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type SqliteStatement,
  type TransactionSettings,
} from 'kysely';
import { EventLoopShare } from '../../base/event-loop-share.ts';
import {
  type SqliteStatement as ConnectionStatement,
  type SqliteConnection,
  type SqliteValue,
  sqliteErrorName,
} from '../../base/sqlite/connection.ts';
import { databaseFull } from '../errors.ts';
import type { RepositoryDialect } from '../sql/syntax.ts';
import { sqliteSyntax } from './syntax.ts';

/**
 * Begins every transaction that writes by taking the write lock. A transaction that begins as a reader and then writes fails at
 * once, without the busy timeout, if another process has written in between (SQLite documentation, "Isolation",
 * SQLITE_BUSY_SNAPSHOT).
 */
class WritingDriver extends SqliteDriver {
  readonly #database: SqliteConnection;

  constructor(config: SqliteDialectConfig, database: SqliteConnection) {
    super(config);
    this.#database = database;
  }

  /**
   * Yields to the event loop when needed. Statements run synchronously, so a series of awaited statements would block
   * the event loop from the first to the last.
   */
  override async acquireConnection(): Promise<DatabaseConnection> {
    const share = new EventLoopShare();
    if (share.isUsedUp) await share.next();
    return await super.acquireConnection();
  }

  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  /**
   * SQLite may already have rolled back, for example when the disk is full. A second rollback would fail and hide the
   * original error.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}

class Adapter extends SqliteAdapter {
  readonly syntax = sqliteSyntax;

  /** Tells the migrator that `create table` can be rolled back, so that half a migration is never left behind. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Maximum number of cached statements. The service has a few dozen; only lists with filters create more. */
const MAX_CACHED_STATEMENTS = 500;

/** Prepares each statement once. Measured: half the time of a small query is its preparation. */
function cachingStatements(database: SqliteConnection): SqliteDatabaseLike {
  const kept = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare: (sql) => {
      const known = kept.get(sql);
      if (known) return known;
      const statement = withFailures(database.prepare(sql));
      if (kept.size < MAX_CACHED_STATEMENTS) kept.set(sql, statement);
      return statement;
    },
  };
}

/** SQLite's error codes for a full disk: a write that did not fit, or a page that could not be created. */
const DISK_FULL_CODES: ReadonlySet<string> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE']);

export const isFull = (error: unknown): boolean => DISK_FULL_CODES.has(sqliteErrorName(error) ?? '');

/** Turns errors of a full disk into failures, to distinguish them from internal errors. */
function withFailures(statement: ConnectionStatement): SqliteStatement {
  const withFailure =
    <A extends unknown[], R>(run: (...args: A) => R) =>
    (...args: A): R => {
      try {
        return run(...args);
      } catch (error) {
        if (isFull(error)) throw databaseFull(error);
        throw error;
      }
    };
  return {
    reader: statement.reader,
    all: withFailure((values) => statement.all(...(values as readonly SqliteValue[]))),
    run: withFailure((values) => statement.run(...(values as readonly SqliteValue[]))),
    iterate: (values) => statement.iterate(...(values as readonly SqliteValue[])),
  };
}

export class SharedSqliteDialect extends SqliteDialect implements RepositoryDialect {
  readonly #config: SqliteDialectConfig;
  readonly #database: SqliteConnection;

  constructor(database: SqliteConnection) {
    const config = { database: cachingStatements(database) };
    super(config);
    this.#config = config;
    this.#database = database;
  }

  override createDriver(): Driver {
    return new WritingDriver(this.#config, this.#database);
  }

  override createAdapter(): Adapter {
    return new Adapter();
  }
}
