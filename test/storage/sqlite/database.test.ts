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

describe('transaction', () => {
  it('commits all changes or none', async () => {
    await withDatabase(async (database) => {
      const broken = database.transaction(async ({ accounts }) => {
        await accounts.create(ANNA);
        throw new RangeError('half way');
      });
      await assert.rejects(broken, RangeError);
      assert.equal(await database.accounts.any(), false);
      await database.transaction(({ accounts }) => accounts.create(ANNA));
      assert.equal(await database.accounts.any(), true);
    });
  });
});

describe('accounts', () => {
  it('rejects a name that is taken', async () => {
    await withDatabase(async ({ accounts }) => {
      await accounts.create(ANNA);
      const { message } = await failureOf('invalid_parameter', () => accounts.create({ ...ANNA, plan: 'pro' }));
      assert.equal(message, 'Expected a name that no other account has for name but received "anna".');
      assert.equal((await accounts.list()).length, 1);
    });
  });

  it('change only in the given fields', async () => {
    await withDatabase(async ({ accounts }) => {
      const anna = await accounts.create(ANNA);
      const other = await accounts.create({ name: 'ben', email: 'ben@example.com', plan: 'free' });
      const changed = await accounts.update(anna.id, { plan: 'pro', disabled: true });
      assert.deepEqual(changed, { ...anna, plan: 'pro', disabled: true });
      assert.deepEqual(await accounts.update(anna.id, {}), changed);
      assert.deepEqual(await accounts.findByName('ben'), other);
      assert.equal(await accounts.update('acct_none', { plan: 'pro' }), undefined);
    });
  });
});

describe('a page of accounts', () => {
  it('contains some of them, oldest first, and their total number', async (t) => {
    await withDatabase(async ({ accounts }) => {
      t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1) });
      for (const name of ['c', 'a', 'b']) {
        await accounts.create({ ...ANNA, name });
        t.mock.timers.tick(1);
      }
      const page = async (limit: number, offset: number) => {
        const { accounts: listed, total } = await accounts.page({ limit, offset });
        return [total, ...listed.map(({ name }) => name)];
      };
      assert.deepEqual(await page(2, 0), [3, 'c', 'a']);
      assert.deepEqual(await page(2, 2), [3, 'b']);
      assert.deepEqual(await page(2, Number.MAX_SAFE_INTEGER), [3]);
    });
  });
});

describe('keys', () => {
  const KEY = {
    name: 'site',
    mode: 'live',
    prefix: 'ic_live_A1b2',
    hash: 'a'.repeat(64),
    scopes: ['ai', 'sites'],
    monthlyLimit: 500,
    expiresAt: null,
  } as const;

  it('returns what was stored', async () => {
    await withDatabase(async ({ accounts, keys }) => {
      const { id: accountId } = await accounts.create(ANNA);
      const key = await keys.create({ ...KEY, accountId });
      assert.deepEqual(await keys.findByHash(KEY.hash), key);
      assert.deepEqual(key, { ...key, ...KEY, accountId, lastUsedAt: null, revokedAt: null });
      assert.equal(await keys.findByHash('b'.repeat(64)), undefined);
    });
  });

  it('need an existing account', async () => {
    await withDatabase(async ({ keys }) => {
      await assert.rejects(keys.create({ ...KEY, accountId: 'acct_none' }), { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' });
    });
  });

  it('lists the keys of one account or of all, with their usage of the month', async () => {
    await withDatabase(async ({ accounts, keys, meters }) => {
      const anna = await accounts.create(ANNA);
      const ben = await accounts.create({ ...ANNA, name: 'ben' });
      const first = await keys.create({ ...KEY, accountId: anna.id });
      const second = await keys.create({ ...KEY, accountId: ben.id, hash: 'b'.repeat(64) });
      await meters.settle({ subject: first.id, period: '2026-11' }, { requests: 3, ai: 2 }, false);
      await meters.settle({ subject: first.id, period: '2026-12' }, { requests: 10, ai: 0 }, false);
      assert.deepEqual(await keys.list('2026-11', ben.id), [{ ...second, used: 0 }]);
      assert.deepEqual(await keys.list('2026-11', anna.id), [{ ...first, used: 5 }]);
      assert.deepEqual(
        new Set(await keys.list('2026-12')),
        new Set([
          { ...first, used: 10 },
          { ...second, used: 0 },
        ]),
      );
    });
  });

  it('lists the oldest first', async (t) => {
    await withDatabase(async ({ accounts, keys }) => {
      const { id: accountId } = await accounts.create(ANNA);
      const names = ['c', 'a', 'b'];
      t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1) });
      for (const name of names) {
        await keys.create({ ...KEY, accountId, name, hash: name });
        t.mock.timers.tick(1);
      }
      assert.deepEqual(
        (await keys.list('2026-01', accountId)).map(({ name }) => name),
        names,
      );
    });
  });

  it('finds, changes and revokes the keys of their own account only', async () => {
    await withDatabase(async ({ accounts, keys }) => {
      const anna = await accounts.create(ANNA);
      const ben = await accounts.create({ ...ANNA, name: 'ben' });
      const key = await keys.create({ ...KEY, accountId: anna.id });
      assert.deepEqual(await keys.find(key.id, anna.id), key);
      assert.equal(await keys.find(key.id, ben.id), undefined);
      assert.equal(await keys.update(key.id, ben.id, { name: 'mine' }), undefined);
      assert.equal(await keys.revoke(key.id, ben.id), undefined);
      const changed = { ...key, name: 'shop', scopes: [], monthlyLimit: null };
      const changes = { name: 'shop', scopes: [], monthlyLimit: null };
      assert.deepEqual(await keys.update(key.id, anna.id, changes), changed);
      assert.deepEqual(await keys.update(key.id, anna.id, {}), changed);
      assert.notEqual((await keys.revoke(key.id, anna.id))?.revokedAt, null);
      assert.equal(await keys.update(key.id, anna.id, { name: 'late' }), undefined);
    });
  });

  it('keeps the time of the first revocation', async (t) => {
    await withDatabase(async ({ accounts, keys }) => {
      t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1) });
      const { id: accountId } = await accounts.create(ANNA);
      const key = await keys.create({ ...KEY, accountId });
      assert.equal((await keys.revoke(key.id))?.revokedAt, '2026-01-01T00:00:00.000Z');
      t.mock.timers.setTime(Date.UTC(2026, 0, 2));
      assert.equal((await keys.revoke(key.id))?.revokedAt, '2026-01-01T00:00:00.000Z');
      assert.equal(await keys.revoke('key_none'), undefined);
    });
  });
});
