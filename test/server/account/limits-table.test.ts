/** Checks each cell of the table "Limits" of the interface, and its rules for keys. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Cost, ONE_AI_REQUEST } from '../../../server/account/credits.ts';
import { issueKey } from '../../../server/account/keys.ts';
import { Ledger } from '../../../server/account/ledger.ts';
import { Plans } from '../../../server/account/plans.ts';
import type { Account } from '../../../storage/records/accounts.ts';
import type { Key } from '../../../storage/records/keys.ts';
import { withDatabase } from '../../support/database.ts';
import { failureOf } from '../../support/failure.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { type TestService, withService } from '../../support/service.ts';
import { sendRaw } from '../../support/socket.ts';
import { verifies } from '../../support/verifies.ts';

const NOW = Date.UTC(2026, 10, 21, 5, 20);
const MONTH = '2026-11';
const MINUTE = 60_000;
const COMPRESS = '/api/v1/compress';

type PlanName = 'free' | 'pro';
/** Names of the accounts of {@link withService}. */
const OWNERS = { free: 'anna', pro: 'ben' } as const;

function withFixedClock(work: (service: TestService, clock: { time: number }) => Promise<void>): Promise<void> {
  const clock = { time: NOW };
  return withService((service) => work(service, clock), { now: () => clock.time });
}

async function send(service: TestService, key: string, body: BodyInit = 'abcdefgh', query = ''): Promise<string> {
  const answer = await service.call(COMPRESS + query, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${key}` },
  });
  return await outcomeOf(answer);
}

/** Returns `200`, or the status with the error code. */
async function outcomeOf(answer: Response): Promise<string> {
  const body = await answer.arrayBuffer();
  if (answer.status === 200) return '200';
  const { error } = JSON.parse(Buffer.from(body).toString()) as { error: { code: string } };
  return `${answer.status} ${error.code}`;
}

async function ownerOf({ services: { database } }: TestService, plan: PlanName): Promise<Account> {
  return (await database.accounts.findByName(OWNERS[plan]))!;
}

/** The last request of the month succeeds, the next one is refused, and a new month renews the quota. */
async function exhaustMonth(plan: PlanName, limit: number): Promise<void> {
  await withFixedClock(async (service, clock) => {
    const { id: subject } = await ownerOf(service, plan);
    const key = service.keys[plan];
    await service.services.database.meters.settle({ subject, period: MONTH }, { requests: limit - 1, ai: 0 }, false);
    assert.equal(await send(service, key), '200');
    assert.equal(await send(service, key), '429 quota_exceeded');
    clock.time = Date.UTC(2026, 11);
    assert.equal(await send(service, key), '200');
  });
}

/** The same for AI requests, charged directly in the ledger. */
async function exhaustAi(plan: PlanName, limit: number): Promise<void> {
  await withDatabase(async (database) => {
    const account = await database.accounts.create({ name: 'a', email: null, plan });
    const options = { accountId: account.id, name: 'a', scopes: [], monthlyLimit: null, expiresAt: null };
    const { record: key } = await issueKey(database.keys, { ...options, mode: 'live' });
    let time = NOW;
    const ledger = new Ledger(database, new Plans(), undefined, () => time);
    const charge = async (cost: Cost) => {
      await (await ledger.reserve({ account, key }, 'ocr', cost)).charge({ bytesIn: 1, bytesOut: 1 });
    };
    await charge({ requests: 0, ai: limit - 1 });
    await charge(ONE_AI_REQUEST);
    await failureOf('quota_exceeded', () => charge(ONE_AI_REQUEST));
    assert.deepEqual((await ledger.balance({ account, key })).ai, { used: limit, limit });
    time = Date.UTC(2026, 11);
    await charge(ONE_AI_REQUEST);
  });
}

/** Every call counts toward the limit per minute, including calls that cost nothing. */
async function exhaustMinute(plan: PlanName, limit: number): Promise<void> {
  await withFixedClock(async (service, clock) => {
    const headers = { authorization: `Bearer ${service.keys[plan]}` };
    const call = () => service.call('/api/v1/formats', { headers });
    for (let n = 1; n <= limit; n += 1) assert.equal(await outcomeOf(await call()), '200', `request ${n}`);
    const refused = await call();
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.equal(await outcomeOf(refused), '429 rate_limited');
    clock.time += MINUTE - 1;
    assert.equal(await outcomeOf(await call()), '429 rate_limited');
    clock.time += 1;
    assert.equal(await outcomeOf(await call()), '200');
  });
}

/** A file of `bytes` bytes is accepted; one byte more is refused by its Content-Length, before the body. */
async function sendLargest(kind: PlanName | 'test', bytes: number): Promise<void> {
  await withFixedClock(async (service) => {
    const key = service.keys[kind];
    assert.equal(await send(service, key, new Uint8Array(bytes)), '200');
    assert.equal(service.engine.calls[0]?.input.image.data.byteLength, bytes);
    const lines = [
      `POST ${COMPRESS} HTTP/1.1`,
      'Host: a',
      `Authorization: Bearer ${key}`,
      `Content-Length: ${bytes + 1}`,
      'Expect: 100-continue',
    ];
    const { status, body } = await sendRaw(service.port, `${lines.join('\r\n')}\r\n\r\n`);
    assert.equal(status, 413);
    assert.match(body, /"file_too_large"/);
    assert.match(body, new RegExp(`at most ${bytes.toLocaleString('en')} bytes`));
  });
}

const planOf = (name: string) => new Plans().of({ plan: name });

describe('the table of limits', { timeout: 120_000 }, () => {
  it('requests per month, Free: 1,000', async () => {
    verifies('limits.requests-month.free');
    await exhaustMonth('free', 1000);
  });
  it('requests per month, Pro: 20,000', async () => {
    verifies('limits.requests-month.pro');
    await exhaustMonth('pro', 20_000);
  });

  it('AI requests per month, Free: 100', async () => {
    verifies('limits.ai-month.free');
    await exhaustAi('free', 100);
  });
  it('AI requests per month, Pro: 2,000', async () => {
    verifies('limits.ai-month.pro');
    await exhaustAi('pro', 2000);
  });

  it('requests per minute, Free: 120', async () => {
    verifies('limits.requests-minute.free', 'error.retry-after.429');
    await exhaustMinute('free', 120);
  });
  it('requests per minute, Pro: 600', { skip: nightlyOnly }, async () => {
    verifies('limits.requests-minute.pro', 'error.retry-after.429');
    await exhaustMinute('pro', 600);
  });

  it('file size, Free: 20 MB', async () => {
    verifies('limits.file-size.free', 'error.file-too-large');
    await sendLargest('free', 20_000_000);
  });
  it('file size, Pro: 200 MB', { skip: nightlyOnly }, async () => {
    verifies('limits.file-size.pro', 'error.file-too-large');
    await sendLargest('pro', 200_000_000);
  });

  it('upscale input, Free: 1 megapixel (data only)', () => {
    assert.equal(planOf('free').upscale_pixels, 1_000_000);
  });
  it('upscale input, Pro: 2.25 megapixels (data only)', () => {
    assert.equal(planOf('pro').upscale_pixels, 2_250_000);
  });

  it('pages per website optimizer scan, Free: 5 (data only)', () => {
    assert.equal(planOf('free').optimize_pages, 5);
  });
  it('pages per website optimizer scan, Pro: 50 (data only)', () => {
    assert.equal(planOf('pro').optimize_pages, 50);
  });
});

describe('the counting rules', { timeout: 120_000 }, () => {
  const used = async ({ services: { database } }: TestService, { id }: Account | Key) => {
    const { requests, ai } = await database.meters.read({ subject: id, period: MONTH });
    return { requests, ai };
  };

  it('one request is one credit, whatever its options', async () => {
    verifies('limits.credit.one-per-request');
    await withFixedClock(async (service) => {
      const account = await ownerOf(service, 'free');
      const queries = [
        '',
        '?output=json',
        '?watermark_text=a&watermark_position=tile',
        '?format=webp&width=320&crop_ratio=1:1&rotate=90&blur=2&metadata=no_gps&mode=smart&score=true&fingerprint=true',
      ];
      for (const [n, query] of queries.entries()) {
        assert.equal(await send(service, service.keys.free, 'abcdefgh', query), '200', query);
        assert.deepEqual(await used(service, account), { requests: n + 1, ai: 0 });
      }
    });
  });

  it('test keys: no quota', async () => {
    verifies('limits.test-key.no-quota');
    await withFixedClock(async (service) => {
      const account = await ownerOf(service, 'free');
      const { meters } = service.services.database;
      await meters.settle({ subject: account.id, period: MONTH }, { requests: 1000, ai: 100 }, false);
      assert.equal(await send(service, service.keys.free), '429 quota_exceeded');
      assert.equal(await send(service, service.keys.test), '200');
      assert.deepEqual(await used(service, account), { requests: 1000, ai: 100 });
    });
  });

  it('test keys: files up to 1 MB', async () => {
    verifies('limits.test-key.file-size', 'error.file-too-large');
    await sendLargest('test', 1_000_000);
  });

  it('test keys: 50 requests a day', async () => {
    verifies('limits.test-key.per-day', 'error.retry-after.429');
    await withFixedClock(async (service, clock) => {
      for (let n = 1; n <= 50; n += 1) assert.equal(await send(service, service.keys.test), '200', `request ${n}`);
      assert.equal(await send(service, service.keys.test), '429 test_limit_exceeded');
      clock.time = Date.UTC(2026, 10, 22);
      assert.equal(await send(service, service.keys.test), '200');
    });
  });

  it('test keys: X-IC-Test-Mode: true, also on errors; live keys: no such header', async () => {
    verifies('header.x-ic-test-mode');
    await withFixedClock(async (service) => {
      const mode = async (key: string, path: string, init: RequestInit = {}) => {
        const answer = await service.call(path, { ...init, headers: { authorization: `Bearer ${key}` } });
        await answer.arrayBuffer();
        return answer.headers.get('x-ic-test-mode');
      };
      const { test, free } = service.keys;
      assert.equal(await mode(test, COMPRESS, { method: 'POST', body: 'a' }), 'true');
      assert.equal(await mode(test, COMPRESS, { method: 'POST', body: new Uint8Array(1_000_001) }), 'true');
      assert.equal(await mode(test, '/api/v1/formats'), 'true');
      assert.equal(await mode(free, COMPRESS, { method: 'POST', body: 'a' }), null);
    });
  });

  it("a live key's own monthly limit caps only that key", async () => {
    verifies('limits.key-monthly');
    await withFixedClock(async (service, clock) => {
      const account = await ownerOf(service, 'free');
      const options = { accountId: account.id, name: 'a', mode: 'live', scopes: [], expiresAt: null } as const;
      const { key, record } = await issueKey(service.services.database.keys, { ...options, monthlyLimit: 2 });
      assert.equal(await send(service, key), '200');
      assert.equal(await send(service, key), '200');
      assert.equal(await send(service, key), '429 key_limit_exceeded');
      assert.equal(await send(service, service.keys.free), '200');
      assert.deepEqual(await used(service, record), { requests: 2, ai: 0 });
      assert.deepEqual(await used(service, account), { requests: 3, ai: 0 });
      clock.time = Date.UTC(2026, 11);
      assert.equal(await send(service, key), '200');
    });
  });
});
