/**
 * A program that reacts to signals, and whose main thread is then blocked in SQLite: it waits for a database that
 * another process has locked. Argument: the path of the database.
 */
import { openSqlite } from '../../base/sqlite/open.ts';

const TEN_MINUTES_MS = 600_000;

process.on('SIGTERM', () => process.exit());
console.log('waits');
openSqlite(process.argv[2]!, { timeoutMs: TEN_MINUTES_MS }).exec('BEGIN EXCLUSIVE');
