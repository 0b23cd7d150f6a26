import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readValue } from '../../../base/sqlite/connection.ts';
import { openSqlite } from '../../../base/sqlite/open.ts';
import { openDatabase } from '../../../storage/sqlite/database.ts';
import { withDatabase } from '../../support/database.ts';
import { failureOf } from '../../support/failure.ts';
import { withFolder } from '../../support/folder.ts';
import { LOADER, program } from '../../support/repository.ts';

const ANNA = { name: 'anna', email: null, plan: 'free' };

describe('openDatabase', () => {
  it('creates a folder that only its owner may enter', async () => {
    await withFolder(async (folder) => {
      const dataDir = join(folder, 'new', 'data');
      const database = await openDatabase(dataDir);
      await database.ping();
      await database.close();
      assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
    });
  });

  it('uses write-ahead logging and stores what was written', async () => {
    await withFolder(async (folder) => {
      const first = await openDatabase(folder);
      const account = await first.accounts.create(ANNA);
      await first.close();
      const second = await openDatabase(folder);
      assert.deepEqual(await second.accounts.find(account.id), account);
      await second.close();
      const file = openSqlite(join(folder, 'imagecrew.sqlite'), { readonly: true });
      assert.equal(readValue(file, 'pragma journal_mode'), 'wal');
      file.close();
    });
  });

  it('rejects a database of a newer version', async () => {
    await withFolder(async (folder) => {
      await (await openDatabase(folder)).close();
      const file = openSqlite(join(folder, 'imagecrew.sqlite'));
      file.exec("insert into kysely_migration values ('9999_later', '2999-01-01T00:00:00.000Z')");
      file.close();
      await failureOf('internal_error', () => openDatabase(folder));
    });
  });

  it('rejects a folder that is a file', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'data');
      await writeFile(path, '');
      const { message } = await failureOf('internal_error', () => openDatabase(path));
      assert.match(message, /^Expected a folder that can be written \(EEXIST\) for IC_DATA_DIR but received /);
    });
  });

  it('lets two processes open the same empty folder at once', async () => {
    await withFolder(async (folder) => {
      const file = program('test/storage/sqlite/open-database');
      const children = ['one', 'two'].map((name) => fork(file, [folder, name], { execArgv: [...LOADER] }));
      await Promise.all(children.map((child) => once(child, 'message')));
      for (const child of children) child.send('open');
      const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as number));
      assert.deepEqual(codes, [0, 0]);
      const database = await openDatabase(folder);
      const names = (await database.accounts.list()).map(({ name }) => name);
      await database.close();
      assert.deepEqual(names.sort(), ['one', 'two']);
    });
  });

  it('shows one process what another has written', async () => {
    await withDatabase(async (server, folder) => {
      const account = await server.accounts.create(ANNA);
      const command = await openDatabase(folder);
      await command.accounts.update(account.id, { disabled: true });
      await command.close();
      assert.equal((await server.accounts.find(account.id))?.disabled, true);
    });
  });
});
