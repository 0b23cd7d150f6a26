import { expected, Failure } from '../../base/failure.ts';

const UNCHANGED = 'The data folder is unchanged. Use another copy of the backup.';

/** @param what is wrong with it, as the end of a sentence: "ends early" */
export const backupDamaged = (file: string, what: string, cause?: unknown): Failure =>
  new Failure('invalid_parameter', `Expected a backup of Imagecrew but ${file} ${what}.`, { hint: UNCHANGED, cause });

/** The backup was made by a version with newer tables. */
export const backupNewer = (file: string, version: string): Failure =>
  new Failure(
    'invalid_parameter',
    `Expected a backup of this version of Imagecrew or an older one but ${file} was made by version ${version}, which has a newer database. Restore it with that version.`,
  );

export const backupRunning = (folder: string): Failure =>
  new Failure('invalid_state', expected('a data folder without another backup in progress', 'IC_DATA_DIR', folder), {
    hint: 'Wait until that backup is done.',
  });

/** A file of the data folder cannot be read, or changed while it was read. */
export const dataUnreadable = (path: string, cause: unknown): Failure =>
  new Failure('internal_error', expected('a file that can be read', 'the backup', `${path} (${reason(cause)})`), {
    cause,
  });

const reason = (error: unknown): string =>
  error instanceof Error ? String('code' in error ? error.code : error.message) : String(error);

export const folderHasData = (folder: string, names: readonly string[]): Failure =>
  new Failure(
    'invalid_state',
    `Expected a data folder without data for IC_DATA_DIR but ${folder} has ${names.join(', ')}.`,
    { hint: 'Add --replace to put the backup in their place; they are kept in a folder before-restore-TIME in it.' },
  );

/** The disk has no room for the unpacked backup. */
export const restoreFull = (folder: string, cause: unknown): Failure =>
  new Failure(
    'storage_full',
    `Expected room for the backup in the data folder ${folder} but its disk is full. The data folder is unchanged.`,
    { cause },
  );
