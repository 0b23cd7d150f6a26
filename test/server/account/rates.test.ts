import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { issueKey } from '../../../server/account/keys.ts';
import { Plans } from '../../../server/account/plans.ts';
import { Rates } from '../../../server/account/rates.ts';
import type { Account } from '../../../storage/records/accounts.ts';
import { openDatabase } from '../../../storage/sqlite/database.ts';
import { withDatabase } from '../../support/database.ts';
import { withFolder } from '../../support/folder.ts';
import { type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const NOW = Date.UTC(2026, 10, 21, 5, 20);
const MINUTE = 60_000;
/** Seconds from NOW to December 1. */
const MONTH_SECONDS = 844_800;
/** Seconds from NOW to midnight. */
const DAY_SECONDS = 67_200;

const plans = new Plans({
  three: { requests_per_minute: 3 },
  five: { requests_per_minute: 5 },
  open: { requests_per_minute: null },
});

function account(id: string, plan: string): Account {
  return { id, name: id, email: null, plan, disabled: false, createdAt: '2026-11-21T05:20:00.000Z' };
}

describe('rate limits', () => {
  it('count down in a window from the first request, reject the rest, then reset', async () => {
    await withDatabase(async ({ rateWindows }) => {
      let time = NOW;
      const rates = new Rates(rateWindows, plans, () => time);
      const count = () => rates.count(account('acct_1', 'three'));
      const resetsAt = NOW + MINUTE;
      assert.deepEqual(await count(), { limit: 3, remaining: 2, resetsAt, exceeded: false });
      time += 20_000;
      assert.deepEqual(await count(), { limit: 3, remaining: 1, resetsAt, exceeded: false });
      assert.deepEqual(await count(), { limit: 3, remaining: 0, resetsAt, exceeded: false });
      assert.deepEqual(await count(), { limit: 3, remaining: 0, resetsAt, exceeded: true });
      time = resetsAt - 1;
      assert.deepEqual(await count(), { limit: 3, remaining: 0, resetsAt, exceeded: true });
      time = resetsAt;
      assert.deepEqual(await count(), { limit: 3, remaining: 2, resetsAt: resetsAt + MINUTE, exceeded: false });
    });
  });

  it('admit exactly the limit of many simultaneous requests', async () => {
    await withDatabase(async ({ rateWindows }) => {
      const rates = new Rates(rateWindows, plans, () => NOW);
      const counted = await Promise.all(Array.from({ length: 50 }, () => rates.count(account('acct_1', 'five'))));
      assert.equal(counted.filter(({ exceeded }) => !exceeded).length, 5);
      assert.deepEqual(
        counted.flatMap(({ exceeded, remaining }) => (exceeded ? [] : [remaining])).sort(),
        [0, 1, 2, 3, 4],
      );
    });
  });

  it('write nothing for rejected requests until the window ends or the plan changes', async () => {
    await withDatabase(async ({ rateWindows }) => {
      let time = NOW;
      const rates = new Rates(rateWindows, plans, () => time);
      const written = async () => (await rateWindows.read('acct_1'))?.requests;
      for (let n = 0; n < 9; n += 1) await rates.count(account('acct_1', 'three'));
      assert.equal(await written(), 4);
      assert.equal((await rates.count(account('acct_1', 'five'))).exceeded, false);
      assert.equal(await written(), 5);
      assert.equal((await rates.count(account('acct_1', 'three'))).exceeded, true);
      time += MINUTE;
      assert.equal((await rates.count(account('acct_1', 'three'))).remaining, 2);
      assert.equal(await written(), 1);
    });
  });

  it('count two accounts separately', async () => {
    await withDatabase(async ({ rateWindows }) => {
      const rates = new Rates(rateWindows, plans, () => NOW);
      for (let n = 0; n < 4; n += 1) await rates.count(account('acct_1', 'three'));
      assert.equal((await rates.count(account('acct_1', 'three'))).exceeded, true);
      assert.equal((await rates.count(account('acct_2', 'three'))).remaining, 2);
    });
  });

  it('continue after a restart', async () => {
    await withFolder(async (folder) => {
      const start = async (requests: number, time: number) => {
        const database = await openDatabase(folder);
        const rates = new Rates(database.rateWindows, plans, () => time);
        for (let n = 1; n < requests; n += 1) await rates.count(account('acct_1', 'three'));
        const rate = await rates.count(account('acct_1', 'three'));
        await database.close();
        return rate;
      };
      assert.equal((await start(2, NOW)).remaining, 1);
      assert.deepEqual(await start(1, NOW + 1000), {
        limit: 3,
        remaining: 0,
        resetsAt: NOW + MINUTE,
        exceeded: false,
      });
      assert.equal((await start(1, NOW + 2000)).exceeded, true);
    });
  });

  it('keep the count when the plan changes', async () => {
    await withDatabase(async ({ rateWindows }) => {
      const rates = new Rates(rateWindows, plans, () => NOW);
      for (let n = 0; n < 4; n += 1) await rates.count(account('acct_1', 'five'));
      const { limit, exceeded } = await rates.count(account('acct_1', 'three'));
      assert.deepEqual([limit, exceeded], [3, true]);
      assert.equal((await rates.count(account('acct_1', 'five'))).exceeded, true);
    });
  });

  it('do not apply if the plan has no limit', async () => {
    await withDatabase(async ({ rateWindows }) => {
      const rates = new Rates(rateWindows, plans, () => NOW);
      for (let n = 0; n < 200; n += 1)
        assert.deepEqual(await rates.count(account('acct_1', 'open')), {
          limit: null,
          remaining: null,
          resetsAt: NOW,
          exceeded: false,
        });
    });
  });

  it('return the stored end of the window, however slow the database is', async () => {
    await withDatabase(async ({ rateWindows }) => {
      let time = NOW;
      // The clock advances by 1 ms with each reading, as when the database is slow.
      const rates = new Rates(rateWindows, plans, () => {
        time += 1;
        return time;
      });
      const ends: number[] = [];
      for (let n = 0; n < 5; n += 1) ends.push((await rates.count(account('acct_1', 'three'))).resetsAt);
      const { endsAt } = await rateWindows.add('acct_1', 0, time, time + MINUTE);
      assert.deepEqual(ends, Array(5).fill(endsAt));
    });
  });
});

/** Runs `work` with a fixed clock and two more plans: `open` without limits, and `small`. */
async function withFixedClock(work: (service: TestService, clock: { time: number }) => Promise<void>) {
  await withFolder(async (folder) => {
    const file = join(folder, 'plans.json');
    const open = { requests_per_month: null, ai_requests_per_month: null, requests_per_minute: null };
    await writeFile(file, JSON.stringify({ open, small: { requests_per_minute: 2, requests_per_month: 3 } }));
    const clock = { time: NOW };
    await withService((service) => work(service, clock), { env: { IC_PLANS_FILE: file }, now: () => clock.time });
  });
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

function limitsIn({ headers }: Response): { policy: string | null; state: string | null } {
  return { policy: headers.get('ratelimit-policy'), state: headers.get('ratelimit') };
}

async function newKey({ services }: TestService, plan: string, monthlyLimit: number | null): Promise<string> {
  const { accounts, keys } = services.database;
  const { id } = await accounts.create({ name: `${plan} ${monthlyLimit}`, email: null, plan });
  const { key } = await issueKey(keys, {
    accountId: id,
    name: 'a',
    mode: 'live',
    scopes: [],
    monthlyLimit,
    expiresAt: null,
  });
  return key;
}

describe('RateLimit and RateLimit-Policy', () => {
  const COMPRESS = '/api/v1/compress';
  const POST = { method: 'POST', body: 'abcdefgh' };

  it('show the limit of a free account and what is left', async () => {
    await withFixedClock(async ({ call }, clock) => {
      assert.deepEqual(limitsIn(await call(COMPRESS, POST)), {
        policy: '"minute";q=120;w=60, "month";q=1000, "ai";q=100',
        state: `"minute";r=119;t=60, "month";r=999;t=${MONTH_SECONDS}, "ai";r=100;t=${MONTH_SECONDS}`,
      });
      clock.time += 1500;
      assert.equal(
        limitsIn(await call(COMPRESS, POST)).state,
        // Seconds are rounded up, so the limit is surely renewed after that time.
        `"minute";r=118;t=59, "month";r=998;t=${MONTH_SECONDS - 1}, "ai";r=100;t=${MONTH_SECONDS - 1}`,
      );
    });
  });

  it('show the limit of a Pro account', async () => {
    await withFixedClock(async ({ call, keys }) => {
      assert.deepEqual(limitsIn(await call(COMPRESS, { ...POST, headers: bearer(keys.pro) })), {
        policy: '"minute";q=600;w=60, "month";q=20000, "ai";q=2000',
        state: `"minute";r=599;t=60, "month";r=19999;t=${MONTH_SECONDS}, "ai";r=2000;t=${MONTH_SECONDS}`,
      });
    });
  });

  it("show a key's own limit", async () => {
    await withFixedClock(async (service) => {
      const headers = bearer(await newKey(service, 'free', 7));
      assert.deepEqual(limitsIn(await service.call(COMPRESS, { ...POST, headers })), {
        policy: '"minute";q=120;w=60, "month";q=1000, "ai";q=100, "key";q=7',
        state: `"minute";r=119;t=60, "month";r=999;t=${MONTH_SECONDS}, "ai";r=100;t=${MONTH_SECONDS}, "key";r=6;t=${MONTH_SECONDS}`,
      });
    });
  });

  it("show the daily limit of a test key, and its account's limit per minute", async () => {
    await withFixedClock(async ({ call, keys }) => {
      await call(COMPRESS, POST);
      assert.deepEqual(limitsIn(await call(COMPRESS, { ...POST, headers: bearer(keys.test) })), {
        policy: '"minute";q=120;w=60, "day";q=50;w=86400',
        state: `"minute";r=118;t=60, "day";r=49;t=${DAY_SECONDS}`,
      });
    });
  });

  it('are omitted if there is no limit', async () => {
    await withFixedClock(async (service) => {
      const headers = bearer(await newKey(service, 'open', null));
      assert.deepEqual(limitsIn(await service.call(COMPRESS, { ...POST, headers })), { policy: null, state: null });
      const limited = bearer(await newKey(service, 'open', 3));
      assert.deepEqual(limitsIn(await service.call(COMPRESS, { ...POST, headers: limited })), {
        policy: '"key";q=3',
        state: `"key";r=2;t=${MONTH_SECONDS}`,
      });
    });
  });

  it('are never negative, even after a change to a smaller plan', async () => {
    await withFixedClock(async (service) => {
      for (let n = 0; n < 5; n += 1) await service.call(COMPRESS, POST);
      const { id } = (await service.services.database.accounts.findByName('anna'))!;
      await service.services.database.accounts.update(id, { plan: 'small' });
      const answer = await service.call(COMPRESS, POST);
      assert.equal(answer.status, 429);
      assert.deepEqual(limitsIn(answer), {
        policy: '"minute";q=2;w=60, "month";q=3, "ai";q=100',
        state: `"minute";r=0;t=60, "month";r=0;t=${MONTH_SECONDS}, "ai";r=100;t=${MONTH_SECONDS}`,
      });
    });
  });

  it('are on failures and on free calls, which count only per minute', async () => {
    await withFixedClock(async ({ call, engine }) => {
      engine.behave = async () => {
        throw new Error('broken');
      };
      const left = `"month";r=1000;t=${MONTH_SECONDS}, "ai";r=100;t=${MONTH_SECONDS}`;
      const answers = [
        { answer: await call(`${COMPRESS}?quality=0`, POST), status: 400 },
        { answer: await call(COMPRESS, { method: 'POST' }), status: 400 },
        { answer: await call(COMPRESS, POST), status: 500 },
        { answer: await call('/api/v1/formats'), status: 200 },
        { answer: await call('/api/v1/files/file_none'), status: 404 },
      ];
      for (const [n, { answer, status }] of answers.entries()) {
        assert.equal(answer.status, status);
        assert.deepEqual(limitsIn(answer), {
          policy: '"minute";q=120;w=60, "month";q=1000, "ai";q=100',
          state: `"minute";r=${119 - n};t=60, ${left}`,
        });
      }
    });
  });

  it('are not sent to unauthenticated callers', async () => {
    await withFixedClock(async ({ call }) => {
      const answer = await call('/api/v1/formats', { headers: { authorization: '' } });
      assert.equal(answer.status, 401);
      assert.deepEqual(limitsIn(answer), { policy: null, state: null });
    });
  });

  it('agree with Retry-After on a request over the limit', async () => {
    verifies('error.retry-after.429');
    await withFixedClock(async (service, clock) => {
      const headers = bearer(await newKey(service, 'small', null));
      const call = () => service.call('/api/v1/formats', { headers });
      for (let n = 0; n < 2; n += 1) assert.equal((await call()).status, 200);
      clock.time += 10_001;
      const refused = await call();
      assert.equal(refused.status, 429);
      const { error } = (await refused.json()) as { error: { code: string; message: string } };
      assert.equal(error.code, 'rate_limited');
      assert.equal(error.message, 'Expected at most 2 requests a minute for this account but received more.');
      assert.equal(refused.headers.get('retry-after'), '50');
      assert.match(limitsIn(refused).state ?? '', /^"minute";r=0;t=50, /);
      assert.equal(refused.headers.get('x-quota-meter'), 'none');
      clock.time += 50_000;
      assert.equal((await call()).status, 200);
    });
  });
});
