import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Database } from '../../../storage/ports/database.ts';
import { openPostgres } from '../../../storage/postgres/database.ts';
import { POSTGRES_MISSING, startPostgres, type TestServer } from '../../support/postgres.ts';

const ID = { subject: 'acct_1', period: '2026-11' };
const NONE = { requests: null, ai: null, total: null };

describe('the processes on one PostgreSQL database', { skip: POSTGRES_MISSING ?? false }, () => {
  let server: TestServer;
  before(async () => {
    server = await startPostgres();
  });

  async function withTwo(work: (one: Database, other: Database, url: string) => Promise<void>): Promise<void> {
    const url = await server.create();
    const opened = [await openPostgres(url), await openPostgres(url)] as const;
    try {
      await work(...opened, url);
    } finally {
      for (const each of opened) await each.close();
    }
  }

  const take = (database: Database, ...claim: Parameters<Database['claims']['take']>) =>
    database.transaction(({ claims }) => claims.take(...claim));

  it('claim each thing once, until it is released or the process leaves', async () => {
    await withTwo(async (one, other) => {
      const presence = await one.join();
      await other.join();
      const taken = await Promise.all([1, 2, 3, 4].map((n) => take(n % 2 ? one : other, 'at once')));
      assert.equal(new Set([taken[0] || taken[2], taken[1] || taken[3]]).size, 2, 'one of the two has it');
      assert.equal(await take(one, 'a'), true);
      assert.equal(await take(other, 'a'), false);
      assert.equal(await take(one, 'a'), true, 'its own claim can be taken again');
      await other.claims.release('a');
      assert.equal(await take(other, 'a'), false, 'nobody releases the claim of another');
      await one.claims.release('a');
      assert.equal(await take(other, 'a'), true);
      assert.equal(await take(one, 'b'), true);
      await presence.leave();
      assert.equal(await take(other, 'b'), true);
    });
  });

  it('claim no more of a group together than it allows', async () => {
    await withTwo(async (one, other) => {
      await one.join();
      await other.join();
      const group = { name: 'scans', most: 3 };
      const taken = await Promise.all(
        Array.from({ length: 12 }, (_, n) => take(n % 2 ? one : other, `scan ${n}`, group)),
      );
      assert.equal(taken.filter(Boolean).length, 3);
      assert.equal(await take(one, 'other', { name: 'others', most: 1 }), true);
      assert.equal(await take(one, 'alone'), true);
    });
  });

  it('know whether they are alone', async () => {
    await withTwo(async (one, other) => {
      await one.join();
      assert.equal(await one.claims.isAlone(), true);
      const presence = await other.join();
      assert.deepEqual([await one.claims.isAlone(), await other.claims.isAlone()], [false, false]);
      await presence.leave();
      assert.equal(await one.claims.isAlone(), true);
    });
  });

  it('release what one has reserved when it leaves, and nothing else', async () => {
    await withTwo(async (one, other) => {
      const presence = await one.join();
      await other.join();
      await one.meters.reserve(ID, { requests: 5, ai: 1 }, NONE);
      await other.meters.reserve(ID, { requests: 3, ai: 0 }, NONE);
      await one.meters.settle(ID, { requests: 2, ai: 0 }, true);
      assert.deepEqual(await other.meters.read(ID), { requests: 2, ai: 0, reservedRequests: 6, reservedAi: 1 });
      await presence.leave();
      assert.deepEqual(await other.meters.read(ID), { requests: 2, ai: 0, reservedRequests: 3, reservedAi: 0 });
      await other.meters.release(ID, { requests: 3, ai: 0 });
      assert.deepEqual(await other.meters.read(ID), { requests: 2, ai: 0, reservedRequests: 0, reservedAi: 0 });
    });
  });

  it('end one that was silent too long; when it comes back it releases nothing twice', async () => {
    await withTwo(async (one, other, url) => {
      await one.join();
      await one.meters.reserve(ID, { requests: 5, ai: 0 }, NONE);
      assert.equal(await take(one, 'a'), true);
      await server.run("update processes set seen_at = now() - interval '1 hour'", url);
      // The server itself must have been there all the time.
      await server.run(
        "create function public.pg_postmaster_start_time() returns timestamptz language sql as 'select now() - interval ''1 day'''",
        url,
      );
      const late = await openPostgres(`${url}?options=-c%20search_path%3Dpublic%2Cpg_catalog`);
      try {
        await late.join();
        assert.equal((await other.meters.read(ID)).reservedRequests, 0);
        assert.equal(await take(late, 'a'), true);
        await late.meters.reserve(ID, { requests: 2, ai: 0 }, NONE);
        await one.meters.settle(ID, { requests: 5, ai: 0 }, true);
        assert.deepEqual(await other.meters.read(ID), { requests: 5, ai: 0, reservedRequests: 2, reservedAi: 0 });
      } finally {
        await late.close();
      }
    });
  });

  it('tell each other their events, and themselves only once', async () => {
    await withTwo(async (one, other) => {
      const subjectOf = ({ id }: { id: string; text?: string }) => id;
      const [mine, theirs] = [one.openEvents('jobs', subjectOf), other.openEvents('jobs', subjectOf)];
      const scans = other.openEvents('scans', subjectOf);
      const heard: string[] = [];
      mine.watchAll(({ id }) => heard.push(`mine ${id}`));
      scans.watchAll(({ id }) => heard.push(`scans ${id}`));
      const texts: string[] = [];
      await new Promise<void>((resolve) => {
        // Its own events would reach a process before the answer to them.
        theirs.watch('last', () => theirs.emit({ id: 'answer' }));
        mine.watch('answer', () => resolve());
        theirs.watch('many', ({ text = '' }) => texts.push(text));
        // Both listen as soon as they have connected: until then an event is lost.
        const poll = setInterval(() => mine.emit({ id: 'hello' }), 20);
        theirs.watch('hello', () => {
          clearInterval(poll);
          if (heard.includes('mine many')) return;
          // Several notifications: each takes 8000 bytes.
          for (let n = 0; n < 40; n += 1) mine.emit({ id: 'many', text: `${n} ${'é'.repeat(500)}` });
          mine.emit({ id: 'last' });
        });
      });
      assert.deepEqual(
        texts.map((text) => Number.parseInt(text, 10)),
        Array.from({ length: 40 }, (_, n) => n),
      );
      assert.equal(heard.filter((each) => each === 'mine last').length, 1);
      assert.ok(!heard.some((each) => each.startsWith('scans')));
    });
  });
});
