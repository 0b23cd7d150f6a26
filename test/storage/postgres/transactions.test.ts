import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Database } from '../../../storage/ports/database.ts';
import { openPostgres } from '../../../storage/postgres/database.ts';
import { POSTGRES_MISSING, startPostgres, type TestServer } from '../../support/postgres.ts';

describe('two processes on one PostgreSQL server', { skip: POSTGRES_MISSING ?? false }, () => {
  let server: TestServer;
  before(async () => {
    server = await startPostgres();
  });

  /** Runs `work` with a database that is opened twice. */
  async function withTwo(work: (one: Database, other: Database) => Promise<void>): Promise<void> {
    const url = await server.create();
    const opened = [await openPostgres(url), await openPostgres(url)] as const;
    try {
      await work(...opened);
    } finally {
      for (const each of opened) await each.close();
    }
  }

  it("do not write between the statements of each other's transactions", async () => {
    await withTwo(async (one, other) => {
      const { id } = await one.accounts.create({ name: 'anna', email: '0', plan: 'free' });
      const count = (each: Database) =>
        each.transaction(async ({ accounts }) => {
          const { email } = (await accounts.find(id))!;
          await accounts.update(id, { email: String(Number(email) + 1) });
        });
      await Promise.all(Array.from({ length: 60 }, (_, n) => count(n % 2 ? one : other)));
      assert.equal((await one.accounts.find(id))?.email, '60');
    });
  });

  it('reserve no more credits together than the limit', async () => {
    await withTwo(async (one, other) => {
      const id = { subject: 'acct_1', period: '2026-11' };
      const limits = { requests: 30, ai: null, total: null };
      const reserved = await Promise.all(
        Array.from({ length: 100 }, (_, n) => (n % 2 ? one : other).meters.reserve(id, { requests: 1, ai: 0 }, limits)),
      );
      assert.equal(reserved.filter(Boolean).length, 30);
      assert.equal((await one.meters.read(id)).reservedRequests, 30);
    });
  });

  it('count every request of a minute', async () => {
    await withTwo(async (one, other) => {
      const counts = await Promise.all(
        Array.from({ length: 200 }, (_, n) => (n % 2 ? one : other).rateWindows.add('acct_1', 1, 0, 60_000)),
      );
      assert.deepEqual(
        counts.map(({ requests }) => requests).sort((first, second) => first - second),
        Array.from({ length: 200 }, (_, n) => n + 1),
      );
    });
  });
});
