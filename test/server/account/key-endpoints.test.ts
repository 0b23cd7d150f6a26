import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { timestamp } from '../../../base/timestamp.ts';
import { MAX_KEYS, MAX_LISTED_INACTIVE_KEYS } from '../../../server/account/key-endpoints.ts';
import { issueKey, isWellFormed, type Scope } from '../../../server/account/keys.ts';
import { monthOf } from '../../../server/account/period.ts';
import type { Key } from '../../../storage/records/keys.ts';
import { type TestOptions, type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/keys';
const COMPRESS = '/api/v1/compress';

type Json = Record<string, unknown>;
interface Answer {
  status: number;
  body: Json;
  headers: Headers;
}

interface KeyService extends TestService {
  /** Sends JSON with a key. @param key default: the key of the free account with the scope `admin` */
  send(method: string, path: string, body?: unknown, key?: string): Promise<Answer>;
  /** Creates a key directly in the database. */
  issue(account: string, scopes: Scope[], mode?: Key['mode']): Promise<{ key: string; record: Key }>;
  admin: { key: string; record: Key };
}

async function withKeyService(work: (desk: KeyService) => Promise<void>, options?: TestOptions): Promise<void> {
  await withService(async (service) => {
    const { database } = service.services;
    const issue: KeyService['issue'] = async (name, scopes, mode = 'live') => {
      const { id: accountId } = (await database.accounts.findByName(name))!;
      const free = { monthlyLimit: null, expiresAt: null };
      return await issueKey(database.keys, { accountId, name: 'desk', mode, scopes, ...free });
    };
    const admin = await issue('anna', ['ai', 'sites', 'admin']);
    const send: KeyService['send'] = async (method, path, body, key = admin.key) => {
      const answer = await fetch(service.origin + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as Json, headers: answer.headers };
    };
    await work({ ...service, admin, send, issue });
  }, options);
}

function errorOf({ status, body }: Answer): [number, unknown, unknown] {
  const { code, param } = body.error as Json;
  return [status, code, param];
}

const messageOf = ({ body }: Answer) => (body.error as { message: string }).message;

const work = async ({ origin }: KeyService, key: unknown) =>
  await fetch(origin + COMPRESS, { method: 'POST', body: 'abc', headers: { authorization: `Bearer ${key}` } });

describe('POST /api/v1/keys', () => {
  it('creates a live key with the scopes ai and sites that works at once', async () => {
    verifies('auth.live-prefix', 'auth.bearer');
    await withKeyService(async (desk) => {
      const { status, body, headers } = await desk.send('POST', PATH, { name: ' web shop ' });
      assert.equal(status, 201);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-quota-meter'), 'none');
      const { id, key, prefix, created_at, ...rest } = body;
      assert.match(String(id), /^key_[0-9A-Z]{26}$/);
      assert.match(String(key), /^ic_live_/);
      assert.ok(isWellFormed(String(key)));
      assert.equal(prefix, String(key).slice(0, 12));
      assert.match(String(created_at), /^20.+\.\d{3}Z$/);
      assert.deepEqual(rest, {
        name: 'web shop',
        mode: 'live',
        scopes: ['ai', 'sites'],
        monthly_limit: null,
        used: 0,
        last_used_at: null,
        expires_at: null,
        revoked_at: null,
      });
      assert.equal((await work(desk, key)).status, 200);
    });
  });

  it('creates a key with the given fields', async () => {
    verifies('auth.test-prefix');
    await withKeyService(async (desk) => {
      const live = await desk.send('POST', PATH, {
        name: 'n'.repeat(60),
        mode: 'live',
        scopes: ['admin', 'ai', 'ai'],
        monthly_limit: 1_000_000_000,
        expires_at: '2999-01-31T12:00:00+02:00',
      });
      assert.equal(live.status, 201);
      assert.deepEqual(
        [live.body.name, live.body.scopes, live.body.monthly_limit, live.body.expires_at],
        ['n'.repeat(60), ['admin', 'ai'], 1_000_000_000, '2999-01-31T10:00:00.000Z'],
      );
      const test = await desk.send('POST', PATH, { mode: 'test', scopes: [], monthly_limit: null, expires_at: null });
      assert.deepEqual([test.status, test.body.mode, test.body.scopes], [201, 'test', []]);
      assert.match(String(test.body.key), /^ic_test_/);
      assert.equal((await work(desk, test.body.key)).headers.get('x-ic-test-mode'), 'true');
      assert.equal((await desk.send('POST', PATH, { name: 'a', monthly_limit: 1 })).status, 201);
    });
  });

  const WRONG: [string, unknown, RegExp][] = [
    ['name', '', /text of 1 to 60 characters for name but received ""/],
    ['name', '   ', /text of 1 to 60 characters/],
    ['name', 'n'.repeat(61), /text of 1 to 60 characters/],
    ['name', null, /text of 1 to 60 characters for name but received null/],
    ['mode', 'prod', /one of live, test for mode/],
    ['scopes', 'ai', /a list of at most 6 whose items are each one of ai, sites, admin for scopes but received "ai"/],
    ['scopes', ['ai', 'root'], /a list of at most 6 whose items/],
    ['scopes', null, /a list of at most 6 whose items/],
    ['monthly_limit', 0, /an integer from 1 to 1000000000 or null for monthly_limit but received 0/],
    ['monthly_limit', 1_000_000_001, /an integer from 1 to 1000000000 or null/],
    ['monthly_limit', '5', /an integer from 1 to 1000000000 or null/],
    ['monthly_limit', 1.5, /an integer from 1 to 1000000000 or null/],
    ['expires_at', 'tomorrow', /a time to come as 2030-01-31T12:00:00Z or null for expires_at/],
    ['expires_at', '2999-01-31', /a time to come/],
    ['expires_at', '2999-02-30T12:00:00Z', /a time to come/],
    ['expires_at', '2999-01-31T12:00:00', /a time to come/],
    ['expires_at', '9999-12-31T23:59:59-12:00', /a time to come/],
    ['expires_at', 4_102_444_800, /a time to come/],
    ['colour', 'red', /the name of a parameter for the request but received "colour"/],
    ['key', 'ic_live_mine', /the name of a parameter/],
    ['__proto__', {}, /the name of a parameter/],
  ];

  it('names the invalid field and creates nothing', async () => {
    await withKeyService(async ({ send, services }) => {
      const month = monthOf(Date.now()).id;
      const before = (await services.database.keys.list(month)).length;
      for (const [param, value, message] of WRONG) {
        const answer = await send('POST', PATH, JSON.parse(`{${JSON.stringify(param)}:${JSON.stringify(value)}}`));
        assert.deepEqual(errorOf(answer), [400, 'invalid_parameter', param], `${param} ${JSON.stringify(value)}`);
        assert.match(messageOf(answer), message);
      }
      assert.equal((await services.database.keys.list(month)).length, before);
    });
  });

  it('accepts only an expiry date in the future', async () => {
    const now = Date.UTC(2026, 10, 21);
    await withKeyService(
      async ({ send }) => {
        for (const end of [now - 1, now]) {
          const answer = await send('POST', PATH, { expires_at: timestamp(end) });
          assert.deepEqual(errorOf(answer), [400, 'invalid_parameter', 'expires_at']);
        }
        assert.equal((await send('POST', PATH, { expires_at: timestamp(now + 1) })).status, 201);
      },
      { now: () => now },
    );
  });

  it('rejects a limit for a test key', async () => {
    await withKeyService(async ({ send }) => {
      const answer = await send('POST', PATH, { mode: 'test', monthly_limit: 5 });
      assert.deepEqual(errorOf(answer), [400, 'invalid_parameter', 'monthly_limit']);
      assert.match(messageOf(answer), /test key/);
    });
  });

  it('sets the monthly limit of the key', async () => {
    verifies('limits.key-monthly');
    await withKeyService(async (desk) => {
      const { body } = await desk.send('POST', PATH, { monthly_limit: 2 });
      const statuses = [];
      for (let n = 0; n < 3; n += 1) statuses.push((await work(desk, body.key)).status);
      assert.deepEqual(statuses, [200, 200, 429]);
      const raised = await desk.send('PATCH', `${PATH}/${body.id}`, { monthly_limit: 3 });
      assert.deepEqual([raised.body.used, raised.body.monthly_limit], [2, 3]);
      assert.equal((await work(desk, body.key)).status, 200);
      assert.equal((await work(desk, body.key)).status, 429);
      await desk.send('PATCH', `${PATH}/${body.id}`, { monthly_limit: null });
      assert.equal((await work(desk, body.key)).status, 200);
    });
  });

  it('creates different keys when many are created at once', async () => {
    await withKeyService(async ({ send, services, admin }) => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, n) => send('POST', PATH, { name: `key ${n}`, mode: n % 2 ? 'live' : 'test' })),
      );
      assert.ok(answers.every(({ status }) => status === 201));
      assert.equal(new Set(answers.map(({ body }) => body.key)).size, 30);
      for (const { body } of answers) {
        const caller = await services.authenticate(`Bearer ${body.key}`);
        assert.deepEqual([caller.key.name, caller.account.id], [body.name, admin.record.accountId]);
      }
    });
  });
});

describe('the number of keys of an account', () => {
  const NOW = Date.now();
  const HOUR = 3_600_000;

  /** Creates keys directly in the database; returns their ids. */
  async function fill({ services: { database }, admin }: KeyService, count: number, expiresAt: string | null) {
    const { accountId } = admin.record;
    const key = { accountId, mode: 'live', prefix: 'ic_live_', scopes: [], monthlyLimit: null } as const;
    return await database.transaction(async ({ keys }) => {
      const ids: string[] = [];
      for (let n = 0; n < count; n += 1)
        ids.push((await keys.create({ ...key, name: `${n}`, hash: randomUUID(), expiresAt })).id);
      return ids;
    });
  }

  it('is at most 1,000, not counting revoked and expired ones', async () => {
    let now = NOW;
    await withKeyService(
      async (desk) => {
        // The account already has three keys: two from the service and the admin key.
        const ids = await fill(desk, MAX_KEYS - 4, null);
        assert.equal((await desk.send('POST', PATH, { expires_at: timestamp(now + HOUR) })).status, 201);
        const refused = await desk.send('POST', PATH, {});
        assert.deepEqual(errorOf(refused), [507, 'storage_full', undefined]);
        assert.match(messageOf(refused), /at most 1,000 usable keys/);
        now += HOUR;
        assert.equal((await desk.send('POST', PATH, {})).status, 201);
        assert.equal((await desk.send('POST', PATH, {})).status, 507);
        await desk.send('DELETE', `${PATH}/${ids[0]}`);
        assert.equal((await desk.send('POST', PATH, {})).status, 201);
      },
      { now: () => now },
    );
  });

  it('limits the list to all usable keys and the 100 that ended last', async () => {
    await withKeyService(
      async (desk) => {
        const { keys } = desk.services.database;
        const before = (await desk.send('GET', PATH)).body.keys as Json[];
        const usable = [...(await fill(desk, 60, null)), ...(await fill(desk, 60, timestamp(NOW + HOUR)))];
        const longExpired = await fill(desk, 60, timestamp(NOW - 2 * HOUR));
        const expired = await fill(desk, 40, timestamp(NOW));
        const revoked = await fill(desk, 60, null);
        for (const id of revoked) await keys.revoke(id);
        const listed = ((await desk.send('GET', PATH)).body.keys as Json[]).map(({ id }) => String(id));
        assert.deepEqual(listed, [...listed].sort(), 'oldest first');
        assert.deepEqual(
          new Set(listed),
          new Set([...before.map(({ id }) => String(id)), ...usable, ...expired, ...revoked]),
        );
        assert.equal(expired.length + revoked.length, MAX_LISTED_INACTIVE_KEYS);
        assert.ok(longExpired.every((id) => !listed.includes(id)));
      },
      { now: () => NOW },
    );
  });
});

describe('the key itself', () => {
  it('is returned only when it is created, and is in no log', async () => {
    await withKeyService(async (desk) => {
      const { body } = await desk.send('POST', PATH, { name: 'secret' });
      const secret = String(body.key).slice(12);
      const later = [
        await desk.send('GET', PATH),
        await desk.send('PATCH', `${PATH}/${body.id}`, { name: 'shop' }),
        await desk.send('DELETE', `${PATH}/${body.id}`),
        await desk.send('GET', PATH),
        await desk.send('POST', PATH, { key: body.key }),
      ];
      assert.deepEqual(
        later.map(({ status }) => status),
        [200, 200, 200, 200, 400],
      );
      for (const { body: shown } of later.slice(0, 4)) {
        const text = JSON.stringify(shown);
        assert.ok(!text.includes(secret));
        assert.doesNotMatch(text, /"(?:key|hash)"/);
      }
      const log = JSON.stringify(desk.logged());
      assert.ok(log.includes('create_key'));
      assert.ok(!log.includes(secret));
      assert.ok(!log.includes(desk.admin.key.slice(12)));
    });
  });
});

describe('GET /api/v1/keys', () => {
  it('lists the keys of the account with their use this month, including revoked keys', async () => {
    const clock = { now: Date.UTC(2026, 10, 30) };
    await withKeyService(
      async (desk) => {
        const { body: made } = await desk.send('POST', PATH, { name: 'shop', scopes: ['ai'], monthly_limit: 500 });
        const { key, ...record } = made;
        for (let n = 0; n < 3; n += 1) await work(desk, key);
        await desk.services.database.meters.settle(
          { subject: String(made.id), period: '2026-11' },
          { requests: 0, ai: 4 },
          false,
        );
        const listed = async () => {
          const { status, body, headers } = await desk.send('GET', PATH);
          assert.equal(status, 200);
          assert.equal(headers.get('cache-control'), 'no-store');
          assert.deepEqual(Object.keys(body), ['keys']);
          const keys = body.keys as Json[];
          const names = new Set(keys.map(({ name }) => name));
          assert.deepEqual(names, new Set(['live', 'test', 'desk', 'shop']));
          return keys.find(({ id }) => id === made.id);
        };
        const used = { ...record, used: 7, last_used_at: '2026-11-30T00:00:00.000Z' };
        assert.deepEqual(await listed(), used);
        const revoked = await desk.send('DELETE', `${PATH}/${made.id}`);
        assert.deepEqual(await listed(), revoked.body);
        assert.notEqual(revoked.body.revoked_at, null);
        clock.now = Date.UTC(2026, 11, 1);
        assert.deepEqual(await listed(), { ...revoked.body, used: 0 });
      },
      { now: () => clock.now },
    );
  });
});

describe('PATCH /api/v1/keys/{id}', () => {
  it('changes only the fields that were sent', async () => {
    await withKeyService(async ({ send }) => {
      const { key, ...made } = (await send('POST', PATH, { name: 'shop', monthly_limit: 7 })).body;
      const path = `${PATH}/${made.id}`;
      const expected: Json = made;
      for (const change of [
        {},
        { name: 'n'.repeat(60) },
        { scopes: [] },
        { scopes: ['sites', 'admin'] },
        { monthly_limit: 1 },
        { monthly_limit: 1_000_000_000 },
        { monthly_limit: null },
        { name: 'all', scopes: ['ai'], monthly_limit: 9 },
      ]) {
        Object.assign(expected, change);
        const { status, body } = await send('PATCH', path, change);
        assert.deepEqual([status, body], [200, expected]);
        assert.deepEqual(
          ((await send('GET', PATH)).body.keys as Json[]).find(({ id }) => id === made.id),
          expected,
        );
      }
    });
  });

  it('takes effect on the next request', async () => {
    await withKeyService(async ({ send }) => {
      const { body } = await send('POST', PATH, { scopes: ['admin'] });
      const key = String(body.key);
      assert.equal((await send('GET', PATH, undefined, key)).status, 200);
      await send('PATCH', `${PATH}/${body.id}`, { scopes: [] });
      assert.deepEqual(errorOf(await send('GET', PATH, undefined, key)), [403, 'scope_required', undefined]);
    });
  });

  it('names the invalid field', async () => {
    await withKeyService(async ({ send, admin }) => {
      for (const [param, value] of [
        ['name', ''],
        ['name', null],
        ['name', 'n'.repeat(61)],
        ['scopes', ['root']],
        ['monthly_limit', 0],
        ['monthly_limit', 1_000_000_001],
        // These are accepted only when a key is created.
        ['mode', 'test'],
        ['expires_at', null],
        ['revoked_at', null],
      ]) {
        const answer = await send('PATCH', `${PATH}/${admin.record.id}`, { [String(param)]: value });
        assert.deepEqual(errorOf(answer), [400, 'invalid_parameter', param]);
      }
    });
  });

  it('rejects a limit for a test key', async () => {
    await withKeyService(async ({ send, issue }) => {
      const { record } = await issue('anna', [], 'test');
      const answer = await send('PATCH', `${PATH}/${record.id}`, { monthly_limit: 5 });
      assert.deepEqual(errorOf(answer), [400, 'invalid_parameter', 'monthly_limit']);
      assert.equal((await send('PATCH', `${PATH}/${record.id}`, { monthly_limit: null, name: 'a' })).status, 200);
    });
  });

  it('does not change a revoked key', async () => {
    await withKeyService(async ({ send }) => {
      const { body } = await send('POST', PATH, { name: 'shop' });
      await send('DELETE', `${PATH}/${body.id}`);
      const answer = await send('PATCH', `${PATH}/${body.id}`, { name: 'late' });
      assert.deepEqual(errorOf(answer), [409, 'invalid_state', 'id']);
      assert.match(messageOf(answer), /active.+revoked/);
      const listed = ((await send('GET', PATH)).body.keys as Json[]).find(({ id }) => id === body.id);
      assert.equal(listed?.name, 'shop');
    });
  });
});

describe('DELETE /api/v1/keys/{id}', () => {
  it('revokes a key from the next request on; a second call changes nothing', async () => {
    await withKeyService(async (desk) => {
      const { key, ...made } = (await desk.send('POST', PATH, { name: 'shop' })).body;
      assert.equal((await work(desk, key)).status, 200);
      const first = await desk.send('DELETE', `${PATH}/${made.id}`);
      assert.equal((await work(desk, key)).status, 401);
      assert.equal(first.status, 200);
      const { revoked_at, last_used_at } = first.body;
      assert.match(String(revoked_at), /^20.+\.\d{3}Z$/);
      assert.deepEqual(first.body, { ...made, used: 1, last_used_at, revoked_at });
      const again = await Promise.all([1, 2, 3].map(() => desk.send('DELETE', `${PATH}/${made.id}`)));
      for (const { status, body } of again) assert.deepEqual([status, body], [200, first.body]);
    });
  });

  it('lets a key revoke itself', async () => {
    await withKeyService(async ({ send, admin }) => {
      const { status, body } = await send('DELETE', `${PATH}/${admin.record.id}`);
      assert.deepEqual([status, body.id], [200, admin.record.id]);
      assert.deepEqual(errorOf(await send('GET', PATH)), [401, 'invalid_key', undefined]);
    });
  });
});

describe('access to the key endpoints', () => {
  const requests = (id: string): [string, string, unknown?][] => [
    ['GET', PATH],
    ['POST', PATH, { name: 'mine' }],
    ['PATCH', `${PATH}/${id}`, { name: 'mine' }],
    ['DELETE', `${PATH}/${id}`],
  ];

  it('requires a live key with the scope admin', async () => {
    verifies('auth.required');
    await withKeyService(async (desk) => {
      const { origin, send, issue, admin, keys } = desk;
      const testKey = (await issue('anna', ['admin'], 'test')).key;
      const { key: other } = await issue('anna', ['ai', 'sites']);
      for (const [method, path, body] of requests(admin.record.id)) {
        assert.equal((await fetch(origin + path, { method })).status, 401);
        assert.deepEqual(errorOf(await send(method, path, body, testKey)), [403, 'test_key_not_allowed', undefined]);
        assert.deepEqual(errorOf(await send(method, path, body, keys.test)), [403, 'test_key_not_allowed', undefined]);
        const refused = await send(method, path, body, other);
        assert.deepEqual(errorOf(refused), [403, 'scope_required', undefined]);
        assert.match(messageOf(refused), /"admin"/);
        assert.match(refused.headers.get('ratelimit') ?? '', /"minute";r=/);
      }
      assert.equal((await send('GET', PATH)).status, 200);
    });
  });

  it('shows nothing of another account', async () => {
    await withKeyService(async ({ send, issue, admin }) => {
      const { key: foreign } = await issue('ben', ['admin']);
      const { body } = await send('GET', PATH, undefined, foreign);
      assert.deepEqual(new Set((body.keys as Json[]).map(({ name }) => name)), new Set(['live', 'desk']));
      for (const id of [admin.record.id, 'key_none', '%20']) {
        for (const [method, path, change] of requests(id).slice(2)) {
          assert.deepEqual(errorOf(await send(method, path, change, foreign)), [404, 'not_found', 'id']);
        }
      }
      assert.equal((await send('GET', PATH)).status, 200);
    });
  });

  it('rejects parameters that the paths do not have', async () => {
    await withKeyService(async ({ send, admin, origin }) => {
      for (const [method, path, body] of requests(admin.record.id))
        assert.deepEqual(errorOf(await send(method, `${path}?limit=5`, body)), [400, 'invalid_parameter', 'limit']);
      const headers = { authorization: `Bearer ${admin.key}` };
      const put = await fetch(`${origin}${PATH}/${admin.record.id}`, { method: 'PUT', headers });
      assert.equal(put.status, 405);
      assert.equal(put.headers.get('allow'), 'PATCH, DELETE');
    });
  });
});
