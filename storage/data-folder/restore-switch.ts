/**
 * Puts the data of a verified backup in the place of those of a data folder. A process that is killed at any moment
 * leaves the old data, or new data that the next start of the service finishes to put in place.
 *
 * Everything happens inside the data folder: the folder itself may be a mount point (the volume of a container), and its
 * parent may belong to root (systemd's StateDirectory), so it cannot be renamed.
 */
import { lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { timestamp } from '../../base/timestamp.ts';
import { folderIsMountPoint, restoreUnfinished } from '../errors.ts';
import { DATA, PREVIOUS_PREFIX, RESTORE_FOLDER, VERIFIED_FOLDER } from './entries.ts';
import { giveToOwnerOf } from './permissions.ts';

/** Folder in the verified one that takes the old data. As long as it is there, data in the data folder are old. */
const OLD_DATA = 'old-data';

/** Names of the data that a folder has. */
export async function dataIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return DATA.filter((name) => names.includes(name));
}

/** @throws Failure if a restore was interrupted: the data are neither the old nor the new ones */
export async function checkNoUnfinishedRestore(dataDir: string): Promise<void> {
  if (await exists(join(dataDir, VERIFIED_FOLDER))) throw restoreUnfinished(dataDir);
}

/**
 * Replaces the data by those of a folder inside the data folder. The caller has locked the data folder.
 * @returns the path of the folder with the old data; undefined if there were none
 */
export async function switchData(dataDir: string, folder: string): Promise<string | undefined> {
  const oldData = join(folder, OLD_DATA);
  await mkdir(oldData, { mode: 0o700 });
  await giveToOwnerOf(dataDir, oldData);
  for (const name of await dataIn(folder)) await flush(join(folder, name));
  await flush(folder);
  // From here on the restore is finished rather than undone.
  await rename(folder, join(dataDir, VERIFIED_FOLDER));
  await flush(dataDir);
  return await finishRestore(dataDir);
}

/** Finishes a restore from where it was interrupted. The caller has locked the data folder. */
export async function finishRestore(dataDir: string): Promise<string | undefined> {
  const verified = join(dataDir, VERIFIED_FOLDER);
  if (!(await exists(verified))) return undefined;
  const previous = await moveOldData(dataDir, join(verified, OLD_DATA));
  for (const name of await dataIn(verified)) await rename(join(verified, name), join(dataDir, name));
  await flush(dataDir);
  await rm(verified, { recursive: true });
  await flush(dataDir);
  return previous;
}

async function moveOldData(dataDir: string, oldData: string): Promise<string | undefined> {
  if (!(await exists(oldData))) return undefined;
  for (const name of await dataIn(dataDir)) {
    try {
      await rename(join(dataDir, name), join(oldData, name));
    } catch (error) {
      await undoRestore(dataDir, oldData);
      throw isMountPoint(error) ? folderIsMountPoint(join(dataDir, name)) : error;
    }
  }
  await flush(oldData);
  if ((await readdir(oldData)).length === 0) {
    await rmdir(oldData);
    return undefined;
  }
  // A colon cannot be part of a file name on Windows.
  const previous = join(dataDir, PREVIOUS_PREFIX + timestamp(Date.now()).replaceAll(':', '-'));
  await rename(oldData, previous);
  await flush(dataDir);
  return previous;
}

/** Undoes a restore whose old data cannot all be moved: the next start would fail too, and the service has no data. */
async function undoRestore(dataDir: string, oldData: string): Promise<void> {
  for (const name of await dataIn(oldData)) await rename(join(oldData, name), join(dataDir, name));
  await rename(join(dataDir, VERIFIED_FOLDER), join(dataDir, RESTORE_FOLDER));
  await flush(dataDir);
}

/** Before a rename, a bind mount of the same file system looks like any folder. */
const isMountPoint = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['EBUSY', 'EXDEV'].includes(String(error.code));

/** Flushes a file, or the names in a folder, to disk. Windows cannot open folders and flushes renames itself. */
async function flush(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const opened = await open(path);
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
