import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAuthenticate } from '../../../server/account/authenticate.ts';
import { createFirstAccount } from '../../../server/account/first-start.ts';
import { withDatabase } from '../../support/database.ts';

describe('firstStart', () => {
  it('creates one account and a live key with all scopes, only once', async () => {
    await withDatabase(async (database) => {
      const first = await createFirstAccount(database);
      assert.ok(first);
      const { account, key } = await createAuthenticate(database)(`Bearer ${first.key}`);
      assert.deepEqual(account, first.account);
      assert.equal(key.mode, 'live');
      assert.deepEqual(key.scopes, ['ai', 'sites', 'admin']);
      assert.equal(await createFirstAccount(database), undefined);
      assert.equal((await database.accounts.list()).length, 1);
      assert.equal((await database.keys.list('2026-11')).length, 1);
    });
  });

  it('does nothing if an account already exists', async () => {
    await withDatabase(async (database) => {
      await database.accounts.create({ name: 'anna', email: null, plan: 'free' });
      assert.equal(await createFirstAccount(database), undefined);
    });
  });

  it('never leaves an account without a key', async (t) => {
    await withDatabase(async (database) => {
      t.mock.method(JSON, 'stringify', () => {
        throw new RangeError('broken');
      });
      await assert.rejects(createFirstAccount(database), RangeError);
      t.mock.restoreAll();
      assert.equal(await database.accounts.any(), false);
    });
  });
});
