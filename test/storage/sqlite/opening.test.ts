import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openSqlite } from '../../../base/sqlite/open.ts';
import { lockDataFolder } from '../../../storage/data-folder/server-lock.ts';
import { checkDatabase, openDatabase } from '../../../storage/sqlite/database.ts';
import { failureOf } from '../../support/failure.ts';
import { withFolder } from '../../support/folder.ts';

const NAME = 'imagecrew.sqlite';

/** Runs `work` with the folder of a closed database and the path of its file. */
async function withClosed(work: (folder: string, file: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const database = await openDatabase(folder);
    for (let n = 0; n < 200; n += 1)
      await database.accounts.create({ name: `${n}`.padStart(500, 'x'), email: null, plan: 'free' });
    await database.close();
    await work(folder, join(folder, NAME));
  });
}

async function refused(folder: string): Promise<string> {
  const { message } = await failureOf('internal_error', () => openDatabase(folder));
  assert.equal((await failureOf('internal_error', () => checkDatabase(folder))).message, message);
  return message;
}

describe('an unusable database', () => {
  it('is named in the error, with the cause and how to restore it', async () => {
    await withClosed(async (folder, file) => {
      const whole = await readFile(file);
      const text = 'Please sign in.'.repeat(1000);
      await writeFile(file, text);
      const message = await refused(folder);
      assert.ok(message.startsWith(`Expected a whole database but ${file} is no SQLite database. `), message);
      assert.match(message, /Backup and restore/);
      assert.equal(await readFile(file, 'utf8'), text);

      await writeFile(file, whole);
      await truncate(file, whole.length / 2);
      assert.match(await refused(folder), /imagecrew.sqlite is damaged/);

      await writeFile(file, whole);
      await truncate(file, 50);
      assert.match(await refused(folder), /is no SQLite database|is damaged/);

      await mkdir(join(folder, 'files'), { recursive: true });
      await truncate(file, 0);
      assert.ok((await refused(folder)).includes(`${file} is empty`));

      await writeFile(file, whole);
      await (await openDatabase(folder)).close();
    });
  });

  it('is detected by a check although its start is intact', async () => {
    await withClosed(async (folder, file) => {
      const bytes = await readFile(file);
      bytes.fill(0xff, bytes.length - 40_000);
      await writeFile(file, bytes);
      const { message } = await failureOf('internal_error', () => checkDatabase(folder));
      assert.ok(message.includes(`${file} is damaged`), message);
    });
  });

  it('of a newer version or of another program is distinguished from a damaged one', async () => {
    await withClosed(async (folder, file) => {
      const connection = openSqlite(file);
      connection.prepare("insert into kysely_migration (name, timestamp) values ('9999_future', '2030')").run();
      connection.close();
      assert.match(await refused(folder), /was changed by a newer version of Imagecrew/);
    });
    await withFolder(async (folder) => {
      const connection = openSqlite(join(folder, NAME));
      connection.exec('create table songs (title text)');
      connection.close();
      assert.match(await refused(folder), /has the tables of another program/);
    });
  });

  it('is not reported for a new folder', async () => {
    await withFolder(async (folder) => {
      assert.equal(await checkDatabase(join(folder, 'none')), false);
      await (await openDatabase(folder)).close();
      assert.equal(await checkDatabase(folder), true);
    });
  });
});

describe('the data folder', { skip: process.platform === 'win32' }, () => {
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

  it('is closed to other users, whatever the umask', async () => {
    const umask = process.umask(0);
    try {
      await withFolder(async (parent) => {
        const folder = join(parent, 'data');
        const unlock = await lockDataFolder(folder);
        const database = await openDatabase(folder);
        await database.accounts.create({ name: 'anna', email: null, plan: 'free' });
        assert.equal(await modeOf(folder), '700');
        for (const name of [NAME, `${NAME}-wal`, `${NAME}-shm`, 'server.lock'])
          assert.equal(await modeOf(join(folder, name)), '600', name);
        await database.close();
        unlock();
      });
    } finally {
      process.umask(umask);
    }
  });

  it('of an earlier version gets private permissions when it is opened', async () => {
    await withFolder(async (folder) => {
      await (await openDatabase(folder)).close();
      await mkdir(join(folder, 'files'));
      await chmod(folder, 0o755);
      await chmod(join(folder, 'files'), 0o755);
      await chmod(join(folder, NAME), 0o644);
      const database = await openDatabase(folder);
      assert.deepEqual(await Promise.all([folder, join(folder, 'files'), join(folder, NAME)].map(modeOf)), [
        '700',
        '700',
        '600',
      ]);
      assert.equal(await modeOf(join(folder, `${NAME}-wal`)), '600');
      await database.close();
    });
  });

  it('with foreign files in it keeps its permissions', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'letter.txt'), 'Dear Anna');
      await chmod(folder, 0o755);
      await (await openDatabase(folder)).close();
      assert.deepEqual([await modeOf(folder), await modeOf(join(folder, NAME))], ['755', '600']);
      await rm(join(folder, 'letter.txt'));
    });
  });
});
