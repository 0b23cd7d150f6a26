import { sqliteErrorName } from './sqlite/connection.ts';
import { openSqlite } from './sqlite/open.ts';

/**
 * Locks a file, which is created if needed. SQLite's lock ends with the process, however it ends; a mere lock file
 * would be left behind by a killed process.
 * @returns a function that unlocks the file; undefined when another process has locked it
 */
export function lockFile(path: string): (() => void) | undefined {
  const file = openSqlite(path);
  try {
    file.exec('begin exclusive');
    return () => file.close();
  } catch (error) {
    file.close();
    if (sqliteErrorName(error) === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}
