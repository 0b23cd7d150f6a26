import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { lockDataFolder } from '../../../storage/data-folder/server-lock.ts';
import { openDatabase } from '../../../storage/sqlite/database.ts';
import { failureOf } from '../../support/failure.ts';
import { withFolder } from '../../support/folder.ts';
import { LOADER, program } from '../../support/repository.ts';

const PROGRAM = program('test/storage/data-folder/lock-folder');
const UNUSABLE = /^Expected a folder that can be written( \([A-Z_]+\))? for IC_DATA_DIR but received "/;

/** Starts a process that tries to lock the folder, and waits for the outcome that it reports. */
async function startLocker(folder: string): Promise<{ child: ChildProcess; said: unknown }> {
  const child = fork(PROGRAM, [folder], { execArgv: [...LOADER] });
  const [said] = await once(child, 'message');
  return { child, said };
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('lockDataFolder', () => {
  it('locks the folder for one process until that ends, however it ends', async () => {
    await withFolder(async (folder) => {
      const holder = await startLocker(folder);
      try {
        assert.equal(holder.said, 'taken');
        const refused = await failureOf('internal_error', () => lockDataFolder(folder));
        assert.match(refused.message, /^Expected a folder that no other server uses for IC_DATA_DIR but received "/);
        const second = await startLocker(folder);
        await kill(second.child);
        assert.equal(second.said, refused.message);
      } finally {
        await kill(holder.child);
      }
      (await lockDataFolder(folder))();
    });
  });

  it('rejects a second server in the same process, and releases the folder for the next', async () => {
    await withFolder(async (folder) => {
      const unlock = await lockDataFolder(folder);
      await failureOf('internal_error', () => lockDataFolder(folder));
      // The refused attempt must not release the lock.
      await failureOf('internal_error', () => lockDataFolder(folder));
      unlock();
      unlock();
      (await lockDataFolder(folder))();
    });
  });

  it('makes folders above it, and gives up where a file system says that they are not there', async () => {
    await withFolder(async (folder) => {
      const inner = join(folder, 'a/b/c');
      (await lockDataFolder(inner))();
      assert.equal((await stat(join(folder, 'a'))).mode & 0o777, 0o700);
    });
    // A folder of Linux in which nothing can be made. Elsewhere it does not exist, and cannot be made either.
    assert.match((await failureOf('internal_error', () => lockDataFolder('/proc/imagecrew/data'))).message, UNUSABLE);
  });

  it('does not affect other folders or commands that run beside the server', async () => {
    await withFolder(async (folder) => {
      const unlock = await lockDataFolder(folder);
      const unlockOther = await lockDataFolder(join(folder, 'other'));
      const database = await openDatabase(folder);
      await database.accounts.create({ name: 'anna', email: null, plan: 'free' });
      await database.close();
      unlockOther();
      unlock();
    });
  });

  it('creates the folder for its owner only', async () => {
    await withFolder(async (folder) => {
      const dataDir = join(folder, 'new', 'data');
      (await lockDataFolder(dataDir))();
      assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
    });
  });

  it('reports a folder that is a file as unusable, not as locked', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'data');
      await writeFile(path, '');
      const { message } = await failureOf('internal_error', () => lockDataFolder(path));
      assert.match(message, UNUSABLE);
      await writeFile(join(folder, 'server.lock'), 'this is no database, and longer than the header of one '.repeat(4));
      const broken = await failureOf('internal_error', () => lockDataFolder(folder));
      assert.match(broken.message, UNUSABLE);
    });
  });
});
