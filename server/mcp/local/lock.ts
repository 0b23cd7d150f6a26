/** One process at a time changes a project. */

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { lockFile } from '../../../storage/server-lock.ts';
import { writeFailed } from './errors.ts';
import { removeLeftovers } from './files.ts';
import { outsideRoot } from './project/errors.ts';
import type { ProjectRoot } from './project/root.ts';
import { ensureStateFolder, STATE_FOLDER } from './state-folder.ts';

const FILE_NAME = 'lock';
const PATIENCE_MS = 10_000;
const PAUSE_MS = 50;

/** @throws Failure `write_failed` when another process does not end its change for long */
export async function withProjectLock<T>(root: ProjectRoot, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await ensureStateFolder(root);
  const path = join(root.path, STATE_FOLDER, FILE_NAME);
  // SQLite would follow a link and make what it leads to.
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isFile()) throw outsideRoot(`${STATE_FOLDER}/${FILE_NAME}`);
  const until = performance.now() + PATIENCE_MS;
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
    await wait(PAUSE_MS, undefined, { signal });
  }
}
