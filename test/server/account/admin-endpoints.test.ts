import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withFolder } from '../../support/folder.ts';
import { type TestService, withService } from '../../support/service.ts';

const PATH = '/api/v1/admin/accounts';
const TOKEN = 'correct-horse';

type Json = Record<string, unknown>;
interface Answer {
  status: number;
  body: Json;
  headers: Headers;
}

interface AdminService extends TestService {
  /** Sends JSON with the admin token, or with `authorization` when given. */
  send(method: string, path: string, body?: unknown, authorization?: string): Promise<Answer>;
}

async function withAdminService(
  work: (office: AdminService) => Promise<void>,
  env: Record<string, string> = { IC_ADMIN_TOKEN: TOKEN },
): Promise<void> {
  await withService(
    async (service) => {
      const send: AdminService['send'] = async (method, path, body, authorization = `Bearer ${TOKEN}`) => {
        const answer = await fetch(service.origin + path, {
          method,
          headers: { 'content-type': 'application/json', ...(authorization === '' ? {} : { authorization }) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return { status: answer.status, body: (await answer.json()) as Json, headers: answer.headers };
      };
      await work({ ...service, send });
    },
    // Each token is sent in a new window, so the limit on wrong tokens never applies. That limit has its own test.
    { env, now: steppingClock() },
  );
}

/** Returns a clock that advances by just over a minute with each reading. */
function steppingClock(): () => number {
  let time = Date.UTC(2026, 10, 21);
  return () => {
    time += 60_001;
    return time;
  };
}

function errorOf({ status, body }: Answer): [number, unknown, unknown] {
  const { code, param } = body.error as Json;
  return [status, code, param];
}

const messageOf = ({ body }: Answer) => (body.error as { message: string }).message;

const requests = (id: string): [string, string, unknown?][] => [
  ['POST', PATH, { name: 'carl', plan: 'free' }],
  ['GET', PATH],
  ['GET', `${PATH}/${id}`],
  ['PATCH', `${PATH}/${id}`, { plan: 'pro' }],
  ['POST', `${PATH}/${id}/packages`, { package: 'site_1k' }],
];

describe('the admin token', () => {
  it('opens the admin endpoints, which have no rate limit', async () => {
    await withAdminService(async ({ send, services }) => {
      const anna = await services.database.accounts.findByName('anna');
      for (const [method, path, body] of requests(anna!.id)) {
        const { status, headers } = await send(method, path, body);
        assert.equal(status, method === 'POST' ? 201 : 200);
        assert.equal(headers.get('cache-control'), 'no-store');
        for (const name of ['ratelimit', 'ratelimit-policy', 'x-quota-meter']) assert.equal(headers.get(name), null);
      }
    });
  });

  it('accepts no other token, no part of the token and no API key', async () => {
    await withAdminService(async ({ send, keys, services, logged }) => {
      const { database } = services;
      const anna = await database.accounts.findByName('anna');
      for (const [method, path, body] of requests(anna!.id)) {
        for (const wrong of ['wrong', TOKEN.slice(0, -1), `${TOKEN}x`, TOKEN.toUpperCase(), keys.free, keys.pro])
          assert.deepEqual(errorOf(await send(method, path, body, `Bearer ${wrong}`)), [401, 'invalid_key', undefined]);
        for (const none of ['', 'Bearer', `Basic ${TOKEN}`, TOKEN])
          assert.deepEqual(errorOf(await send(method, path, body, none)), [401, 'missing_key', undefined]);
      }
      assert.equal((await database.accounts.list()).length, 2);
      assert.equal((await database.accounts.find(anna!.id))?.plan, 'free');
      assert.deepEqual(await database.packages.list(anna!.id), []);
      assert.ok(!JSON.stringify(logged()).includes(TOKEN));
    });
  });

  it('is not accepted as an API key', async () => {
    await withAdminService(async ({ send }) => {
      assert.deepEqual(errorOf(await send('GET', '/api/v1/keys')), [401, 'invalid_key', undefined]);
    });
  });

  it('is required: without it the admin paths do not exist', async () => {
    await withAdminService(async ({ send, keys, services }) => {
      const anna = await services.database.accounts.findByName('anna');
      for (const authorization of ['', `Bearer ${TOKEN}`, 'Bearer undefined', `Bearer ${keys.pro}`]) {
        for (const [method, path, body] of [
          ...requests(anna!.id),
          ['PUT', PATH] as const,
          ['GET', '/api/v1/admin'] as const,
        ])
          assert.deepEqual(errorOf(await send(method, path, body, authorization)), [404, 'not_found', undefined]);
      }
      assert.equal((await services.database.accounts.list()).length, 2);
    }, {});
  });

  it('opens no unknown path and no other method', async () => {
    await withAdminService(async ({ send }) => {
      assert.deepEqual(errorOf(await send('GET', '/api/v1/admin')), [404, 'not_found', undefined]);
      const deleted = await send('DELETE', PATH);
      assert.equal(deleted.status, 405);
      assert.equal(deleted.headers.get('allow'), 'POST, HEAD, GET');
    });
  });
});

describe('POST /api/v1/admin/accounts', () => {
  it('creates an account', async () => {
    await withAdminService(async ({ send, services }) => {
      const { status, body } = await send('POST', PATH, { name: ' carl ', plan: 'pro', email: 'carl@example.com' });
      const { id, created_at, ...rest } = body;
      assert.equal(status, 201);
      assert.match(String(id), /^acct_[0-9A-Z]{26}$/);
      assert.match(String(created_at), /^20.+\.\d{3}Z$/);
      assert.deepEqual(rest, { name: 'carl', email: 'carl@example.com', plan: 'pro', disabled: false });
      assert.equal((await services.database.accounts.find(String(id)))?.name, 'carl');
      assert.deepEqual((await send('GET', `${PATH}/${id}`)).body, body);
      assert.equal((await send('POST', PATH, { name: 'd'.repeat(100), plan: 'free' })).body.email, null);
      assert.equal((await send('POST', PATH, { name: 'e', plan: 'free', email: null })).status, 201);
    });
  });

  it('names the invalid field', async () => {
    await withAdminService(async ({ send, services }) => {
      const good = { name: 'carl', plan: 'free' };
      const cases: [string, Json, RegExp][] = [
        ['name', { plan: 'free' }, /text of 1 to 100 characters for name but received nothing/],
        ['plan', { name: 'carl' }, /the name of a plan for plan but received nothing/],
        ['name', { ...good, name: ' ' }, /text of 1 to 100 characters/],
        ['name', { ...good, name: 'n'.repeat(101) }, /text of 1 to 100 characters/],
        ['name', { ...good, name: 'anna' }, /a name that no other account has/],
        ['plan', { ...good, plan: 'gold' }, /one of free, pro for plan but received "gold"/],
        ['plan', { ...good, plan: 5 }, /the name of a plan/],
        ['plan', { ...good, plan: null }, /the name of a plan/],
        ['email', { ...good, email: 'carl' }, /an e-mail address or null for email but received "carl"/],
        ['email', { ...good, email: '' }, /an e-mail address or null/],
        ['email', { ...good, email: `${'a'.repeat(243)}@example.com` }, /an e-mail address or null/],
        ['disabled', { ...good, disabled: true }, /the name of a parameter/],
      ];
      for (const [param, body, message] of cases) {
        const answer = await send('POST', PATH, body);
        assert.deepEqual(errorOf(answer), [400, 'invalid_parameter', param], JSON.stringify(body));
        assert.match(messageOf(answer), message);
      }
      assert.equal((await services.database.accounts.list()).length, 2);
      const longest = { ...good, email: `${'a'.repeat(242)}@example.com` };
      assert.equal((await send('POST', PATH, longest)).status, 201);
    });
  });

  it('accepts the plans of the operator', async () => {
    await withFolder(async (folder) => {
      const file = join(folder, 'plans.json');
      await writeFile(file, JSON.stringify({ gold: { based_on: 'pro' } }));
      await withAdminService(
        async ({ send }) => {
          const { status, body } = await send('POST', PATH, { name: 'carl', plan: 'gold' });
          assert.deepEqual([status, body.plan], [201, 'gold']);
        },
        { IC_ADMIN_TOKEN: TOKEN, IC_PLANS_FILE: file },
      );
    });
  });

  it('creates only one of several simultaneous accounts with the same name', async () => {
    await withAdminService(async ({ send, services }) => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => send('POST', PATH, { name: 'carl', plan: 'free' })),
      );
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, ...Array.from({ length: 19 }, () => 400)]);
      assert.equal((await services.database.accounts.list()).length, 3);
    });
  });
});

describe('GET /api/v1/admin/accounts', () => {
  it('lists all accounts in pages', async () => {
    await withAdminService(async ({ send, services }) => {
      for (let n = 0; n < 5; n += 1) await send('POST', PATH, { name: `account ${n}`, plan: 'free' });
      const names = (await services.database.accounts.list()).map(({ name }) => name);
      const page = async (query: string) => {
        const { status, body } = await send('GET', PATH + query);
        assert.equal(status, 200);
        const { accounts, ...rest } = body;
        return [(accounts as Json[]).map(({ name }) => name), rest];
      };
      assert.deepEqual(await page(''), [names, { total: 7, limit: 50, offset: 0 }]);
      assert.deepEqual(await page('?limit=1'), [names.slice(0, 1), { total: 7, limit: 1, offset: 0 }]);
      assert.deepEqual(await page('?limit=500&offset=5'), [names.slice(5), { total: 7, limit: 500, offset: 5 }]);
      assert.deepEqual(await page('?limit=3&offset=2'), [names.slice(2, 5), { total: 7, limit: 3, offset: 2 }]);
      assert.deepEqual(await page('?offset=9007199254740991'), [
        [],
        { total: 7, limit: 50, offset: Number.MAX_SAFE_INTEGER },
      ]);
    });
  });

  it('rejects invalid page parameters', async () => {
    await withAdminService(async ({ send }) => {
      for (const [param, value] of [
        ['limit', '0'],
        ['limit', '501'],
        ['limit', ''],
        ['offset', '-1'],
        ['offset', '1.5'],
        ['offset', '9007199254740992'],
        ['sort', 'name'],
      ])
        assert.deepEqual(errorOf(await send('GET', `${PATH}?${param}=${value}`)), [400, 'invalid_parameter', param]);
    });
  });
});

describe('PATCH /api/v1/admin/accounts/{id}', () => {
  it('changes only the fields that were sent', async () => {
    await withAdminService(async ({ send }) => {
      const { body: made } = await send('POST', PATH, { name: 'carl', plan: 'free', email: 'carl@example.com' });
      const expected = made;
      for (const change of [
        {},
        { plan: 'pro' },
        { email: 'c@example.com' },
        { email: null },
        { disabled: true },
        { disabled: false, plan: 'free', email: 'carl@example.com' },
      ]) {
        Object.assign(expected, change);
        const { status, body } = await send('PATCH', `${PATH}/${made.id}`, change);
        assert.deepEqual([status, body], [200, expected]);
        assert.deepEqual((await send('GET', `${PATH}/${made.id}`)).body, expected);
      }
    });
  });

  it('takes effect on the next request', async () => {
    await withAdminService(async ({ send, call, services }) => {
      const path = `${PATH}/${(await services.database.accounts.findByName('anna'))!.id}`;
      const formats = async () => {
        const { status, headers } = await call('/api/v1/formats');
        return [status, headers.get('ratelimit-policy')?.split(',')[0]];
      };
      assert.deepEqual(await formats(), [200, '"minute";q=120;w=60']);
      await send('PATCH', path, { plan: 'pro' });
      assert.deepEqual(await formats(), [200, '"minute";q=600;w=60']);
      await send('PATCH', path, { disabled: true });
      assert.deepEqual(await formats(), [401, undefined]);
      await send('PATCH', path, { disabled: false });
      assert.deepEqual(await formats(), [200, '"minute";q=600;w=60']);
    });
  });

  it('names the invalid field and changes nothing', async () => {
    await withAdminService(async ({ send, services }) => {
      const anna = await services.database.accounts.findByName('anna');
      for (const [param, value] of [
        ['plan', 'gold'],
        ['plan', null],
        ['email', 'anna'],
        ['disabled', 1],
        ['disabled', 'true'],
        ['name', 'other'],
        ['id', 'acct_other'],
      ]) {
        const answer = await send('PATCH', `${PATH}/${anna!.id}`, {
          [String(param)]: value,
          ...(param === 'email' ? { plan: 'pro' } : {}),
        });
        assert.deepEqual(errorOf(answer), [400, 'invalid_parameter', param]);
      }
      assert.deepEqual(await services.database.accounts.find(anna!.id), anna);
    });
  });
});

describe('POST /api/v1/admin/accounts/{id}/packages', () => {
  it('adds the pages of the package to those of the account', async () => {
    await withAdminService(async ({ send, services }) => {
      const { packages, accounts } = services.database;
      const { id } = (await accounts.findByName('anna'))!;
      for (const [name, pages] of Object.entries({
        site_1k: 1000,
        site_3k: 3000,
        site_10k: 10_000,
        site_50k: 50_000,
      })) {
        const { status, body } = await send('POST', `${PATH}/${id}/packages`, { package: name });
        const { id: packageId, bought_at, ...rest } = body;
        assert.equal(status, 201);
        assert.match(String(packageId), /^pkg_[0-9A-Z]{26}$/);
        assert.match(String(bought_at), /^20.+\.\d{3}Z$/);
        assert.deepEqual(rest, { package: name, pages_total: pages, pages_left: pages, expires_at: null });
      }
      const granted = await packages.list(id);
      assert.deepEqual(new Set(granted.map(({ pagesLeft }) => pagesLeft)), new Set([1000, 3000, 10_000, 50_000]));
      assert.deepEqual(await packages.list((await accounts.findByName('ben'))!.id), []);
    });
  });

  it('names the invalid field', async () => {
    await withAdminService(async ({ send, services }) => {
      const { id } = (await services.database.accounts.findByName('anna'))!;
      for (const [param, body] of [
        ['package', {}],
        ['package', { package: 'site_2k' }],
        ['package', { package: 'toString' }],
        ['package', { package: ['site_1k'] }],
        ['pages', { package: 'site_1k', pages: 5 }],
      ] as const)
        assert.deepEqual(errorOf(await send('POST', `${PATH}/${id}/packages`, body)), [
          400,
          'invalid_parameter',
          param,
        ]);
      assert.deepEqual(await services.database.packages.list(id), []);
    });
  });
});

describe('an account that does not exist', () => {
  it('returns 404', async () => {
    await withAdminService(async ({ send }) => {
      for (const [method, path, body] of requests('acct_none').slice(2)) {
        const answer = await send(method, path, body);
        assert.deepEqual(errorOf(answer), [404, 'not_found', 'id']);
        assert.equal(messageOf(answer), 'Expected the id of an account for id but received "acct_none".');
      }
    });
  });
});
