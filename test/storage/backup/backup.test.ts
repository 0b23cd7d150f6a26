import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import promises, { chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { Kysely, Migrator } from 'kysely';
import { openSqlite } from '../../../base/sqlite/open.ts';
import { type BackupSummary, makeBackup } from '../../../storage/backup/backup.ts';
import { restoreBackup } from '../../../storage/backup/restore.ts';
import { readTar, TAR_END, tarHeader, tarPadding } from '../../../storage/backup/tar.ts';
import { lockDataFolder } from '../../../storage/data-folder/server-lock.ts';
import { migrations } from '../../../storage/sql/migrations/index.ts';
import { checkDatabase, openDatabase } from '../../../storage/sqlite/database.ts';
import { SharedSqliteDialect } from '../../../storage/sqlite/dialect.ts';
import { failureOf } from '../../support/failure.ts';
import { filePaths, withFolder, writeFiles } from '../../support/folder.ts';
import { LOADER, program } from '../../support/repository.ts';

/** Makes a data folder with one account and some files. */
async function fill(dataDir: string, account: string): Promise<void> {
  const database = await openDatabase(dataDir);
  await database.accounts.create({ name: account, email: null, plan: 'free' });
  await database.close();
  await writeFiles(dataDir, {
    'files/file_1': account.repeat(100_000),
    'files/file_2': '',
    'files/parts/file_3': 'half a file',
    'jobs/item_1': `upload of ${account}`,
    'scans/asset_1': `original of ${account}`,
    'plans.json': '{}',
    'first-key': account,
    'models/a.onnx': `model of ${account}`,
  });
}

const DATA_FILES = ['files/file_1', 'files/file_2', 'first-key', 'jobs/item_1', 'plans.json', 'scans/asset_1'];

/** Whose data a folder has; fails if they are of several accounts, or not all there. */
async function ownerOf(dataDir: string): Promise<string> {
  (await lockDataFolder(dataDir))();
  assert.equal(await checkDatabase(dataDir), true);
  const database = await openDatabase(dataDir);
  const accounts = await database.accounts.list();
  await database.close();
  const owner = await readFile(join(dataDir, 'first-key'), 'utf8');
  assert.deepEqual(
    accounts.map(({ name }) => name),
    [owner],
  );
  assert.equal(await readFile(join(dataDir, 'files/file_1'), 'utf8'), owner.repeat(100_000));
  assert.equal(await readFile(join(dataDir, 'jobs/item_1'), 'utf8'), `upload of ${owner}`);
  assert.equal(await readFile(join(dataDir, 'scans/asset_1'), 'utf8'), `original of ${owner}`);
  return owner;
}

async function backupOf(dataDir: string, version = '1.2.3'): Promise<{ archive: Buffer; summary: BackupSummary }> {
  let archive = Buffer.alloc(0);
  const signal = new AbortController().signal;
  const summary = await makeBackup(dataDir, { version, signal }, async (chunks) => {
    archive = await buffer(chunks);
  });
  return { archive, summary };
}

const restore = (dataDir: string, archive: Buffer, replace = false) =>
  restoreBackup(dataDir, Readable.from([archive]), { file: 'a.tar', replace });

/** Runs `work` with the backup of one folder, and another folder with other data. */
async function withBackup(work: (archive: Buffer, other: string, folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await fill(join(folder, 'one'), 'anna');
    await fill(join(folder, 'two'), 'ben');
    const { archive } = await backupOf(join(folder, 'one'));
    await work(archive, join(folder, 'two'), folder);
  });
}

async function entriesOf(archive: Buffer): Promise<[string, Buffer][]> {
  const entries: [string, Buffer][] = [];
  for await (const { name, data } of readTar(Readable.from([archive]))) entries.push([name, await buffer(data)]);
  return entries;
}

/** An archive of these entries, with a list of their own if they lack one. */
function archiveOf(entries: readonly [string, Buffer][]): Buffer {
  const others = entries.filter(([name]) => name !== 'SHA256SUMS');
  const sums = others.map(([name, data]) => `${createHash('sha256').update(data).digest('hex')}  ${name}\n`).join('');
  const all = [...others, ['SHA256SUMS', Buffer.from(sums)] as const];
  const parts = all.flatMap(([name, data]) => [tarHeader(name, data.length, 0), data, tarPadding(data.length)]);
  return Buffer.concat([...parts, TAR_END]);
}

/** Runs `work` while a call of the file system fails for a path. */
async function whereFails(
  name: 'rename' | 'mkdir',
  path: string,
  code: string,
  work: () => Promise<void>,
): Promise<void> {
  const call = promises[name] as (...values: unknown[]) => Promise<unknown>;
  const failing = async (...values: unknown[]) => {
    if (values[0] === path) throw Object.assign(new Error(code), { code });
    return await call(...values);
  };
  Object.assign(promises, { [name]: failing });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(promises, { [name]: call });
    syncBuiltinESMExports();
  }
}

describe('a backup', () => {
  it('has the data of a folder, and nothing that can be made again', async () => {
    await withFolder(async (folder) => {
      const [from, to] = [join(folder, 'one'), join(folder, 'two')];
      await fill(from, 'anna');
      const { archive, summary } = await backupOf(from);
      const entries = await entriesOf(archive);
      const names = entries.map(([name]) => name);
      assert.deepEqual([names[0], names.at(-1)], ['backup.json', 'SHA256SUMS']);
      assert.deepEqual(names.slice(1, -1).sort(), [...DATA_FILES, 'imagecrew.sqlite'].sort());
      assert.deepEqual([summary.version, summary.bytes, summary.entries], ['1.2.3', archive.length, names.length - 2]);
      const sums = (entries: readonly [string, Buffer][]) => String(entries.at(-1)?.[1]);
      assert.equal(sums(entries), sums(await entriesOf(archiveOf(entries))));
      const restored = await restore(to, archive);
      assert.deepEqual([restored.version, restored.entries, restored.previous], ['1.2.3', summary.entries, null]);
      assert.equal(await ownerOf(to), 'anna');
      assert.deepEqual(
        (await filePaths(to)).filter((path) => !path.startsWith('server.lock')),
        [...DATA_FILES, 'imagecrew.sqlite'].sort(),
      );
      if (process.platform !== 'win32')
        for (const path of DATA_FILES) assert.equal((await stat(join(to, path))).mode & 0o777, 0o600);
      assert.deepEqual(await readdir(from).then((found) => found.filter((name) => name.includes('progress'))), []);
    });
  });

  it('has every file that its database refers to, although files come and go meanwhile', async () => {
    await withFolder(async (folder) => {
      await fill(folder, 'anna');
      const signal = new AbortController().signal;
      await makeBackup(folder, { version: '1', signal }, async (chunks) => {
        // The service removes a result while the backup is written.
        await rm(join(folder, 'files'), { recursive: true });
        const names = (await entriesOf(await buffer(chunks))).map(([name]) => name);
        assert.ok(names.includes('files/file_1'));
      });
    });
  });

  it('ends when it is stopped', async () => {
    await withFolder(async (folder) => {
      await fill(folder, 'anna');
      const stop = new AbortController();
      await assert.rejects(
        makeBackup(folder, { version: '1', signal: stop.signal }, async (chunks) => {
          for await (const _ of chunks) stop.abort(new Error('stopped'));
        }),
        /stopped/,
      );
      assert.equal((await readdir(folder)).includes('backup-in-progress'), false);
    });
  });

  it('is refused without a database, beside another backup, and of a newer database', async () => {
    await withFolder(async (folder) => {
      assert.match(
        (await failureOf('not_found', () => backupOf(folder))).message,
        /^Expected a data folder with a database/,
      );
      const missing = join(folder, 'missing');
      assert.match((await failureOf('not_found', () => backupOf(missing))).message, /with a database for IC_DATA_DIR/);
      // As the lock of another user, which cannot be opened.
      const locked = join(folder, 'locked');
      await mkdir(join(locked, 'backup.lock'), { recursive: true });
      assert.match(
        (await failureOf('internal_error', () => backupOf(locked))).message,
        /^Expected a folder that can be/,
      );
      await fill(folder, 'anna');
      await whereFails('mkdir', join(folder, 'backup-in-progress'), 'EROFS', async () => {
        assert.match((await failureOf('internal_error', () => backupOf(folder))).message, /can be written [(]EROFS[)]/);
      });
      const signal = new AbortController().signal;
      await makeBackup(folder, { version: '1', signal }, async (chunks) => {
        const { message } = await failureOf('invalid_state', () => backupOf(folder));
        assert.match(message, /without another backup in progress/);
        await buffer(chunks);
      });
      const connection = openSqlite(join(folder, 'imagecrew.sqlite'));
      connection.prepare("insert into kysely_migration (name, timestamp) values ('9999_future', '2030')").run();
      connection.close();
      assert.match((await failureOf('internal_error', () => backupOf(folder))).message, /newer version of Imagecrew/);
    });
  });
});

describe('a restore', () => {
  it('replaces data only with `replace`, keeps them, and leaves models', async () => {
    await withBackup(async (archive, dataDir) => {
      const { message, hint } = await failureOf('invalid_state', () => restore(dataDir, archive));
      assert.match(
        message,
        /^Expected a data folder without data for IC_DATA_DIR but .+ has imagecrew[.]sqlite, files, /,
      );
      assert.match(hint ?? '', /--replace/);
      assert.equal(await ownerOf(dataDir), 'ben');
      const { previous } = await restore(dataDir, archive, true);
      assert.equal(await ownerOf(dataDir), 'anna');
      assert.equal(await readFile(join(dataDir, 'models/a.onnx'), 'utf8'), 'model of ben');
      assert.equal(await ownerOf(previous ?? ''), 'ben');
    });
  });

  it('by root leaves files of the owner of the folder', {
    skip: process.getuid?.() !== 0 && 'only root may change owners',
  }, async () => {
    await withBackup(async (archive, _, folder) => {
      const dataDir = join(folder, 'service');
      await fill(dataDir, 'ben');
      for (const path of ['', ...(await readdir(dataDir, { recursive: true }))])
        await chown(join(dataDir, path), 1234, 5678);
      await restore(dataDir, archive, true);
      await backupOf(dataDir);
      for (const path of ['', ...(await readdir(dataDir, { recursive: true }))]) {
        const { uid, gid } = await stat(join(dataDir, path));
        assert.deepEqual([uid, gid], [1234, 5678], path);
      }
    });
  });

  it('is refused while a service uses the folder', async () => {
    await withBackup(async (archive, dataDir) => {
      const unlock = await lockDataFolder(dataDir);
      const { message } = await failureOf('internal_error', () => restore(dataDir, archive, true));
      unlock();
      assert.match(message, /^Expected a folder that no other server uses/);
      assert.equal(await ownerOf(dataDir), 'ben');
    });
  });

  it('killed at any moment leaves the old data or the new data', { timeout: 120_000 }, async () => {
    await withBackup(async (archive, _, folder) => {
      const file = join(folder, 'a.tar');
      await writeFile(file, archive);
      const owners: string[] = [];
      for (let count = 0, isKilled = true; isKilled; count += 1) {
        const dataDir = join(folder, `killed-${count}`);
        await fill(dataDir, 'ben');
        const child = fork(program('test/storage/backup/killed-restore'), [dataDir, file, String(count)], {
          execArgv: [...LOADER],
        });
        isKilled = ((await once(child, 'exit')) as [unknown, string | null])[1] === 'SIGKILL';
        const isSwitching = (await readdir(dataDir)).includes('restore-verified');
        // Commands that would make a new database in the place of the missing one are refused.
        if (isSwitching) await failureOf('invalid_state', () => openDatabase(dataDir));
        owners.push(await ownerOf(dataDir));
        // The next restore is not disturbed by what the killed one has left.
        if (count % 4 === 0) {
          await restore(dataDir, archive, true);
          assert.equal(await ownerOf(dataDir), 'anna');
        }
      }
      const committed = owners.indexOf('anna');
      assert.ok(committed > 3 && owners.length - committed > 8, owners.join());
      assert.deepEqual(new Set(owners.slice(0, committed)), new Set(['ben']));
      assert.deepEqual(new Set(owners.slice(committed)), new Set(['anna']));
    });
  });

  it('is undone where a folder cannot be renamed, such as a mount point', async () => {
    await withBackup(async (archive, dataDir) => {
      // As the kernel does for a bind mount of the same file system, which no earlier check sees.
      await whereFails('rename', join(dataDir, 'scans'), 'EBUSY', async () => {
        const { message } = await failureOf('invalid_state', () => restore(dataDir, archive, true));
        assert.match(message, /scans is a mount point/);
      });
      assert.equal(await ownerOf(dataDir), 'ben');
      assert.deepEqual(
        (await readdir(dataDir)).filter((name) => name.includes('restore')),
        [],
      );
    });
  });

  it('refuses a damaged backup wherever the damage is, and changes nothing', async () => {
    await withBackup(async (archive, dataDir) => {
      const refused = async (damaged: Buffer, what: RegExp) => {
        const { message } = await failureOf('invalid_parameter', () => restore(dataDir, damaged, true));
        assert.match(message, what);
      };
      for (let at = 0; at < archive.length - TAR_END.length; at += 9973) {
        const damaged = Buffer.from(archive);
        // Padding is no data.
        damaged[at]! ^= 0xff;
        await restoreBackup(join(dataDir, 'unused'), Readable.from([damaged]), { file: 'a.tar', replace: true }).then(
          async () => assert.deepEqual(await entriesOf(damaged), await entriesOf(archive)),
          (error: Error) => assert.match(error.message, /^Expected a backup of Imagecrew but a[.]tar /),
        );
      }
      for (const bytes of [0, 100, 512, 5000, archive.length / 2, archive.length - 1024 - 512])
        await refused(archive.subarray(0, bytes), /ends early/);
      await refused(Buffer.from('PK zip'.repeat(1000)), /is not a whole tar archive/);
      const entries = await entriesOf(archive);
      await refused(archiveOf(entries.filter(([name]) => name !== 'imagecrew.sqlite')), /has no database/);
      await refused(archiveOf(entries.slice(1)), /begins with "imagecrew[.]sqlite"/);
      for (const name of ['../escape', 'files/../../escape', '/etc/escape', 'models/a.onnx', 'files/parts/a'])
        await refused(archiveOf([...entries, [name, Buffer.from('x')]]), /which no backup has/);
      await refused(archiveOf([...entries.slice(0, -1), entries[2]!]), /twice/);
      const spoiled = entries.map(([name, data]): [string, Buffer] => [
        name,
        name === 'imagecrew.sqlite' ? Buffer.alloc(8192, 'no database') : data,
      ]);
      await refused(archiveOf(spoiled), /has a database that cannot be used/);
      assert.equal(await ownerOf(dataDir), 'ben');
      assert.deepEqual(
        (await readdir(dataDir)).filter((name) => name.startsWith('restore')),
        [],
      );
    });
  });

  it('refuses a backup of a newer version, and names that', async () => {
    await withBackup(async (archive, dataDir) => {
      const entries = await entriesOf(archive);
      const description = { ...JSON.parse(String(entries[0]![1])), schema: '9999_future', version: '9.0.0' };
      entries[0]![1] = Buffer.from(JSON.stringify(description));
      const { message } = await failureOf('invalid_parameter', () => restore(dataDir, archiveOf(entries), true));
      assert.match(message, /a[.]tar was made by version 9[.]0[.]0, which has a newer database/);
      assert.equal(await ownerOf(dataDir), 'ben');
    });
  });

  it('migrates a backup of an older version', async () => {
    await withFolder(async (folder) => {
      const dataDir = join(folder, 'old');
      await mkdir(dataDir);
      const db = new Kysely({ dialect: new SharedSqliteDialect(openSqlite(join(dataDir, 'imagecrew.sqlite'))) });
      const { error } = await new Migrator({ db, provider: migrations }).migrateTo('0007_scan_lists');
      assert.equal(error, undefined);
      await db.destroy();
      const { archive, summary } = await backupOf(dataDir);
      assert.equal(summary.schema, '0007_scan_lists');
      // The database itself is not migrated by the backup.
      const to = join(folder, 'new');
      await restore(to, archive);
      const connection = openSqlite(join(to, 'imagecrew.sqlite'), { readonly: true });
      const done = connection.prepare('select count(*) as count from kysely_migration').get() as { count: number };
      connection.close();
      assert.equal(done.count, Object.keys(await migrations.getMigrations()).length);
    });
  });

  it('reads its backup as it arrives', async () => {
    await withBackup(async (archive, dataDir, folder) => {
      const file = join(folder, 'a.tar');
      await writeFile(file, archive);
      const source = createReadStream(file, { highWaterMark: 700 });
      await restoreBackup(dataDir, source, { file, replace: true });
      assert.equal(await ownerOf(dataDir), 'anna');
    });
  });
});
