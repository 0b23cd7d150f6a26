/**
 * Who may read the data folder: hashes of keys, results and addresses of accounts are nobody else's business on a shared
 * machine. Modes are set, not only asked for when something is made: that would depend on the umask, and leave what an
 * earlier version has made.
 */
import { chmod, type FileHandle, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** What an earlier version may have left readable; stored files were always made for their owner alone. */
const FILES = ['imagecrew.sqlite', 'imagecrew.sqlite-wal', 'imagecrew.sqlite-shm', 'server.lock'];
const FOLDERS = ['files', 'jobs', 'scans'];

/** What else people keep in a data folder. With a name that is none of these, the folder is not ours alone. */
const OWN = new Set([...FILES, ...FOLDERS, 'models', 'plans.json', 'first-key', 'lost+found', 'write-probe']);
const isOwn = (name: string): boolean => OWN.has(name) || name.startsWith('.') || name.includes('.sqlite');

/** Makes a data folder that does not exist, and closes what is in it, and itself where nothing else is in it, to others. */
export async function secureDataFolder(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: FOLDER_MODE });
  // Windows has no modes; access is inherited from the folder above.
  if (process.platform === 'win32') return;
  const names = await readdir(dataDir);
  if (names.every(isOwn)) await tighten(dataDir, FOLDER_MODE);
  for (const name of FOLDERS) await tighten(join(dataDir, name), FOLDER_MODE);
  for (const name of FILES) await tighten(join(dataDir, name), FILE_MODE);
}

/** Makes a file for its owner alone where there is none, so that SQLite makes those beside it the same way. */
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
}

/** Takes rights from others; adds none, follows no link, and leaves what belongs to another user. */
async function tighten(path: string, mode: number): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found || found.isSymbolicLink()) return;
  const present = found.mode & 0o777;
  const wanted = present & mode;
  if (wanted === present || found.uid !== process.getuid?.()) return;
  await chmod(path, wanted);
}
