import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { timestamp } from '../../../base/timestamp.ts';
import { issueKey, type Scope } from '../../../server/account/keys.ts';
import { CANCELLED, endJob } from '../../../server/jobs/end.ts';
import type { Job } from '../../../storage/records/jobs.ts';
import type { Key } from '../../../storage/records/keys.ts';
import { type TestOptions, type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';
import { Receiver } from './receiver.ts';

const SECRET = '/api/v1/webhook-secret';
const TEST = '/api/v1/webhook-test';
const TOKEN = 'operator';
const HOUR = 3_600_000;

type Json = Record<string, unknown>;

interface WebhookService extends TestService {
  clock: { now: number };
  receiver: Receiver;
  url: string;
  accounts: { anna: string; ben: string };
  /** Sends JSON with a key or with the admin token. */
  send(method: string, path: string, key: string, body?: unknown): Promise<{ status: number; body: Json }>;
  issue(accountId: string, scopes: Scope[], mode?: Key['mode']): Promise<string>;
  /** Creates a job of ben. Unless `open`, it has ended and its webhook is recorded. */
  job(webhookUrl: string | null, open?: boolean): Promise<string>;
}

const ok: RequestListener = (_request, response) => void response.writeHead(200).end();

async function withWebhookService(
  work: (desk: WebhookService) => Promise<void>,
  env: TestOptions['env'] = {},
): Promise<void> {
  const clock = { now: Date.now() };
  const receiver = new Receiver(() => clock.now, ok);
  await receiver.open();
  const options = {
    now: () => clock.now,
    env: {
      IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.1/32',
      IC_ALLOW_HTTP_WEBHOOKS: 'true',
      IC_ADMIN_TOKEN: TOKEN,
      ...env,
    },
  };
  try {
    await withService(async (service) => {
      const { database, baseUrl } = service.services;
      const idOf = async (name: string) => (await database.accounts.findByName(name))!.id;
      const accounts = { anna: await idOf('anna'), ben: await idOf('ben') };
      const of = (accountId: string, scopes: Scope[], mode: Key['mode']) =>
        issueKey(database.keys, { accountId, name: 'desk', mode, scopes, monthlyLimit: null, expiresAt: null });
      let jobs = 0;
      await work({
        ...service,
        clock,
        receiver,
        accounts,
        url: `http://127.0.0.1:${receiver.port}/hook?token=private-query`,
        issue: async (accountId, scopes, mode = 'live') => (await of(accountId, scopes, mode)).key,
        send: async (method, path, key, body) => {
          const answer = await fetch(service.origin + path, {
            method,
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          });
          return { status: answer.status, body: (await answer.json()) as Json };
        },
        job: async (webhookUrl, open = false) => {
          jobs += 1;
          const id = `job_${jobs}`;
          const { record } = await of(accounts.ben, [], 'live');
          const createdAt = timestamp(clock.now);
          const pipeline = { pipelineName: null, pipelineVersion: null, outputName: null, outputs: null, steps: '[]' };
          const owner: Pick<Job, 'accountId' | 'keyId'> = { accountId: accounts.ben, keyId: record.id };
          await database.jobs.insert({ id, ...owner, ...pipeline, webhookUrl, createdAt });
          if (!open) await database.transaction((all) => endJob(all, id, CANCELLED, createdAt, baseUrl));
          return id;
        },
      });
    }, options);
    await receiver.left();
  } finally {
    await receiver.close();
  }
}

function errorOf({ status, body }: { status: number; body: Json }): [number, unknown, unknown] {
  const { code, param } = body.error as Json;
  return [status, code, param];
}

describe('the webhook secret', () => {
  verifies('webhook.signed');

  it('is created on the first request and then stays the same', async () => {
    await withWebhookService(async ({ send, issue, accounts, clock }) => {
      const key = await issue(accounts.ben, ['admin']);
      const first = await send('GET', SECRET, key);
      assert.equal(first.status, 200);
      const { secret, ...rest } = first.body;
      assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.deepEqual(rest, { created_at: timestamp(clock.now), previous_valid_until: null });
      clock.now += HOUR;
      assert.deepEqual(await send('GET', SECRET, key), first);
      const other = await send('GET', SECRET, await issue(accounts.anna, ['admin']));
      assert.notEqual(other.body.secret, secret);
    });
  });

  it('can be rotated, and the previous one stays valid for 24 hours', async () => {
    await withWebhookService(async ({ send, issue, accounts, clock }) => {
      const key = await issue(accounts.ben, ['admin']);
      const before = await send('GET', SECRET, key);
      const { status, body } = await send('POST', `${SECRET}/rotate`, key);
      assert.equal(status, 200);
      assert.notEqual(body.secret, before.body.secret);
      const until = clock.now + 24 * HOUR;
      assert.equal(body.previous_valid_until, timestamp(until));
      clock.now = until - 1;
      assert.deepEqual((await send('GET', SECRET, key)).body, body);
      clock.now = until;
      assert.deepEqual((await send('GET', SECRET, key)).body, { ...body, previous_valid_until: null });
    });
  });

  it('needs a live key with the scope admin', async () => {
    await withWebhookService(async ({ send, issue, accounts }) => {
      const ordinary = await issue(accounts.ben, ['ai', 'sites']);
      const test = await issue(accounts.ben, ['admin'], 'test');
      for (const [method, path] of [
        ['GET', SECRET],
        ['POST', `${SECRET}/rotate`],
      ] as const) {
        assert.deepEqual(errorOf(await send(method, path, ordinary)), [403, 'scope_required', undefined]);
        assert.deepEqual(errorOf(await send(method, path, test)), [403, 'test_key_not_allowed', undefined]);
        assert.deepEqual(errorOf(await send(method, path, TOKEN)), [401, 'invalid_key', undefined]);
        const key = await issue(accounts.ben, ['admin']);
        assert.deepEqual(errorOf(await send(method, `${path}?a=1`, key)), [400, 'invalid_parameter', 'a']);
      }
    });
  });

  it('of any account can be read and rotated by the operator', async () => {
    await withWebhookService(async ({ send, issue, accounts, origin }) => {
      const key = await issue(accounts.ben, ['admin']);
      const path = `/api/v1/admin/accounts/${accounts.ben}/webhook-secret`;
      const shown = await send('GET', path, TOKEN);
      assert.deepEqual(shown, await send('GET', SECRET, key));
      const rotated = await send('POST', `${path}/rotate`, TOKEN);
      assert.notEqual(rotated.body.secret, shown.body.secret);
      assert.deepEqual(rotated, await send('GET', SECRET, key));
      assert.deepEqual(errorOf(await send('GET', path, key)), [401, 'invalid_key', undefined]);
      const unknown = path.replace(accounts.ben, 'acct_1');
      assert.deepEqual(errorOf(await send('POST', `${unknown}/rotate`, TOKEN)), [404, 'not_found', 'id']);
      const { headers } = await fetch(origin + path, { headers: { authorization: `Bearer ${TOKEN}` } });
      assert.equal(headers.get('cache-control'), 'no-store');
    });
  });
});

describe('POST /api/v1/webhook-test', () => {
  it('sends one signed event and returns the outcome', async () => {
    await withWebhookService(async ({ send, issue, accounts, keys, receiver, url }) => {
      const { status, body } = await send('POST', TEST, keys.pro, { webhook_url: url });
      assert.equal(status, 200);
      const { id, duration_ms, ...rest } = body;
      assert.deepEqual(rest, { delivered: true, status: 200, error: null });
      assert.ok(Number.isInteger(duration_ms));
      const [only, ...others] = receiver.received;
      assert.equal(others.length, 0);
      assert.equal(only?.headers['webhook-id'], id);
      const secret = (await send('GET', SECRET, await issue(accounts.ben, ['admin']))).body.secret as string;
      const event = new Webhook(secret).verify(only!.body, only!.headers as Record<string, string>) as Json;
      assert.equal(event.type, 'webhook.test');
      assert.deepEqual(event.data, {});
    });
  });

  it('reports a failure without a retry', async () => {
    await withWebhookService(async ({ send, keys, receiver, url, services, logged }) => {
      receiver.answer = (_request, response) => void response.writeHead(500).end('inner secrets');
      const { status, body } = await send('POST', TEST, keys.pro, { webhook_url: url });
      assert.equal(status, 200);
      assert.deepEqual([body.delivered, body.status], [false, 500]);
      assert.equal(body.error, 'Expected a status from 200 to 299 for the POST to webhook_url but received 500.');
      await services.webhooks.settled();
      assert.equal(receiver.received.length, 1);
      assert.doesNotMatch(JSON.stringify(logged()), /private-query|hook\?/);
    });
  });

  it('rejects addresses that webhooks may not be sent to', async () => {
    await withWebhookService(
      async ({ send, keys }) => {
        for (const [webhook_url, code] of [
          ['nothing', 'invalid_url'],
          ['http://example.com/', 'url_not_allowed'],
          ['https://anna:geheim@example.com/', 'url_not_allowed'],
          ['https://127.0.0.2/', 'url_not_allowed'],
          ['https://2130706434/', 'url_not_allowed'],
        ])
          assert.deepEqual(errorOf(await send('POST', TEST, keys.pro, { webhook_url })), [400, code, 'webhook_url']);
        for (const body of [{}, { webhook_url: 1 }])
          assert.deepEqual(errorOf(await send('POST', TEST, keys.pro, body)), [
            400,
            'invalid_parameter',
            'webhook_url',
          ]);
      },
      { IC_ALLOW_HTTP_WEBHOOKS: 'false' },
    );
  });

  it('requires a Pro account, as jobs do', async () => {
    await withWebhookService(async ({ send, keys, url, receiver }) => {
      const answer = await send('POST', TEST, keys.free, { webhook_url: url });
      assert.deepEqual(errorOf(answer), [403, 'upgrade_required', 'jobs']);
      assert.equal(receiver.received.length, 0);
    });
  });

  it('is rejected while four requests wait for the receiver', async () => {
    await withWebhookService(async ({ send, keys, url, receiver }) => {
      const waiting: (() => void)[] = [];
      receiver.answer = (request, response) => void waiting.push(() => ok(request, response));
      const test = () => send('POST', TEST, keys.pro, { webhook_url: url });
      const first = Array.from({ length: 4 }, test);
      await receiver.requests(4);
      assert.deepEqual(errorOf(await test()), [503, 'overloaded', 'webhook_url']);
      for (const answer of waiting) answer();
      for (const { body } of await Promise.all(first)) assert.equal(body.delivered, true);
      receiver.answer = ok;
      assert.equal((await test()).body.delivered, true);
    });
  });
});

describe('the webhook of a job', () => {
  verifies('webhook.finished', 'webhook.body');

  it('is sent when the job has ended, with its record, and its attempts are listed', async () => {
    await withWebhookService(async ({ send, job, url, receiver, services, keys, clock }) => {
      const id = await job(url);
      services.webhooks.wake();
      await services.webhooks.settled();
      const event = JSON.parse(receiver.received[0]!.body);
      assert.equal(event.type, 'job.finished');
      assert.equal(event.timestamp, timestamp(clock.now));
      assert.equal(event.data.id, id);
      assert.equal(event.data.status, 'cancelled');
      assert.deepEqual(event.data.results, []);
      assert.equal(event.data.webhook.url, url.replace(/\?.*/, ''));
      const { status, body } = await send('GET', `/api/v1/jobs/${id}/deliveries`, keys.pro);
      assert.equal(status, 200);
      const message = receiver.received[0]!.headers['webhook-id'];
      assert.deepEqual(body, {
        deliveries: [{ id: message, attempt: 1, at: timestamp(clock.now), status: 200, duration_ms: 0, error: null }],
      });
    });
  });

  it('is sent again with the same id and new attempts', async () => {
    await withWebhookService(async ({ send, job, url, receiver, services, keys }) => {
      receiver.answer = (_request, response) => void response.writeHead(410).end();
      const id = await job(url);
      services.webhooks.wake();
      await services.webhooks.settled();
      receiver.answer = ok;
      const { status, body } = await send('POST', `/api/v1/jobs/${id}/redeliver`, keys.pro);
      assert.equal(status, 202);
      assert.equal(body.id, id);
      const { url: shown, status: state, attempts, last_status } = body.webhook as Json;
      assert.deepEqual([shown, state, attempts, last_status], [url.replace(/\?.*/, ''), 'pending', 0, 410]);
      assert.doesNotMatch(JSON.stringify(body), /private-query/);
      await services.webhooks.settled();
      const [first, second, ...others] = receiver.received;
      assert.equal(others.length, 0);
      assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id']);
      assert.equal(first?.body, second?.body);
      const { deliveries } = (await send('GET', `/api/v1/jobs/${id}/deliveries`, keys.pro)).body;
      assert.deepEqual(
        (deliveries as Json[]).map((delivery) => [delivery.attempt, delivery.status]),
        [
          [1, 410],
          [2, 200],
        ],
      );
    });
  });

  it('cannot be sent again if there is none', async () => {
    await withWebhookService(async ({ send, job, url, keys }) => {
      const again = async (id: string, key = keys.pro) =>
        errorOf(await send('POST', `/api/v1/jobs/${id}/redeliver`, key));
      assert.deepEqual(await again(await job(null)), [409, 'invalid_state', 'id']);
      const open = await job(url, true);
      assert.deepEqual(await again(open), [409, 'invalid_state', 'id']);
      assert.deepEqual((await send('GET', `/api/v1/jobs/${open}/deliveries`, keys.pro)).body, { deliveries: [] });
    });
  });

  it('is not visible to another account', async () => {
    await withWebhookService(async ({ send, job, url, keys }) => {
      for (const id of [await job(url), 'job_0']) {
        const redelivery = await send('POST', `/api/v1/jobs/${id}/redeliver`, keys.free);
        assert.deepEqual(errorOf(redelivery), [404, 'not_found', 'id']);
        const list = await send('GET', `/api/v1/jobs/${id}/deliveries`, keys.free);
        assert.deepEqual(errorOf(list), [404, 'not_found', 'id']);
      }
    });
  });
});
