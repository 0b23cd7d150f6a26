import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachDatabase } from '../../../support/database.ts';

const NOTHING = { requests: 0, ai: 0, bytesIn: 0, bytesOut: 0, failed: 0 };

onEachDatabase((withDatabase) => {
  describe('usage', () => {
    it('adds up by account, month and operation', async () => {
      await withDatabase(async ({ accounts, usage }) => {
        const anna = await accounts.create({ name: 'anna', email: null, plan: 'free' });
        const ben = await accounts.create({ name: 'ben', email: null, plan: 'free' });
        const id = { accountId: anna.id, month: '2026-11', operation: 'compress' };
        // More than 32 bits, as a busy account can reach in a month.
        await usage.add(id, { ...NOTHING, requests: 1, bytesIn: 2 ** 40, bytesOut: 10 });
        await usage.add(id, { ...NOTHING, bytesIn: 5, failed: 1 });
        await usage.add({ ...id, operation: 'adjust' }, { ...NOTHING, requests: 1, ai: 1 });
        await usage.add({ ...id, month: '2026-12' }, { ...NOTHING, requests: 7 });
        await usage.add({ ...id, accountId: ben.id }, { ...NOTHING, requests: 9 });
        assert.deepEqual(await usage.ofMonth(anna.id, '2026-11'), [
          { ...id, operation: 'adjust', ...NOTHING, requests: 1, ai: 1 },
          { ...id, requests: 1, ai: 0, bytesIn: 2 ** 40 + 5, bytesOut: 10, failed: 1 },
        ]);
        assert.deepEqual(
          (await usage.ofMonth(ben.id, '2026-11')).map(({ requests }) => requests),
          [9],
        );
        assert.deepEqual(await usage.ofMonth(anna.id, '2026-10'), []);
      });
    });
  });
});
