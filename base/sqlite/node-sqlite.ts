/** The driver on the SQLite that Node contains (22.13 and newer). */
import type { OpenSqlite, SqliteConnection, SqliteStatement, SqliteValue } from './connection.ts';

/** What is used of `node:sqlite`. The types of Node 20 do not have it. */
export interface NodeSqlite {
  DatabaseSync: new (path: string, options: { readOnly: boolean }) => NodeDatabase;
}

interface NodeDatabase extends Pick<SqliteConnection, 'exec' | 'close'> {
  /** Undefined before 22.16. */
  readonly isTransaction?: boolean;
  prepare(sql: string): NodeStatement;
  function(name: string, options: { deterministic: boolean }, run: (value: SqliteValue) => SqliteValue): void;
}

interface NodeStatement extends Omit<SqliteStatement, 'reader'> {
  /** Undefined before 22.16. */
  columns?(): readonly unknown[];
}

/** Returns Node's module; undefined where this Node has none. */
export function findNodeSqlite(): NodeSqlite | undefined {
  const { emitWarning } = process;
  // Node warns that the module is experimental when it is loaded. What we use of it is in every version.
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Result codes by number (SQLite documentation, "Result Codes"): those of which an extended code says what to do. */
const EXTENDED_NAMES: ReadonlyMap<number, string> = new Map([
  [778, 'SQLITE_IOERR_WRITE'],
  [4874, 'SQLITE_IOERR_SHMSIZE'],
  [275, 'SQLITE_CONSTRAINT_CHECK'],
  [787, 'SQLITE_CONSTRAINT_FOREIGNKEY'],
  [1299, 'SQLITE_CONSTRAINT_NOTNULL'],
  [1555, 'SQLITE_CONSTRAINT_PRIMARYKEY'],
  [2067, 'SQLITE_CONSTRAINT_UNIQUE'],
]);
const NAMES: ReadonlyMap<number, string> = new Map([
  [5, 'SQLITE_BUSY'],
  [6, 'SQLITE_LOCKED'],
  [8, 'SQLITE_READONLY'],
  [10, 'SQLITE_IOERR'],
  [11, 'SQLITE_CORRUPT'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
  [19, 'SQLITE_CONSTRAINT'],
  [26, 'SQLITE_NOTADB'],
]);
const PRIMARY_CODE = 0xff;

/** Runs `work`; errors of SQLite get the name of their result code as `code`. */
function withNames<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && typeof error.errcode === 'number') {
      const { errcode } = error;
      const code = EXTENDED_NAMES.get(errcode) ?? NAMES.get(errcode & PRIMARY_CODE) ?? 'SQLITE_ERROR';
      Object.assign(error, { code });
    }
    throw error;
  }
}

/** Statements that return rows, for versions of Node that cannot tell the columns of a statement (22.13 to 22.15). */
const RETURNS_ROWS = /^\s*(select|with|pragma|values|explain)\b|\breturning\b/i;

const statementOf = (statement: NodeStatement, sql: string): SqliteStatement => ({
  reader: statement.columns === undefined ? RETURNS_ROWS.test(sql) : statement.columns().length > 0,
  all: (...values) => withNames(() => statement.all(...values)),
  get: (...values) => withNames(() => statement.get(...values)),
  run: (...values) => withNames(() => statement.run(...values)),
  iterate: (...values) => withNames(() => statement.iterate(...values)),
});

/** `begin` fails inside a transaction, and changes nothing outside of one. */
function isInTransaction(database: NodeDatabase): boolean {
  try {
    database.exec('begin');
  } catch {
    return true;
  }
  database.exec('rollback');
  return false;
}

function connectionOf(path: string, database: NodeDatabase): SqliteConnection {
  let isOpen = true;
  return {
    path,
    get inTransaction() {
      return database.isTransaction ?? isInTransaction(database);
    },
    exec: (sql) => withNames(() => database.exec(sql)),
    prepare: (sql) => withNames(() => statementOf(database.prepare(sql), sql)),
    define: (name, run) => database.function(name, { deterministic: true }, run),
    close: () => {
      // A second call of Node's function throws.
      if (isOpen) database.close();
      isOpen = false;
    },
  };
}

export const openWith =
  ({ DatabaseSync }: NodeSqlite): OpenSqlite =>
  (path, { readonly = false, timeoutMs = 0 } = {}) => {
    const database = withNames(() => new DatabaseSync(path, { readOnly: readonly }));
    database.exec(`pragma busy_timeout = ${timeoutMs}`);
    return connectionOf(path, database);
  };
