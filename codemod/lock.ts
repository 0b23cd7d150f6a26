/** Locks a project, so that only one process changes it at a time. */

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { lockFile } from '../base/file-lock.ts';
import { writeFailed } from './errors.ts';
import { removeLeftovers } from './files.ts';
import { outsideRoot, type ProjectRoot } from './project/root.ts';
import { ensureStateFolder, STATE_FOLDER } from './state-folder.ts';

const FILE_NAME = 'lock';
const LOCK_TIMEOUT_MS = 10_000;
const RETRY_DELAY_MS = 50;

/** @throws Failure `write_failed` if another process holds the lock for more than 10 s */
export async function withProjectLock<T>(root: ProjectRoot, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await ensureStateFolder(root);
  await assertOwnLock(root);
  const path = join(root.path, STATE_FOLDER, FILE_NAME);
  const until = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const release = lockFile(path);
    if (release) {
      try {
        await removeLeftovers(root);
        return await work();
      } finally {
        release();
      }
    }
    if (performance.now() > until) throw writeFailed('another process is changing them', true);
    await wait(RETRY_DELAY_MS, undefined, { signal });
  }
}

/**
 * Checks that the lock is this server's: an empty file with one link. SQLite would follow a symbolic link and create
 * its target. If the project came with a database and a journal, SQLite would play the journal back and so delete
 * whatever file it names as its super-journal. For an empty database, as a killed process leaves it, SQLite removes the
 * journal unread. A foreign file is refused and not removed, because another process may just have created a new lock
 * in its place.
 */
async function assertOwnLock(root: ProjectRoot): Promise<void> {
  await root.inFolder(STATE_FOLDER, async (folder) => {
    const found = await lstat(join(folder, FILE_NAME)).catch(() => undefined);
    if (found && !found.isFile()) throw outsideRoot(`${STATE_FOLDER}/${FILE_NAME}`);
    if (found && (found.size > 0 || found.nlink > 1))
      throw writeFailed(`${STATE_FOLDER}/${FILE_NAME} is not of this server and has to be removed`, true);
  });
}
