import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachDatabase } from '../../../support/database.ts';
import { failureOf } from '../../../support/failure.ts';

const ANNA = { name: 'anna', email: null, plan: 'free' };

onEachDatabase((withDatabase) => {
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
});
