import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { invalidKey } from '../../../server/account/errors.ts';
import { FailedAttempts, MAX_FAILED_ATTEMPTS } from '../../../server/account/failed-attempts.ts';
import { generateKey } from '../../../server/account/keys.ts';
import { withService } from '../../support/service.ts';

const FORMATS = '/api/v1/formats';
const ADMIN = '/api/v1/admin/accounts';
const TOKEN = 'a-long-random-token';

interface Answered {
  status: number;
  code: string | undefined;
  retryAfter: number | null;
}

async function answered(response: Response): Promise<Answered> {
  const { error } = (await response.json()) as { error?: { code: string } };
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, code: error?.code, retryAfter: retryAfter === null ? null : Number(retryAfter) };
}

describe('failed keys', () => {
  it('of one address are refused after 20 in a minute, and right ones are not', async () => {
    const clock = { time: Date.UTC(2026, 10, 21) };
    await withService(
      async ({ call }) => {
        const send = async (key: string, from = '192.0.2.7') =>
          answered(await call(FORMATS, { headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': from } }));
        const wrong = [generateKey('live'), 'nonsense'];
        for (let n = 0; n < 20; n += 1)
          assert.deepEqual(await send(wrong[n % 2]!), { status: 401, code: 'invalid_key', retryAfter: null });
        const refused = { status: 429, code: 'rate_limited', retryAfter: 60 };
        assert.deepEqual(await send(wrong[0]!), refused);
        assert.deepEqual(await send(wrong[1]!), refused);
        assert.equal((await send(wrong[0]!, '192.0.2.8')).status, 401);
        assert.equal((await call(FORMATS, { headers: { 'x-forwarded-for': '192.0.2.7' } })).status, 200);
        clock.time += 59_001;
        assert.deepEqual(await send(wrong[0]!), { ...refused, retryAfter: 1 });
        clock.time += 1000;
        assert.equal((await send(wrong[0]!)).status, 401);
      },
      { now: () => clock.time },
    );
  });

  it('count for the network of an IPv6 address, and requests without a key do not', async () => {
    await withService(async ({ call, origin }) => {
      const from = (n: number) => `2001:db8:0:1::${n.toString(16)}`;
      const send = async (n: number, authorization: string) =>
        (await call(FORMATS, { headers: { authorization, 'x-forwarded-for': from(n) } })).status;
      for (let n = 0; n < 30; n += 1)
        assert.equal((await fetch(origin + FORMATS, { headers: { 'x-forwarded-for': from(n) } })).status, 401);
      for (let n = 0; n < 20; n += 1) assert.equal(await send(n, 'Bearer nonsense'), 401);
      assert.equal(await send(20, 'Bearer nonsense'), 429);
    });
  });

  it('that are sent at once are counted each', async () => {
    await withService(async ({ call }) => {
      const statuses = await Promise.all(
        Array.from({ length: 60 }, async () => {
          const response = await call(FORMATS, { headers: { authorization: 'Bearer nonsense' } });
          await response.arrayBuffer();
          return response.status;
        }),
      );
      assert.equal(statuses.filter((status) => status === 401).length, 20);
      assert.equal(statuses.filter((status) => status === 429).length, 40);
    });
  });
});

describe('failed tokens', () => {
  it('are refused after 20 in a minute; then one in a second is compared', async () => {
    const clock = { time: Date.UTC(2026, 10, 21) };
    await withService(
      async ({ call }) => {
        for (const path of [ADMIN, '/metrics']) {
          const send = async (token: string) =>
            (await call(path, { headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': path } })).status;
          for (let n = 0; n < 20; n += 1) assert.equal(await send(`${TOKEN}${n}`), 401);
          assert.equal(await send('wrong'), 429);
          assert.equal(await send(TOKEN), 429);
          clock.time += 1000;
          assert.equal(await send(TOKEN), 200);
          clock.time += 60_000;
          assert.equal(await send('wrong'), 401);
          clock.time += 60_000;
        }
      },
      { now: () => clock.time, env: { IC_ADMIN_TOKEN: TOKEN, IC_METRICS_TOKEN: TOKEN } },
    );
  });
});

describe('FailedAttempts', () => {
  it('forgets the oldest address for a new one', async () => {
    const attempts = new FailedAttempts(() => 0);
    const fail = async (address: string) => {
      try {
        await attempts.keyFrom(address, async () => {
          throw invalidKey();
        });
      } catch (error) {
        return (error as { code: string }).code;
      }
      return undefined;
    };
    for (let n = 0; n < MAX_FAILED_ATTEMPTS; n += 1) await fail('first');
    assert.equal(await fail('first'), 'rate_limited');
    for (let n = 0; n < 10_000; n += 1) await fail(`address ${n}`);
    assert.equal(await fail('first'), 'invalid_key');
    assert.equal(await attempts.keyFrom('first', async () => 'right'), 'right');
  });
});
