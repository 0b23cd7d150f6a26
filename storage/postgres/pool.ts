/** The connections to PostgreSQL. */

import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { databaseFull, databaseUnreachable } from '../errors.ts';

/** Connections of one process. PostgreSQL allows 100 in all by default. */
const CONNECTIONS = 10;

const CONNECT_TIMEOUT_MS = 5000;

/** Ends a statement that waits for a lock of a process that does not answer any more. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** Ends a transaction, with its locks, whose process has stopped in the middle. No transaction waits for anything else. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;

/** Types whose values the service keeps as numbers: none is above 2^53. They are the types of counts and sums. */
const NUMBERS: ReadonlySet<number> = new Set([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

/** @param url such as `postgres://user:password@host:5432/name` */
export function openPool(url: string): PostgresPool & { readonly size: number } {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'imagecrew',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  });
  // An idle connection was lost. The pool has removed it, and the next query opens another one.
  pool.on('error', () => {});
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    get size() {
      return pool.totalCount;
    },
    connect: async () => {
      const client = await pool.connect().catch(failed);
      const known = clients.get(client);
      if (known) return known;
      // Without a listener, a connection that is lost between two statements would end the process.
      client.on('error', () => {});
      const wrapped = withFailures(client);
      clients.set(client, wrapped);
      return wrapped;
    },
    end: () => pool.end(),
  };
}

/** Turns the errors of a server that is away or full into failures, to distinguish them from internal errors. */
const withFailures = (client: pg.PoolClient): PostgresPoolClient => ({
  query: ((statement: string, values: readonly unknown[]) =>
    client.query(statement, values as unknown[]).catch(failed)) as unknown as PostgresPoolClient['query'],
  release: () => client.release(),
});

/** SQLSTATE classes and codes (PostgreSQL documentation, appendix A) and errors of the network. */
const UNREACHABLE = /^(?:08...|57P0[1-5]|53300|E[A-Z_]+)$/;
const DISK_FULL = '53100';

function failed(error: unknown): never {
  const code = codeOf(error);
  if (code === DISK_FULL) throw databaseFull(error);
  if (UNREACHABLE.test(code) || isLost(error)) throw databaseUnreachable(error);
  throw error;
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Errors of `pg` that have no code: the connection was lost, or none could be opened in time. */
const isLost = (error: unknown): boolean =>
  error instanceof Error &&
  /^Connection terminated|^timeout expired|^timeout exceeded when trying to connect|^Client has encountered a connection error/.test(
    error.message,
  );
