import SqliteDatabase from 'better-sqlite3';

/**
 * Locks a file, which is created if needed. SQLite's lock ends with the process, however it ends; a mere lock file
 * would be left behind by a killed process.
 * @returns a function that unlocks the file; undefined when another process has locked it
 */
export function lockFile(path: string): (() => void) | undefined {
  const file = new SqliteDatabase(path, { timeout: 0 });
  try {
    file.exec('begin exclusive');
    return () => file.close();
  } catch (error) {
    file.close();
    if (error instanceof SqliteDatabase.SqliteError && error.code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}
