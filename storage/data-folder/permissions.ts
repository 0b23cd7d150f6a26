/**
 * Closes the data folder to other users of the machine: it contains key hashes, results and email addresses. Modes are
 * set explicitly, because the mode at creation depends on the umask, and files of an earlier version may be readable.
 */
import { existsSync } from 'node:fs';
import { chmod, type FileHandle, lchown, lstat, mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CACHE, DATABASE_FILES, isBesideData, SMALL_FILES, STORES } from './entries.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Files that an earlier version may have left readable. Stored files were always private. */
const FILES = [...DATABASE_FILES, 'server.lock'];

/**
 * Other names that belong in a data folder. If there is any further name, the folder is not used by the service alone.
 */
const OWN = new Set([
  ...FILES,
  ...STORES,
  CACHE,
  ...SMALL_FILES,
  ...['models', 'models-fetch', 'lost+found', 'write-probe', 'server.lock-journal'],
]);
const isOwn = (name: string): boolean =>
  OWN.has(name) || name.startsWith('.') || isBesideData(name) || name.includes('.sqlite');

/**
 * Creates the data folder if needed. Closes its files to other users, and the folder too if only the service uses it.
 */
export async function secureDataFolder(dataDir: string): Promise<void> {
  await makeFolder(resolve(dataDir));
  // Windows has no modes; access rights are inherited from the parent folder.
  if (process.platform === 'win32') return;
  const names = await readdir(dataDir);
  if (names.every(isOwn)) await removeOthersAccess(dataDir, FOLDER_MODE);
  for (const name of [...STORES, CACHE]) await removeOthersAccess(join(dataDir, name), FOLDER_MODE);
  for (const name of FILES) await removeOthersAccess(join(dataDir, name), FILE_MODE);
}

/**
 * Creates a folder and those above it. Node's own `recursive` never ends where a file system says of a folder that is
 * there that it is not, as /proc does.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: FOLDER_MODE });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: FOLDER_MODE });
  }
}

/** Creates the file with mode 0600 if it does not exist. SQLite then gives the files beside it the same mode. */
export async function ensurePrivateFile(path: string): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(path, 'wx', FILE_MODE);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw error;
  }
  try {
    await file.chmod(FILE_MODE);
  } finally {
    await file.close();
  }
  await giveToOwnerOf(dirname(path), path);
}

/**
 * Gives what root has made to the owner of a folder: a command that root runs on the data folder of a service must not
 * leave files that the service cannot open. Does nothing for other users, who may not change owners.
 */
export async function giveToOwnerOf(folder: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await lchown(path, uid, gid);
}

/** Removes access rights of other users. Adds none, follows no links, and skips files of other users. */
async function removeOthersAccess(path: string, mode: number): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found || found.isSymbolicLink()) return;
  const present = found.mode & 0o777;
  const wanted = present & mode;
  if (wanted === present || found.uid !== process.getuid?.()) return;
  await chmod(path, wanted);
}
