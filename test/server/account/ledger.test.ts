import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Failure } from '../../../base/failure.ts';
import type { SqliteConnection } from '../../../base/sqlite/connection.ts';
import { type Cost, FREE, ONE_AI_REQUEST, ONE_REQUEST, quotaMeter } from '../../../server/account/credits.ts';
import { issueKey } from '../../../server/account/keys.ts';
import { Ledger, type Reservation } from '../../../server/account/ledger.ts';
import { dayOf, monthOf } from '../../../server/account/period.ts';
import { Plans } from '../../../server/account/plans.ts';
import type { Caller } from '../../../server/http/context.ts';
import type { Database } from '../../../storage/ports/database.ts';
import type { Credits } from '../../../storage/records/meters.ts';
import { OTHER_DATABASE, withDatabase } from '../../support/database.ts';
import { failureOf } from '../../support/failure.ts';
import { withFolder } from '../../support/folder.ts';
import { letGrow, stopGrowth, watchConnections } from '../../support/kysely.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';
import { type TestService, withService } from '../../support/service.ts';
import { sendRaw } from '../../support/socket.ts';
import { verifies } from '../../support/verifies.ts';

const NOW = Date.UTC(2026, 10, 21, 5, 20);
/** Seconds from NOW to December 1. */
const MONTH_SECONDS = 844_800;
/** Seconds from NOW to midnight. */
const DAY_SECONDS = 67_200;
const ZERO_COUNTS = { requests: 0, ai: 0, reservedRequests: 0, reservedAi: 0 };

const COMPRESS = '/api/v1/compress';
const POST = { method: 'POST', body: 'abcdefgh' };

/** A promise that the test settles. Node 20 has no Promise.withResolvers. */
class Deferred {
  open!: () => void;
  fail!: (error: Error) => void;
  readonly passed = new Promise<void>((resolve, reject) => {
    this.open = resolve;
    this.fail = reject;
  });
}

/** Runs `work` with a fixed clock and a free plan without a limit per minute. */
async function withServiceWithoutRateLimit(work: (service: TestService, clock: { time: number }) => Promise<void>) {
  await withFolder(async (folder) => {
    const file = join(folder, 'plans.json');
    await writeFile(file, JSON.stringify({ free: { requests_per_minute: null } }));
    const clock = { time: NOW };
    await withService((service) => work(service, clock), {
      env: { IC_PLANS_FILE: file, IC_LOG_LEVEL: 'silent' },
      now: () => clock.time,
    });
  });
}

/** Reads the free account and its live key from the database. */
async function readFreeCaller({ services: { database } }: TestService): Promise<Caller> {
  const account = (await database.accounts.findByName('anna'))!;
  const key = (await database.keys.list(account.id)).find(({ mode }) => mode === 'live')!;
  return { account, key };
}

async function addUsage(database: Database, subject: string, credits: Credits, time = NOW): Promise<void> {
  await database.meters.settle({ subject, period: monthOf(time).id }, credits, false);
}

/** Creates an account with one key directly in the database. */
async function createCaller(
  { accounts, keys }: Database,
  { plan = 'free', mode = 'live' as 'live' | 'test', monthlyLimit = null as number | null } = {},
): Promise<Caller> {
  const account = await accounts.create({ name: `${plan} ${mode} ${monthlyLimit}`, email: null, plan });
  const options = { accountId: account.id, name: 'a', mode, scopes: [], monthlyLimit, expiresAt: null };
  return { account, key: (await issueKey(keys, options)).record };
}

interface Outcome {
  status: number;
  code: string | undefined;
  retryAfter: string | null;
  meter: string | null;
}

async function outcomeOf(answer: Response | Promise<Response>): Promise<Outcome> {
  const { status, headers } = await answer;
  const text = await (await answer).text();
  return {
    status,
    code: status === 200 ? undefined : (JSON.parse(text) as { error: { code: string } }).error.code,
    retryAfter: headers.get('retry-after'),
    meter: headers.get('x-quota-meter'),
  };
}

/** Sends `count` requests at once. None is answered with an image before each is refused or running. */
async function sendAtOnce(
  { engine, call }: TestService,
  count: number,
  headers: Record<string, string> = {},
): Promise<Outcome[]> {
  const decided = new Deferred();
  let undecided = count;
  const decide = () => {
    undecided -= 1;
    if (undecided === 0) decided.open();
  };
  engine.behave = async () => {
    decide();
    await decided.passed;
    return {};
  };
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const outcome = await outcomeOf(call(COMPRESS, { ...POST, headers }));
      if (outcome.status !== 200) decide();
      return outcome;
    }),
  );
}

function tally(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code = 'done', retryAfter, meter } of outcomes) {
    const name = [status, code, retryAfter, meter].join(' ');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe('the last credits', { timeout: 120_000 }, () => {
  it('of a month go to exactly 30 of 90 simultaneous requests; the rest must wait for the next month', async () => {
    verifies('limits.credit.one-per-request', 'error.retry-after.429', 'header.x-quota-meter');
    await withServiceWithoutRateLimit(async (service) => {
      const { account, key } = await readFreeCaller(service);
      const { database } = service.services;
      await addUsage(database, account.id, { requests: 970, ai: 0 });
      assert.deepEqual(tally(await sendAtOnce(service, 90)), {
        '200 done  requests': 30,
        [`429 quota_exceeded ${MONTH_SECONDS} none`]: 60,
      });
      assert.equal(service.engine.calls.length, 30);
      const period = monthOf(NOW).id;
      assert.deepEqual(await database.meters.read({ subject: account.id, period }), { ...ZERO_COUNTS, requests: 1000 });
      assert.deepEqual(await database.meters.read({ subject: key.id, period }), { ...ZERO_COUNTS, requests: 30 });
    });
  });

  it("of a key's own limit go to exactly 100 of 300 simultaneous requests", { skip: nightlyOnly }, async () => {
    verifies('limits.key-monthly');
    await withServiceWithoutRateLimit(async (service) => {
      const { account } = await readFreeCaller(service);
      const { database } = service.services;
      const options = { accountId: account.id, name: 'a', mode: 'live', scopes: [], expiresAt: null } as const;
      const { key, record } = await issueKey(database.keys, { ...options, monthlyLimit: 100 });
      const headers = { authorization: `Bearer ${key}` };
      assert.deepEqual(tally(await sendAtOnce(service, 300, headers)), {
        '200 done  requests': 100,
        [`429 key_limit_exceeded ${MONTH_SECONDS} none`]: 200,
      });
      const period = monthOf(NOW).id;
      // Requests refused by the limit of the key do not count for the account either.
      assert.deepEqual(await database.meters.read({ subject: account.id, period }), { ...ZERO_COUNTS, requests: 100 });
      assert.deepEqual(await database.meters.read({ subject: record.id, period }), { ...ZERO_COUNTS, requests: 100 });
      assert.equal((await service.call(COMPRESS, POST)).status, 200);
    });
  });

  it('of the AI allowance go to exactly 100 of 300 requests, apart from the ordinary allowance', async () => {
    await withDatabase(async (database) => {
      const ledger = new Ledger(database, new Plans(), undefined, () => NOW);
      const who = await createCaller(database);
      const asked = await Promise.allSettled(
        Array.from({ length: 300 }, () => ledger.reserve(who, 'ocr', ONE_AI_REQUEST)),
      );
      const admitted = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason as Failure] : []));
      assert.equal(admitted.length, 100);
      for (const { code, retryAfter, message } of refused) {
        assert.deepEqual([code, retryAfter], ['quota_exceeded', MONTH_SECONDS]);
        assert.equal(
          message,
          'Expected at most 100 AI requests a month for this account but received more: 0 are used and 100 reserved by work that has not ended.',
        );
      }
      await Promise.all(admitted.map((credit) => credit.charge({ bytesIn: 1, bytesOut: 2 })));
      const { requests, ai } = await ledger.balance(who);
      assert.deepEqual([requests.used, ai.used], [0, 100]);
      await ledger.reserve(who, 'compress', ONE_REQUEST);
      // The work costs a request and an AI request. The exhausted AI quota refuses both.
      const both: Cost = { requests: 1, ai: 1 };
      const { message } = await failureOf('quota_exceeded', () => ledger.reserve(who, 'pipeline', both));
      assert.match(message, /100 AI requests/);
      assert.equal((await database.meters.read({ subject: who.account.id, period: '2026-11' })).reservedRequests, 1);
    });
  });

  it('of a day of test keys go to exactly 50 of 80 simultaneous requests; the next day has 50 again', async () => {
    verifies('limits.test-key.per-day', 'limits.test-key.no-quota');
    await withServiceWithoutRateLimit(async (service, clock) => {
      const { account } = await readFreeCaller(service);
      const { database } = service.services;
      // The monthly quota is exhausted, which does not affect test keys.
      await addUsage(database, account.id, { requests: 1000, ai: 100 });
      const headers = { authorization: `Bearer ${service.keys.test}` };
      assert.deepEqual(tally(await sendAtOnce(service, 80, headers)), {
        '200 done  none': 50,
        [`429 test_limit_exceeded ${DAY_SECONDS} none`]: 30,
      });
      // All test keys of the account share the daily limit.
      const options = { accountId: account.id, name: 'a', mode: 'test', scopes: [], expiresAt: null } as const;
      const other = await issueKey(database.keys, { ...options, monthlyLimit: null });
      const again = () => service.call(COMPRESS, { ...POST, headers: { authorization: `Bearer ${other.key}` } });
      assert.equal((await outcomeOf(again())).code, 'test_limit_exceeded');
      clock.time = dayOf(NOW).end - 1;
      assert.deepEqual(await outcomeOf(again()), {
        status: 429,
        code: 'test_limit_exceeded',
        retryAfter: '1',
        meter: 'none',
      });
      clock.time += 1;
      assert.equal((await again()).status, 200);
      const { requests, ai } = await database.meters.read({ subject: account.id, period: '2026-11' });
      assert.deepEqual([requests, ai], [1000, 100]);
      assert.deepEqual(await database.usage.ofMonth(account.id, '2026-11'), []);
    });
  });

  it('are available again in the next month', async () => {
    await withServiceWithoutRateLimit(async (service, clock) => {
      const { account } = await readFreeCaller(service);
      await addUsage(service.services.database, account.id, { requests: 1000, ai: 0 });
      const last = new Date(NOW + MONTH_SECONDS * 1000 - 1);
      clock.time = last.getTime();
      assert.deepEqual(await outcomeOf(service.call(COMPRESS, POST)), {
        status: 429,
        code: 'quota_exceeded',
        retryAfter: '1',
        meter: 'none',
      });
      clock.time += 1;
      assert.equal((await service.call(COMPRESS, POST)).status, 200);
    });
  });
});

describe('a refusal at a limit', () => {
  it('says how many credits are used and how many reserved, where any are', async () => {
    await withDatabase(async (database) => {
      const ledger = new Ledger(database, new Plans(), undefined, () => NOW);
      const who = await createCaller(database);
      const limited = { ...who, key: { ...who.key, monthlyLimit: 3 } };
      const tester = { ...who, key: { ...who.key, mode: 'test' as const } };
      const refusal = async (caller: Caller) => {
        const failure = await ledger.reserve(caller, 'compress', ONE_REQUEST).then(
          () => assert.fail('not refused'),
          (error: Failure) => error,
        );
        return [failure.message, failure.hint];
      };
      const first = await ledger.reserve(limited, 'compress', ONE_REQUEST);
      const second = await ledger.reserve(limited, 'compress', ONE_REQUEST);
      const third = await ledger.reserve(limited, 'compress', ONE_REQUEST);
      await first.charge({ bytesIn: 1, bytesOut: 1 });
      assert.deepEqual(await refusal(limited), [
        'Expected at most 3 requests a month for this key but received more: 1 are used and 2 reserved by work that has not ended.',
        'What is reserved is free again if that work fails or costs less: wait until it has ended. It resets on December 1. Raise the limit of the key, or use another one.',
      ]);
      await second.charge({ bytesIn: 1, bytesOut: 1 });
      await third.charge({ bytesIn: 1, bytesOut: 1 });
      assert.deepEqual(await refusal(limited), [
        'Expected at most 3 requests a month for this key but received more.',
        'It resets on December 1. Raise the limit of the key, or use another one.',
      ]);
      for (let sent = 0; sent < 50; sent += 1) await ledger.reserve(tester, 'compress', ONE_REQUEST);
      const [message] = await refusal(tester);
      assert.match(message!, /50 requests a day .+ more: 0 are used and 50 reserved by work that has not ended\.$/);
    });
  });
});

describe('a credit', () => {
  it('is released when its request fails', async () => {
    await withServiceWithoutRateLimit(async (service) => {
      const { call, engine } = service;
      const { account } = await readFreeCaller(service);
      await addUsage(service.services.database, account.id, { requests: 999, ai: 0 });
      const working = new Deferred();
      const finishing = new Deferred();
      engine.behave = async () => {
        working.open();
        await finishing.passed;
        return {};
      };
      const first = call(COMPRESS, POST);
      await working.passed;
      // The running request holds the last credit until it ends.
      assert.equal((await outcomeOf(call(COMPRESS, POST))).code, 'quota_exceeded');
      finishing.fail(new Failure('corrupt_image', 'broken'));
      assert.deepEqual(await outcomeOf(first), { status: 422, code: 'corrupt_image', retryAfter: null, meter: 'none' });
      engine.behave = async () => ({});
      assert.equal((await outcomeOf(call(COMPRESS, POST))).meter, 'requests');
      assert.equal((await outcomeOf(call(COMPRESS, POST))).code, 'quota_exceeded');
    });
  });

  it('that is not available is refused before the body is sent', async () => {
    await withServiceWithoutRateLimit(async (service) => {
      const { account } = await readFreeCaller(service);
      await addUsage(service.services.database, account.id, { requests: 1000, ai: 0 });
      const lines = [
        `POST ${COMPRESS} HTTP/1.1`,
        'Host: a',
        `Authorization: Bearer ${service.keys.free}`,
        'Content-Length: 1000000',
        'Expect: 100-continue',
      ];
      const { status, body } = await sendRaw(service.port, `${lines.join('\r\n')}\r\n\r\n`);
      assert.equal(status, 429, body);
      assert.match(body, /"quota_exceeded"/);
    });
  });

  it('is counted in the month in which its request began', async () => {
    await withServiceWithoutRateLimit(async (service, clock) => {
      const { call, engine } = service;
      const { account } = await readFreeCaller(service);
      const { meters, usage } = service.services.database;
      engine.behave = async () => {
        clock.time = monthOf(NOW).end;
        return {};
      };
      const answer = await call(COMPRESS, POST);
      assert.equal(answer.status, 200);
      assert.deepEqual(await meters.read({ subject: account.id, period: '2026-11' }), { ...ZERO_COUNTS, requests: 1 });
      assert.deepEqual(await meters.read({ subject: account.id, period: '2026-12' }), ZERO_COUNTS);
      assert.equal((await usage.ofMonth(account.id, '2026-11'))[0]?.requests, 1);
      assert.match(answer.headers.get('ratelimit') ?? '', /"month";r=1000;/);
    });
  });

  it('can be released after a failed charge', async () => {
    await withDatabase(async (database) => {
      const ledger = new Ledger(database, new Plans({ one: { requests_per_month: 1 } }), undefined, () => NOW);
      const who = await createCaller(database, { plan: 'one' });
      const credit = await ledger.reserve(who, 'compress', ONE_REQUEST);
      const inTransaction = async () => {
        throw new RangeError('broken');
      };
      await assert.rejects(credit.charge({ bytesIn: 1, bytesOut: 1 }, inTransaction), RangeError);
      await credit.release(1);
      const second = await ledger.reserve(who, 'compress', ONE_REQUEST);
      await second.charge({ bytesIn: 1, bytesOut: 1 });
      assert.equal((await ledger.balance(who)).requests.used, 1);
    });
  });

  it('is charged in the same transaction as the callback', async () => {
    await withDatabase(async (database) => {
      const ledger = new Ledger(database, new Plans(), undefined, () => NOW);
      const who = await createCaller(database);
      const credit = await ledger.reserve(who, 'compress', ONE_REQUEST);
      await credit.charge({ bytesIn: 1, bytesOut: 1 }, async ({ accounts, meters }) => {
        await accounts.update(who.account.id, { email: 'anna@example.com' });
        assert.equal((await meters.read({ subject: who.account.id, period: '2026-11' })).requests, 1);
      });
      assert.equal((await database.accounts.find(who.account.id))?.email, 'anna@example.com');
    });
  });

  it('is released if the work did not need it', async () => {
    await withDatabase(async (database) => {
      const ledger = new Ledger(database, new Plans({ one: { ai_requests_per_month: 1 } }), undefined, () => NOW);
      const who = await createCaller(database, { plan: 'one', monthlyLimit: 3 });
      const both: Cost = { requests: 1, ai: 1 };
      const credit = await ledger.reserve(who, 'pipeline', both);
      await failureOf('quota_exceeded', () => ledger.reserve(who, 'ocr', ONE_AI_REQUEST));
      await credit.charge({ bytesIn: 3, bytesOut: 2 }, undefined, ONE_REQUEST);
      const period = monthOf(NOW).id;
      for (const subject of [who.account.id, who.key.id])
        assert.deepEqual(await database.meters.read({ subject, period }), { ...ZERO_COUNTS, requests: 1 });
      const [row] = await database.usage.ofMonth(who.account.id, period);
      assert.deepEqual([row?.requests, row?.ai, row?.bytesIn], [1, 0, 3]);
      // The AI request was not used, so no notice is due.
      assert.deepEqual(await database.notices.due('9999'), []);
      await (await ledger.reserve(who, 'pipeline', both)).charge({ bytesIn: 3, bytesOut: 2 });
      assert.deepEqual(await database.meters.read({ subject: who.key.id, period }), {
        ...ZERO_COUNTS,
        requests: 2,
        ai: 1,
      });
    });
  });

  it('that a killed process held is released at the next start', async () => {
    await withDatabase(async (database) => {
      const plans = new Plans({ one: { requests_per_month: 1 } });
      const who = await createCaller(database, { plan: 'one', monthlyLimit: 1 });
      const reserve = async (ledger: Ledger): Promise<Reservation> =>
        await ledger.reserve(who, 'compress', ONE_REQUEST);
      const presence = await database.join();
      await reserve(new Ledger(database, plans, undefined, () => NOW));
      const next = new Ledger(database, plans, undefined, () => NOW);
      await failureOf('quota_exceeded', () => reserve(next));
      await presence.leave();
      await database.join();
      await reserve(next);
    });
  });
});

describe('a notice', () => {
  it('is recorded once at 80% and once at 100% of each allowance, and wakes the sender', async () => {
    await withDatabase(async (database) => {
      let woken = 0;
      let time = NOW;
      const plans = new Plans({ ten: { requests_per_month: 10, ai_requests_per_month: 1 } });
      const ledger = new Ledger(
        database,
        plans,
        () => {
          woken += 1;
        },
        () => time,
      );
      const who = await createCaller(database, { plan: 'ten' });
      const charge = async (cost: Cost) => {
        await (await ledger.reserve(who, 'compress', cost)).charge({ bytesIn: 0, bytesOut: 0 });
        const due = await database.notices.due('9999');
        return due.map(({ month, meter, threshold, used, limit }) => [month, meter, threshold, used, limit].join(' '));
      };
      for (let n = 1; n <= 7; n += 1) assert.deepEqual(await charge(ONE_REQUEST), []);
      const eighty = '2026-11 requests 80 8 10';
      assert.deepEqual(await charge(ONE_REQUEST), [eighty]);
      assert.deepEqual(await charge(ONE_REQUEST), [eighty]);
      assert.equal(woken, 1);
      assert.deepEqual(await charge(ONE_REQUEST), [eighty, '2026-11 requests 100 10 10']);
      // One charge records both AI notices, 80% and 100%, and wakes the sender once.
      assert.equal((await charge(ONE_AI_REQUEST)).length, 4);
      assert.equal(woken, 3);
      time = monthOf(NOW).end;
      for (let n = 1; n <= 7; n += 1) await charge(ONE_REQUEST);
      assert.equal((await charge(ONE_REQUEST)).at(-1), '2026-12 requests 80 8 10');
    });
  });

  it('does not undo the charge if it cannot be sent', async () => {
    await withDatabase(async (database) => {
      const plans = new Plans({ one: { requests_per_month: 1 } });
      const onNotice = () => {
        throw new RangeError('broken');
      };
      const ledger = new Ledger(database, plans, onNotice, () => NOW);
      const who = await createCaller(database, { plan: 'one' });
      const credit = await ledger.reserve(who, 'compress', ONE_REQUEST);
      await assert.rejects(credit.charge({ bytesIn: 0, bytesOut: 0 }), RangeError);
      await credit.release(0);
      assert.deepEqual(await database.meters.read({ subject: who.account.id, period: '2026-11' }), {
        ...ZERO_COUNTS,
        requests: 1,
      });
    });
  });
});

describe('X-Quota-Meter', () => {
  it('names the allowance that was charged, and is omitted if nothing was', async () => {
    verifies('header.x-quota-meter');
    await withServiceWithoutRateLimit(async ({ call, keys }) => {
      const meter = async (path: string, init: RequestInit = {}) => (await outcomeOf(call(path, init))).meter;
      assert.equal(await meter(COMPRESS, POST), 'requests');
      assert.equal(await meter(`${COMPRESS}?output=json`, POST), 'requests');
      assert.equal(await meter(`${COMPRESS}?quality=0`, POST), 'none');
      assert.equal(await meter(COMPRESS, { ...POST, headers: { authorization: `Bearer ${keys.test}` } }), 'none');
      assert.equal(await meter('/api/v1/formats/none'), null);
      assert.equal(await meter('/api/v1/files/file_none'), 'none');
    });
  });

  it('has four values', async () => {
    await withDatabase(async (database) => {
      const live = (await createCaller(database)).key;
      const test = (await createCaller(database, { mode: 'test' })).key;
      const both: Cost = { requests: 1, ai: 1 };
      const costs = [ONE_REQUEST, ONE_AI_REQUEST, both, FREE];
      assert.deepEqual(
        costs.map((cost) => quotaMeter(live, cost)),
        ['requests', 'ai', 'requests, ai', 'none'],
      );
      assert.deepEqual(new Set(costs.map((cost) => quotaMeter(test, cost))), new Set(['none']));
    });
  });
});

describe('the usage of a month', () => {
  it('adds up bytes and failures by operation, once work has begun', async () => {
    await withServiceWithoutRateLimit(async (service) => {
      const { call, engine, keys } = service;
      const { account } = await readFreeCaller(service);
      engine.behave = async () => ({ data: new Uint8Array(5).buffer });
      await (await call(COMPRESS, POST)).arrayBuffer();
      await (await call(`${COMPRESS}?output=json`, POST)).arrayBuffer();
      await (await call(`${COMPRESS}?quality=0`, POST)).arrayBuffer();
      await (await call(COMPRESS, { ...POST, headers: { authorization: `Bearer ${keys.test}` } })).arrayBuffer();
      engine.behave = async () => {
        throw new Failure('corrupt_image', 'broken');
      };
      await (await call(COMPRESS, POST)).arrayBuffer();
      assert.deepEqual(await service.services.database.usage.ofMonth(account.id, '2026-11'), [
        {
          accountId: account.id,
          month: '2026-11',
          operation: 'compress',
          requests: 2,
          ai: 0,
          bytesIn: 24,
          bytesOut: 10,
          failed: 1,
        },
      ]);
    });
  });
});

/** After this many failed inserts with random keys, no page of the table has room for a row of this size. */
const FAILURES = 100;

/** Fills a table of a database that cannot grow, until none of its pages has room. */
function fill(connection: SqliteConnection, sql: string, row: (subject: string) => string[]): void {
  const insert = connection.prepare(sql);
  const random = new Random(1);
  for (let failures = 0; failures < FAILURES; ) {
    const subject = Array.from({ length: 30 }, () => random.pick('abcdefghijklmnopqrstuvwxyz'.split(''))).join('');
    try {
      insert.run(...row(subject));
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'SQLITE_FULL');
      failures += 1;
    }
  }
}

const fillMeters = (connection: SqliteConnection) =>
  fill(connection, 'insert into meters (subject, period) values (?, ?)', (subject) => [subject, '2026-11']);

const fillUsage = (connection: SqliteConnection, accountId: string) =>
  fill(connection, 'insert into usage (account_id, month, operation) values (?, ?, ?)', (subject) => [
    accountId,
    '2026-10',
    subject.slice(0, 'compress'.length),
  ]);

describe('a full disk', { skip: OTHER_DATABASE }, () => {
  const DONE = { status: 200, code: undefined, retryAfter: null, meter: 'requests' };

  /** Runs `work` with a service, the connection of its database and the free account. */
  const withConnection = (
    t: TestContext,
    work: (service: TestService, connection: SqliteConnection, who: Caller) => Promise<void>,
  ) => {
    const opened = watchConnections(t);
    return withServiceWithoutRateLimit(async (service) => {
      const [connection, ...more] = opened;
      assert.ok(connection && more.length === 0);
      await work(service, connection, await readFreeCaller(service));
    });
  };

  it('does not stop requests that store nothing; they are counted in memory, then written', async (t) => {
    await withConnection(t, async (service, connection, { account, key }) => {
      const { meters, usage } = service.services.database;
      const [ofAccount, ofKey] = [account, key].map(({ id: subject }) => ({ subject, period: '2026-11' }));
      stopGrowth(connection);
      fillMeters(connection);
      for (let n = 0; n < 3; n += 1) assert.deepEqual(await outcomeOf(service.call(COMPRESS, POST)), DONE);
      service.engine.behave = async () => {
        throw new Failure('corrupt_image', 'broken');
      };
      assert.equal((await outcomeOf(service.call(COMPRESS, POST))).code, 'corrupt_image');
      service.engine.behave = async () => ({});
      assert.deepEqual(await meters.read(ofAccount!), ZERO_COUNTS);
      // The balance includes the counts in memory.
      const record = (await (await service.call('/api/v1/usage')).json()) as Record<string, unknown>;
      assert.deepEqual(record.requests, { used: 3, limit: 1000, remaining: 997 });
      assert.deepEqual(record.by_operation, [
        { operation: 'compress', requests: 3, ai: 0, bytes_in: 32, bytes_out: 24, failed: 1 },
      ]);
      assert.equal((record.key as { used: number }).used, 3);
      letGrow(connection);
      assert.deepEqual(await outcomeOf(service.call(COMPRESS, POST)), DONE);
      assert.deepEqual(await meters.read(ofAccount!), { ...ZERO_COUNTS, requests: 4 });
      assert.deepEqual(await meters.read(ofKey!), { ...ZERO_COUNTS, requests: 4 });
      const [row] = await usage.ofMonth(account.id, '2026-11');
      assert.deepEqual([row?.requests, row?.failed, row?.bytesIn, row?.bytesOut], [4, 1, 40, 32]);
    });
  });

  it('admits no more requests than there are credits, even simultaneous ones', async (t) => {
    await withConnection(t, async (service, connection, { account }) => {
      await addUsage(service.services.database, account.id, { requests: 997, ai: 0 });
      stopGrowth(connection);
      fillMeters(connection);
      fillUsage(connection, account.id);
      const gate = new Deferred();
      service.engine.behave = async () => {
        await gate.passed;
        return {};
      };
      const running = Array.from({ length: 12 }, () => outcomeOf(service.call(COMPRESS, POST)));
      const refused = await Promise.race(running);
      assert.equal(refused.code, 'quota_exceeded');
      gate.open();
      const outcomes = await Promise.all(running);
      assert.equal(outcomes.filter(({ status }) => status === 200).length, 3);
      assert.equal(outcomes.filter(({ code }) => code === 'quota_exceeded').length, 9);
      letGrow(connection);
      assert.equal((await outcomeOf(service.call(COMPRESS, POST))).code, 'quota_exceeded');
      const ofAccount = { subject: account.id, period: '2026-11' };
      assert.deepEqual(await service.services.database.meters.read(ofAccount), { ...ZERO_COUNTS, requests: 1000 });
    });
  });

  it('neither loses nor repeats the charge if the disk fills up during the work', async (t) => {
    await withConnection(t, async (service, connection, { account, key }) => {
      const { database } = service.services;
      const ofAccount = { subject: account.id, period: '2026-11' };
      // The meter of the account has a row and that of the key has none, so only a part of the charge fits.
      await addUsage(database, account.id, { requests: 990, ai: 0 });
      stopGrowth(connection);
      fillMeters(connection);
      assert.deepEqual(await outcomeOf(service.call(COMPRESS, POST)), DONE);
      assert.deepEqual(await database.meters.read(ofAccount), { ...ZERO_COUNTS, requests: 990, reservedRequests: 1 });
      letGrow(connection);
      assert.deepEqual(await outcomeOf(service.call(COMPRESS, POST)), DONE);
      assert.deepEqual(await database.meters.read(ofAccount), { ...ZERO_COUNTS, requests: 992 });
      assert.deepEqual(await database.meters.read({ ...ofAccount, subject: key.id }), { ...ZERO_COUNTS, requests: 2 });
    });
  });

  it('does not keep a credit that was to be released', async (t) => {
    await withConnection(t, async (service, connection, { account, key }) => {
      const { database } = service.services;
      const ofAccount = { subject: account.id, period: '2026-11' };
      await addUsage(database, account.id, { requests: 999, ai: 0 });
      await addUsage(database, key.id, { requests: 999, ai: 0 });
      stopGrowth(connection);
      fillUsage(connection, account.id);
      service.engine.behave = async () => {
        throw new Failure('corrupt_image', 'broken');
      };
      assert.equal((await outcomeOf(service.call(COMPRESS, POST))).code, 'corrupt_image');
      service.engine.behave = async () => ({});
      assert.deepEqual(await outcomeOf(service.call(COMPRESS, POST)), DONE);
      assert.equal((await outcomeOf(service.call(COMPRESS, POST))).code, 'quota_exceeded');
      letGrow(connection);
      assert.equal((await outcomeOf(service.call(COMPRESS, POST))).code, 'quota_exceeded');
      assert.deepEqual(await database.meters.read(ofAccount), { ...ZERO_COUNTS, requests: 1000 });
      const [row] = await database.usage.ofMonth(account.id, '2026-11');
      assert.deepEqual([row?.requests, row?.failed], [1, 1]);
    });
  });

  it('returns storage_full for results to be stored, and charges nothing', async (t) => {
    await withConnection(t, async (service, connection, { account }) => {
      stopGrowth(connection);
      fillMeters(connection);
      fill(
        connection,
        'insert into files (id, account_id, filename, content_type, format, bytes, sha256, created_at, expires_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
        (id) => [id, account.id, 'a.webp', 'image/webp', 'webp', '1', id.padEnd(64, '0'), '2026', '2027'],
      );
      assert.deepEqual(await outcomeOf(service.call(`${COMPRESS}?output=json`, POST)), {
        status: 507,
        code: 'storage_full',
        retryAfter: null,
        meter: 'none',
      });
      letGrow(connection);
      const { requests } = (await (await service.call('/api/v1/usage')).json()) as { requests: { used: number } };
      assert.equal(requests.used, 0);
    });
  });

  it('writes pending changes on shutdown, and sends the notice that was due', async (t) => {
    await withConnection(t, async (service, connection, { account }) => {
      const { database, ledger } = service.services;
      await addUsage(database, account.id, { requests: 799, ai: 0 });
      stopGrowth(connection);
      fillMeters(connection);
      assert.deepEqual(await outcomeOf(service.call(COMPRESS, POST)), DONE);
      assert.equal(ledger.isWaitingForDisk, true);
      assert.deepEqual(await database.notices.due('9999'), []);
      letGrow(connection);
      await ledger.stop();
      assert.equal(ledger.isWaitingForDisk, false);
      const period = { subject: account.id, period: '2026-11' };
      assert.deepEqual(await database.meters.read(period), { ...ZERO_COUNTS, requests: 800 });
      assert.equal((await database.usage.ofMonth(account.id, '2026-11'))[0]?.requests, 1);
    });
  });

  it('logs what it could not write on shutdown', async (t) => {
    const opened = watchConnections(t);
    await withDatabase(async (database) => {
      const lines: unknown[] = [];
      const log = { warn: () => {}, error: (...line: unknown[]) => lines.push(line) };
      const plans = new Plans({});
      const ledger = new Ledger(database, plans, undefined, () => NOW, log as never);
      const who = await createCaller(database);
      const [connection] = opened;
      stopGrowth(connection!);
      fillMeters(connection!);
      const credit = await ledger.reserve(who, 'compress', ONE_REQUEST);
      await credit.charge({ bytesIn: 1, bytesOut: 1 });
      await ledger.stop();
      assert.deepEqual(lines, [
        [{ credits: 1 }, 'the database takes no writes: used credits were not written and are lost'],
      ]);
      letGrow(connection!);
      await ledger.stop();
      assert.equal((await database.meters.read({ subject: who.account.id, period: '2026-11' })).requests, 1);
    });
  });

  it('does not bypass the limit per minute, which is counted in memory', async (t) => {
    const opened = watchConnections(t);
    const clock = { time: NOW };
    await withService(
      async ({ call, engine, services }) => {
        const [connection] = opened;
        stopGrowth(connection!);
        fill(connection!, 'insert into rate_windows (subject, requests, ends_at) values (?, 1, 1)', (subject) => [
          subject,
        ]);
        fillMeters(connection!);
        const statuses = await Promise.all(
          Array.from({ length: 130 }, async () => (await outcomeOf(call(COMPRESS, POST))).status),
        );
        assert.equal(statuses.filter((status) => status === 200).length, 120);
        assert.equal(statuses.filter((status) => status === 429).length, 10);
        assert.equal(engine.calls.length, 120);
        letGrow(connection!);
        assert.equal((await outcomeOf(call(COMPRESS, POST))).code, 'rate_limited');
        const account = await services.database.accounts.findByName('anna');
        assert.equal((await services.database.rateWindows.read(account!.id))?.requests, 131);
        clock.time += 60_000;
        assert.deepEqual(await outcomeOf(call(COMPRESS, POST)), DONE);
      },
      { now: () => clock.time },
    );
  });
});
