import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Failure } from '../../../base/failure.ts';
import { invalidKey } from '../../../server/account/errors.ts';
import {
  FailedAttempts,
  MAX_DELAYED_RESPONSES,
  MAX_FAILED_ATTEMPTS,
  RESPONSE_DELAY_MS,
} from '../../../server/account/failed-attempts.ts';
import { generateKey } from '../../../server/account/keys.ts';
import type { DelayedFailure } from '../../../server/http/errors.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type TestService, withService } from '../../support/service.ts';

const FORMATS = '/api/v1/formats';
const ADMIN = '/api/v1/admin/accounts';
const TOKEN = 'a-long-random-token';

interface Answered {
  status: number;
  code: string | undefined;
  retryAfter: number | null;
}

const UNKNOWN: Answered = { status: 401, code: 'invalid_key', retryAfter: null };

async function readAnswer(response: Response): Promise<Answered> {
  const { error } = (await response.json()) as { error?: { code: string } };
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, code: error?.code, retryAfter: retryAfter === null ? null : Number(retryAfter) };
}

/** Runs `work` with a service that has both tokens, and with a clock that only the test advances. */
async function withClock(work: (service: TestService, clock: FakeClock) => Promise<void>): Promise<void> {
  const clock = new FakeClock(Date.UTC(2026, 10, 21));
  const env = { IC_ADMIN_TOKEN: TOKEN, IC_METRICS_TOKEN: TOKEN };
  await withService((service) => work(service, clock), { clock, env });
}

/** Sends a request with a key or a token from a client address. */
async function send({ call }: TestService, path: string, bearer: string, from = '192.0.2.7'): Promise<Response> {
  return await call(path, { headers: { authorization: `Bearer ${bearer}`, 'x-forwarded-for': from } });
}

/** Sends a wrong key or token beyond the limit. Its response is delayed until the clock advances. */
async function sendDelayed(
  service: TestService,
  clock: FakeClock,
  ...request: [path: string, bearer: string, from?: string]
): Promise<Answered> {
  let isAnswered = false;
  const answer = send(service, ...request).finally(() => {
    isAnswered = true;
  });
  await clock.untilWaiting(RESPONSE_DELAY_MS);
  clock.advance(RESPONSE_DELAY_MS - 1);
  // Other requests are still answered during the delay.
  assert.equal((await service.call('/healthz')).status, 200);
  assert.equal(isAnswered, false);
  clock.advance(1);
  return await readAnswer(await answer);
}

describe('failed keys', () => {
  it('from one address are delayed and get 429 after 20 in a minute, but valid keys are not', async () => {
    await withClock(async (service, clock) => {
      const wrong = [generateKey('live'), 'nonsense'];
      for (let n = 0; n < 20; n += 1)
        assert.deepEqual(await readAnswer(await send(service, FORMATS, wrong[n % 2]!)), UNKNOWN);
      const refused = { status: 429, code: 'rate_limited', retryAfter: 60 };
      assert.deepEqual(await sendDelayed(service, clock, FORMATS, wrong[0]!), refused);
      assert.deepEqual(await sendDelayed(service, clock, FORMATS, wrong[1]!), { ...refused, retryAfter: 59 });
      assert.equal((await send(service, FORMATS, wrong[0]!, '192.0.2.8')).status, 401);
      assert.equal((await send(service, FORMATS, service.keys.free)).status, 200);
      clock.advance(57_500);
      assert.deepEqual(await sendDelayed(service, clock, FORMATS, wrong[0]!), { ...refused, retryAfter: 1 });
      assert.deepEqual(await readAnswer(await send(service, FORMATS, wrong[0]!)), UNKNOWN);
    });
  });

  it('are counted per IPv6 network, and requests without a key are not counted', async () => {
    await withClock(async (service, clock) => {
      const from = (n: number) => `2001:db8:0:1::${n.toString(16)}`;
      for (let n = 0; n < 30; n += 1) {
        const headers = { 'x-forwarded-for': from(n) };
        assert.equal((await fetch(service.origin + FORMATS, { headers })).status, 401);
      }
      for (let n = 0; n < 20; n += 1) assert.equal((await send(service, FORMATS, 'nonsense', from(n))).status, 401);
      assert.equal((await sendDelayed(service, clock, FORMATS, 'nonsense', from(20))).status, 429);
    });
  });

  it('are all counted when they arrive at once', async () => {
    await withClock(async (service, clock) => {
      const statuses: number[] = [];
      const sending = Array.from({ length: 60 }, async () => {
        statuses.push((await send(service, FORMATS, 'nonsense')).status);
      });
      while (clock.waiting < 40) await setImmediate();
      clock.advance(RESPONSE_DELAY_MS);
      await Promise.all(sending);
      assert.equal(statuses.filter((status) => status === 401).length, 20);
      assert.equal(statuses.filter((status) => status === 429).length, 40);
    });
  });
});

describe('failed tokens', () => {
  it('are delayed and get 429 after 20 in a minute; the valid token always works', async () => {
    for (const path of [ADMIN, '/metrics'])
      await withClock(async (service, clock) => {
        for (let n = 0; n < 20; n += 1) assert.equal((await send(service, path, `${TOKEN}${n}`)).status, 401);
        assert.equal((await sendDelayed(service, clock, path, 'wrong')).status, 429);
        const waiting = send(service, path, 'wrong');
        await clock.untilWaiting(RESPONSE_DELAY_MS);
        for (let n = 0; n < 3; n += 1) assert.equal((await send(service, path, TOKEN)).status, 200);
        clock.advance(RESPONSE_DELAY_MS);
        assert.equal((await waiting).status, 429);
        clock.advance(60_000);
        assert.equal((await send(service, path, 'wrong')).status, 401);
      });
  });

  it('are counted separately from keys', async () => {
    await withClock(async (service, clock) => {
      for (let n = 0; n < 20; n += 1) assert.equal((await send(service, FORMATS, 'nonsense')).status, 401);
      assert.equal((await sendDelayed(service, clock, FORMATS, 'nonsense')).status, 429);
      for (let n = 0; n < 20; n += 1) assert.equal((await send(service, ADMIN, 'wrong')).status, 401);
      assert.equal((await sendDelayed(service, clock, ADMIN, 'wrong')).status, 429);
    });
  });
});

describe('FailedAttempts', () => {
  const fail = async (attempts: FailedAttempts, address: string): Promise<Failure & Partial<DelayedFailure>> =>
    await attempts.keyFrom(address, () => Promise.reject(invalidKey())).catch((error) => error);

  it('delays a limited number of responses at a time', async () => {
    const clock = new FakeClock(0);
    const attempts = new FailedAttempts(clock);
    for (let n = 0; n < MAX_FAILED_ATTEMPTS; n += 1) await fail(attempts, 'one');
    const waits: (Promise<void> | undefined)[] = [];
    for (let n = 0; n < MAX_DELAYED_RESPONSES; n += 1) waits.push((await fail(attempts, 'one')).answerAfter);
    assert.ok(!waits.includes(undefined));
    const { code, answerAfter } = await fail(attempts, 'one');
    assert.deepEqual([code, answerAfter], ['rate_limited', undefined]);
    clock.advance(RESPONSE_DELAY_MS);
    await Promise.all(waits);
    assert.ok((await fail(attempts, 'one')).answerAfter);
  });

  it('drops the oldest address to make space for a new one', async () => {
    const attempts = new FailedAttempts(new FakeClock(0));
    for (let n = 0; n < MAX_FAILED_ATTEMPTS; n += 1) await fail(attempts, 'first');
    assert.equal((await fail(attempts, 'first')).code, 'rate_limited');
    for (let n = 0; n < 10_000; n += 1) await fail(attempts, `address ${n}`);
    assert.equal((await fail(attempts, 'first')).code, 'invalid_key');
    assert.equal(await attempts.keyFrom('first', async () => 'right'), 'right');
  });
});
