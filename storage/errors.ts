import { expected, Failure } from '../base/failure.ts';

/** At startup: the data folder cannot be used. */
export function dataFolderUnusable(folder: string, cause: unknown): Failure {
  const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
  return new Failure('internal_error', expected(`a folder that can be written${code}`, 'IC_DATA_DIR', folder), {
    cause,
  });
}

/** At startup: another server uses the data folder. */
export const dataFolderInUse = (folder: string): Failure =>
  new Failure('internal_error', expected('a folder that no other server uses', 'IC_DATA_DIR', folder), {
    hint: 'Stop that server first, or name another folder.',
  });

/** At startup: the disk has no space for the files that SQLite needs beside the database. */
export const dataFolderFull = (folder: string, cause: unknown): Failure =>
  new Failure('storage_full', `Expected room on the disk of the data folder ${folder} but it is full.`, {
    cause,
  });

const RESTORE =
  'Stop the service and put a backup in its place with imagecrew admin restore FILE --replace: docs/guides/operating.md, "Backup and restore".';

/** At startup: the database file is damaged or not a database. */
export const databaseDamaged = (file: string, what: string, cause?: unknown): Failure =>
  new Failure('internal_error', `Expected a whole database but ${file} ${what}. ${RESTORE}`, { cause });

/** There is no database to copy. */
export const databaseMissing = (folder: string): Failure =>
  new Failure('not_found', expected('a data folder with a database', 'IC_DATA_DIR', folder));

/** A restore was interrupted after its backup had been verified. */
export const restoreUnfinished = (folder: string): Failure =>
  new Failure(
    'invalid_state',
    `Expected a data folder whose restore is finished but ${folder} is in the middle of one. Start the service, which finishes it.`,
  );

/** A restore cannot rename a folder of the data folder that is a mount point. */
export const folderIsMountPoint = (path: string): Failure =>
  new Failure(
    'invalid_state',
    `Expected a folder that can be moved but ${path} is a mount point. The data folder is unchanged. Unmount it first.`,
  );

/** At startup: the database was written by a newer version. */
export function databaseNewer(file: string, cause?: unknown): Failure {
  return new Failure(
    'internal_error',
    `Expected a database of this version or an older one but ${file} was changed by a newer version of Imagecrew. Start that version, or restore a backup from before it: docs/guides/operating.md, "Upgrade".`,
    { cause },
  );
}

/**
 * At startup: the database belongs to another program.
 * @param setting what to set instead, such as `IC_DATA_DIR to a folder of the service's own`
 */
export const databaseForeign = (name: string, setting: string): Failure =>
  new Failure(
    'internal_error',
    `Expected a database of Imagecrew but ${name} has the tables of another program. Set ${setting}.`,
  );

/**
 * At startup: the database server refuses, does not answer or cannot be used.
 * @param address without the password
 * @param reason what is wrong, such as `password authentication failed`
 */
export const databaseUnusable = (address: string, reason: string, cause?: unknown): Failure =>
  new Failure(
    'internal_error',
    expected(`a PostgreSQL database that can be used (${reason})`, 'IC_DATABASE_URL', address),
    {
      cause,
    },
  );

/** 503: the database server does not answer. */
export const databaseUnreachable = (cause: unknown): Failure =>
  new Failure('overloaded', 'Expected an answer from the database but it cannot be reached.', {
    retryAfter: 5,
    cause,
  });

/** Another account has this name. Names must be unique because operators identify accounts by them. */
export const nameTaken = (name: string): Failure =>
  new Failure('invalid_parameter', expected('a name that no other account has', 'name', name), {
    param: 'name',
  });

/** 507: all stored results together have reached their limit, or the disk is full. */
export const storageFull = (cause?: unknown): Failure =>
  new Failure('storage_full', 'Expected room for a stored result but the storage is full.', { cause });

/** 507: the account has used up its share of the storage. */
export function accountStorageFull(): Failure {
  return new Failure(
    'storage_full',
    'Expected room for a stored result but this account holds as much of the storage as it leaves free for others.',
  );
}

/** 507: the database cannot grow. */
export function databaseFull(cause: unknown): Failure {
  return new Failure('storage_full', 'Expected room on the disk to store this but the disk is full.', { cause });
}

export const isStorageFull = (error: unknown): boolean => error instanceof Failure && error.code === 'storage_full';

/** 404: there is no such stored result in this account. */
export const fileNotFound = (id: string): Failure =>
  new Failure('not_found', expected('the id of a stored result', 'id', id), { param: 'id' });

/** 410: the result has expired. */
export const fileExpired = (): Failure =>
  new Failure('expired', 'Expected a stored result that has not expired for id but its hour has passed.', {
    param: 'id',
  });
