/** What the service keeps in its data folder (docs/guides/operating.md, "Data folder"). */

export const DATABASE = 'imagecrew.sqlite';

/** The database, and what SQLite keeps beside it while it is open. */
export const DATABASE_FILES: readonly string[] = [DATABASE, `${DATABASE}-wal`, `${DATABASE}-shm`];

/** Folders of the file stores. */
export const STORES = ['files', 'jobs', 'scans'] as const;

/** Folder of the images that are made for addresses. They can be made again. */
export const CACHE = 'images';

/** The plans of the operator, and the key of the first account until the operator deletes it. */
export const SMALL_FILES = ['plans.json', 'first-key'] as const;

/** Everything that cannot be made again: what a backup holds and a restore replaces. */
export const DATA: readonly string[] = [...DATABASE_FILES, ...STORES, ...SMALL_FILES];

/** Where a backup collects what it holds. */
export const BACKUP_FOLDER = 'backup-in-progress';
export const BACKUP_LOCK = 'backup.lock';

/** Where a restore unpacks a backup, and the name of this folder once the backup is verified. */
export const RESTORE_FOLDER = 'restore-in-progress';
export const VERIFIED_FOLDER = 'restore-verified';

/** Folders with the data from before a restore begin with this. */
export const PREVIOUS_PREFIX = 'before-restore-';

/** Whether a name in the data folder is of backups and restores. */
export const isBesideData = (name: string): boolean =>
  [BACKUP_FOLDER, RESTORE_FOLDER, VERIFIED_FOLDER].includes(name) ||
  // SQLite keeps a journal beside the lock.
  name.startsWith(BACKUP_LOCK) ||
  name.startsWith(PREVIOUS_PREFIX);
