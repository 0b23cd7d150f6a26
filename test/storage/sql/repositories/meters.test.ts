import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Credits, hasCredits, type MeterLimits } from '../../../../storage/records/meters.ts';
import { onEachDatabase } from '../../../support/database.ts';

const ID = { subject: 'acct_1', period: '2026-11' };
const NONE: MeterLimits = { requests: null, ai: null, total: null };
const credits = (requests: number, ai = 0): Credits => ({ requests, ai });
const UNUSED = { requests: 0, ai: 0, reservedRequests: 0, reservedAi: 0 };

onEachDatabase((withDatabase) => {
  describe('meters', () => {
    it('are 0 when nothing was counted', async () => {
      await withDatabase(async ({ meters }) => {
        assert.deepEqual(await meters.read(ID), UNUSED);
      });
    });

    it('count each subject and period separately', async () => {
      await withDatabase(async ({ meters }) => {
        await meters.settle(ID, credits(1), false);
        await meters.settle({ ...ID, period: '2026-12' }, credits(2), false);
        await meters.settle({ ...ID, subject: 'acct_2' }, credits(3, 4), false);
        await meters.settle({ ...ID, period: '2026-11-21' }, credits(5), false);
        assert.deepEqual(await meters.read(ID), { ...UNUSED, requests: 1 });
        assert.deepEqual(await meters.read({ ...ID, period: '2026-12' }), { ...UNUSED, requests: 2 });
        assert.deepEqual(await meters.read({ ...ID, subject: 'acct_2' }), { ...UNUSED, requests: 3, ai: 4 });
        assert.deepEqual(await meters.read({ ...ID, period: '2026-11-21' }), { ...UNUSED, requests: 5 });
      });
    });

    it('move a reservation to the usage, or release it', async () => {
      await withDatabase(async ({ meters }) => {
        for (let n = 0; n < 3; n += 1) assert.equal(await meters.reserve(ID, credits(1, 2), NONE), true);
        assert.deepEqual(await meters.read(ID), { ...UNUSED, reservedRequests: 3, reservedAi: 6 });
        assert.deepEqual(await meters.settle(ID, credits(1, 2), true), credits(1, 2));
        await meters.release(ID, credits(1, 2));
        assert.deepEqual(await meters.read(ID), { requests: 1, ai: 2, reservedRequests: 1, reservedAi: 2 });
      });
    });

    it('do not touch other reservations when nothing was reserved', async () => {
      await withDatabase(async ({ meters }) => {
        await meters.reserve(ID, credits(1), NONE);
        assert.deepEqual(await meters.settle(ID, credits(1), false), credits(1));
        assert.deepEqual(await meters.read(ID), { ...UNUSED, requests: 1, reservedRequests: 1 });
      });
    });

    it('return the total usage, not only the new part', async () => {
      await withDatabase(async ({ meters }) => {
        await meters.settle(ID, credits(79, 5), false);
        assert.deepEqual(await meters.settle(ID, credits(1), false), credits(80, 5));
      });
    });

    it('release nothing when nothing is reserved', async () => {
      await withDatabase(async ({ meters }) => {
        await meters.release(ID, credits(1));
        assert.deepEqual(await meters.read(ID), UNUSED);
      });
    });

    it('release all reservations of a killed process, and keep the usage', async () => {
      await withDatabase(async (database) => {
        const { meters } = database;
        const presence = await database.join();
        const other = { subject: 'key_1', period: '2026-10' };
        await meters.settle(ID, credits(4, 3), false);
        await meters.reserve(ID, credits(2), NONE);
        await meters.reserve(other, credits(0, 1), NONE);
        await presence.leave();
        await database.join();
        assert.deepEqual(await meters.read(ID), { ...UNUSED, requests: 4, ai: 3 });
        assert.deepEqual(await meters.read(other), UNUSED);
      });
    });
  });

  describe('a limit of a meter', () => {
    const kinds = [
      { name: 'requests', limits: { ...NONE, requests: 3 }, one: credits(1) },
      { name: 'ai', limits: { ...NONE, ai: 3 }, one: credits(0, 1) },
      { name: 'total', limits: { ...NONE, total: 3 }, one: credits(1) },
      { name: 'total of ai', limits: { ...NONE, total: 3 }, one: credits(0, 1) },
    ];
    for (const { name, limits, one } of kinds)
      it(`on ${name} is reached but not exceeded by usage and reservations together`, async () => {
        await withDatabase(async ({ meters }) => {
          await meters.settle(ID, one, false);
          assert.equal(await meters.reserve(ID, one, limits), true);
          assert.equal(hasCredits(await meters.read(ID), one, limits), true);
          assert.equal(await meters.reserve(ID, one, limits), true);
          const full = await meters.read(ID);
          assert.equal(hasCredits(await meters.read(ID), one, limits), false);
          assert.equal(await meters.reserve(ID, one, limits), false);
          assert.deepEqual(await meters.read(ID), full);
          await meters.release(ID, one);
          assert.equal(hasCredits(await meters.read(ID), one, limits), true);
          assert.equal(await meters.reserve(ID, one, limits), true);
        });
      });

    it('of 0 rejects the first credit, and any limit below the requested amount rejects', async () => {
      await withDatabase(async ({ meters }) => {
        for (const [asked, limits] of [
          [credits(1), { ...NONE, requests: 0 }],
          [credits(0, 1), { ...NONE, ai: 0 }],
          [credits(1), { ...NONE, total: 0 }],
          [credits(4), { ...NONE, requests: 3 }],
          [credits(1, 4), { ...NONE, ai: 3 }],
          [credits(2, 2), { ...NONE, total: 3 }],
        ] as const) {
          assert.equal(hasCredits(await meters.read(ID), asked, limits), false);
          assert.equal(await meters.reserve(ID, asked, limits), false);
          assert.deepEqual(await meters.read(ID), UNUSED);
        }
      });
    });

    it('admits exactly its amount, also at once, as the first request of the period', async () => {
      await withDatabase(async ({ meters }) => {
        const limits = { requests: 3, ai: 2, total: 5 };
        assert.equal(await meters.reserve(ID, credits(3, 2), limits), true);
        assert.equal(await meters.reserve(ID, credits(1), limits), false);
      });
    });

    it('on an exhausted allowance does not affect the other one', async () => {
      await withDatabase(async ({ meters }) => {
        const limits = { requests: 1, ai: 1, total: null };
        await meters.settle(ID, credits(5), false);
        assert.equal(await meters.reserve(ID, credits(0, 1), limits), true);
        assert.equal(await meters.reserve(ID, credits(1), limits), false);
        assert.equal(await meters.reserve(ID, credits(1, 1), limits), false);
      });
    });

    it('that was lowered below the usage rejects, and takes nothing back', async () => {
      await withDatabase(async ({ meters }) => {
        await meters.settle(ID, credits(10), false);
        assert.equal(await meters.reserve(ID, credits(1), { ...NONE, requests: 5 }), false);
        assert.deepEqual(await meters.read(ID), { ...UNUSED, requests: 10 });
      });
    });

    it('of null is no limit, and another limit still applies', async () => {
      await withDatabase(async ({ meters }) => {
        await meters.settle(ID, credits(2 ** 40, 1), false);
        assert.equal(await meters.reserve(ID, credits(1, 1), { ...NONE, ai: 2 }), true);
        assert.equal(await meters.reserve(ID, credits(1, 1), { ...NONE, ai: 2 }), false);
        assert.equal((await meters.read(ID)).requests, 2 ** 40);
      });
    });

    it('holds for concurrent requests', async () => {
      await withDatabase(async ({ meters }) => {
        const asked = Array.from({ length: 300 }, () => meters.reserve(ID, credits(1), { ...NONE, requests: 100 }));
        assert.equal((await Promise.all(asked)).filter(Boolean).length, 100);
        assert.equal((await meters.read(ID)).reservedRequests, 100);
      });
    });
  });
});
