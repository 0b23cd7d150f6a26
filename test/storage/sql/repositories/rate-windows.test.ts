import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachDatabase } from '../../../support/database.ts';

const NOW = Date.UTC(2026, 10, 21, 5, 20);
const MINUTE = 60_000;

onEachDatabase((withDatabase) => {
  describe('rate windows', () => {
    it('begin with the first request and end a minute later, however many requests follow', async () => {
      await withDatabase(async ({ rateWindows }) => {
        const add = (time: number) => rateWindows.add('acct_1', 1, time, time + MINUTE);
        const endsAt = NOW + MINUTE;
        assert.deepEqual(await add(NOW), { subject: 'acct_1', requests: 1, endsAt });
        assert.deepEqual(await add(NOW + 1), { subject: 'acct_1', requests: 2, endsAt });
        assert.deepEqual(await add(endsAt - 1), { subject: 'acct_1', requests: 3, endsAt });
        assert.deepEqual(await add(endsAt), { subject: 'acct_1', requests: 1, endsAt: endsAt + MINUTE });
      });
    });

    it('count each subject separately', async () => {
      await withDatabase(async ({ rateWindows }) => {
        await rateWindows.add('acct_1', 5, NOW, NOW + MINUTE);
        await rateWindows.add('acct_2', 1, NOW + 10, NOW + 10 + MINUTE);
        const { requests, endsAt } = await rateWindows.add('acct_1', 1, NOW + 20, NOW + 20 + MINUTE);
        assert.deepEqual([requests, endsAt], [6, NOW + MINUTE]);
      });
    });

    it('count every concurrent request', async () => {
      await withDatabase(async ({ rateWindows }) => {
        const counts = await Promise.all(
          Array.from({ length: 200 }, () => rateWindows.add('acct_1', 1, NOW, NOW + MINUTE)),
        );
        assert.deepEqual(
          counts.map(({ requests }) => requests).sort((one, other) => one - other),
          Array.from({ length: 200 }, (_, n) => n + 1),
        );
      });
    });

    it('continue when the clock is set back a little, and restart when it is set back by over a minute', async () => {
      await withDatabase(async ({ rateWindows }) => {
        const add = (time: number) => rateWindows.add('acct_1', 1, time, time + MINUTE);
        const { endsAt } = await add(NOW);
        assert.deepEqual(await add(NOW - MINUTE), { subject: 'acct_1', requests: 2, endsAt });
        const earlier = NOW - MINUTE - 1;
        assert.deepEqual(await add(earlier), { subject: 'acct_1', requests: 1, endsAt: earlier + MINUTE });
      });
    });
  });
});
