import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachDatabase } from '../../support/database.ts';

const ANNA = { name: 'anna', email: null, plan: 'free' };

onEachDatabase((withDatabase) => {
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

  describe('snapshot', () => {
    it('shows one moment, whatever is written meanwhile', async () => {
      await withDatabase(async (database, open) => {
        const other = await open();
        try {
          const { id } = await database.accounts.create(ANNA);
          const seen = await database.snapshot(async ({ accounts }) => {
            const before = await accounts.find(id);
            await other.accounts.update(id, { plan: 'pro' });
            return [before?.plan, (await accounts.find(id))?.plan];
          });
          assert.deepEqual(seen, ['free', 'free']);
          assert.equal((await database.accounts.find(id))?.plan, 'pro');
        } finally {
          await other.close();
        }
      });
    });
  });
});
