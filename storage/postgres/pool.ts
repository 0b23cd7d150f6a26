/** The connections to PostgreSQL. */

import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { databaseFull, databaseUnreachable } from '../errors.ts';
import { storable } from './syntax.ts';

/** Connections of one process. PostgreSQL allows 100 in all by default. */
const CONNECTIONS = 10;

const CONNECT_TIMEOUT_MS = 5000;

/** Ends a statement that waits for a lock of a process that does not answer any more. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** Ends a transaction, with its locks, whose process has stopped in the middle. No transaction waits for anything else. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;

/** Types whose values the service keeps as numbers: none is above 2^53. They are the types of counts and sums. */
const NUMBERS: ReadonlySet<number> = new Set([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

/**
 * @param url such as `postgres://user:password@host:5432/name`
 * @param sessionProcess the id of this process, once it has joined
 */
export function openPool(url: string, sessionProcess: () => string | undefined = () => undefined): PostgresPool {
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
  const named = new WeakMap<pg.PoolClient, string>();
  const names = new StatementNames();
  return {
    connect: async () => {
      const client = await pool.connect().catch(failed);
      const known = clients.get(client) ?? withFailures(client, names);
      clients.set(client, known);
      const process = sessionProcess();
      if (process !== undefined && named.get(client) !== process) {
        await nameProcess(client, process);
        named.set(client, process);
      }
      return known;
    },
    end: () => pool.end(),
  };
}

/** For the triggers of `meters`: the changes on a connection are of this process. */
async function nameProcess(client: pg.PoolClient, process: string): Promise<void> {
  try {
    await client.query("select set_config('imagecrew.process', $1, false)", [process]);
  } catch (error) {
    client.release(true);
    failed(error);
  }
}

/** Maximum number of statements that each connection keeps prepared, as with SQLite. */
const MAX_NAMED_STATEMENTS = 500;

/** Names of statements, which PostgreSQL then parses and plans once a connection: 45 µs instead of 136 for a key. */
class StatementNames {
  readonly #names = new Map<string, string>();
  #isUsed = true;

  of(text: string, { length }: readonly unknown[]): { name?: string } {
    const known = this.#names.get(text);
    if (known !== undefined) return { name: known };
    if (length === 0 || !this.#isUsed || this.#names.size >= MAX_NAMED_STATEMENTS) return {};
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return { name };
  }

  /** After a newer version has added a column, a prepared `select *` fails. */
  forgetIfStale(error: unknown): void {
    if (codeOf(error) !== FEATURE_NOT_SUPPORTED) return;
    this.#names.clear();
    this.#isUsed = false;
  }
}

/** Turns the errors of a server that is away or full into failures, to distinguish them from internal errors. */
function withFailures(client: pg.PoolClient, names: StatementNames): PostgresPoolClient {
  // Without a listener, a connection that is lost between two statements would end the process.
  client.on('error', () => {});
  return {
    query: ((text: string, values: readonly unknown[]) =>
      client.query({ text, values: values.map(storable), ...names.of(text, values) }).catch((error: unknown) => {
        names.forgetIfStale(error);
        return failed(error);
      })) as unknown as PostgresPoolClient['query'],
    release: () => client.release(),
  };
}

/** SQLSTATE classes and codes (PostgreSQL documentation, appendix A) and errors of the network. */
const UNREACHABLE = /^(?:08...|57P0[1-5]|53300|E[A-Z_]+)$/;
const DISK_FULL = '53100';
const FEATURE_NOT_SUPPORTED = '0A000';

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
