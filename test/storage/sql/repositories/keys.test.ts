import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachDatabase } from '../../../support/database.ts';

const ANNA = { name: 'anna', email: null, plan: 'free' };

onEachDatabase((withDatabase) => {
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
        await assert.rejects(keys.create({ ...KEY, accountId: 'acct_none' }), /foreign key/i);
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
});
