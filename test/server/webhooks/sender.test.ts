import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { timestamp } from '../../../base/timestamp.ts';
import type { Resolve } from '../../../server/http/connector.ts';
import { HttpOutgoing } from '../../../server/http/outgoing.ts';
import { createLog } from '../../../server/log.ts';
import { createMetrics } from '../../../server/metrics.ts';
import { WebhookSender } from '../../../server/webhooks/sender.ts';
import { newSecret } from '../../../server/webhooks/signature.ts';
import type { Database } from '../../../storage/ports/database.ts';
import type { WebhookDelivery, WebhookMessage } from '../../../storage/records/webhooks.ts';
import { withDatabase } from '../../support/database.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { verifies } from '../../support/verifies.ts';
import { Receiver } from './receiver.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const LIMIT = 15 * SECOND;
/** Path and query of the addresses. They are private: only the host may be logged or recorded. */
const PATH = '/private-path?token=private-query';
const BODY = '{"type":"job.finished","data":{"name":"č"}}';

interface SenderOptions {
  database?: Database;
  resolve?: Resolve;
  random?: () => number;
  allowHttpWebhooks?: boolean;
}

interface SenderFixture {
  database: Database;
  clock: FakeClock;
  receiver: Receiver;
  /** Returns the address of the receiver, or of another host and port. */
  url(host?: string, port?: number): string;
  sender(options?: SenderOptions): WebhookSender;
  /** Records a message that is due at once, by default for the receiver; returns its id. */
  message(url?: string, accountId?: string): Promise<string>;
  state(id: string): Promise<WebhookMessage>;
  deliveries(id: string): Promise<WebhookDelivery[]>;
  accounts: { anna: string; ben: string };
  logged: Record<string, unknown>[];
  metrics: string[];
}

const ok: RequestListener = (_request, response) => void response.writeHead(204).end();
const status =
  (code: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(code, headers).end();
const hang: RequestListener = () => {};

/** Runs `work`, then checks that no private data was logged and no connection or timer is left. */
async function withSender(answer: RequestListener, work: (setting: SenderFixture) => Promise<void>): Promise<void> {
  await withDatabase(async (database) => {
    // The reference library compares timestamps with the system clock.
    const clock = new FakeClock(Date.now());
    const receiver = new Receiver(() => clock.now(), answer);
    await receiver.open();
    const lines: string[] = [];
    const metrics: string[] = [];
    const senders: WebhookSender[] = [];
    const accountOf = async (name: string) => (await database.accounts.create({ name, email: null, plan: 'pro' })).id;
    const accounts = { anna: await accountOf('anna'), ben: await accountOf('ben') };
    const url: SenderFixture['url'] = (host = '127.0.0.1', port = receiver.port) => `http://${host}:${port}${PATH}`;
    const jobs = new Map<string, string>();
    const setting: SenderFixture = {
      database,
      clock,
      receiver,
      url,
      accounts,
      metrics,
      get logged() {
        return lines.map((line) => JSON.parse(line));
      },
      sender: ({ database: own = database, resolve, random = () => 0, allowHttpWebhooks = true } = {}) => {
        const allowPrivateAddresses = ['127.0.0.1/32'];
        const sender = new WebhookSender({
          database: own,
          config: { allowHttpWebhooks, allowPrivateAddresses },
          outgoing: new HttpOutgoing({
            allowPrivate: allowPrivateAddresses,
            userAgent: 'test',
            timeout: clock.timeout,
            ...(resolve ? { resolve } : {}),
          }),
          metrics: { webhookDelivered: (result) => void metrics.push(result) },
          log: createLog('info', { write: (line) => lines.push(line) }),
          clock,
          random,
        });
        senders.push(sender);
        return sender;
      },
      message: async (to = url(), accountId = accounts.anna) => {
        const id = `msg_${jobs.size}`;
        jobs.set(id, `job_${jobs.size}`);
        const createdAt = timestamp(clock.now());
        await database.webhooks.createMessage({ id, accountId, jobId: jobs.get(id)!, url: to, body: BODY, createdAt });
        return id;
      },
      state: async (id) => (await database.webhooks.findMessage(id))!,
      deliveries: (id) => database.webhooks.deliveriesOf(jobs.get(id)!),
    };
    try {
      await work(setting);
      for (const sender of senders) {
        const stopping = sender.stop();
        // Ends the grace period for attempts that are never answered.
        clock.advance(5 * SECOND);
        await stopping;
      }
      await receiver.left();
      // Only the timers of time limits are left, which have no effect any more.
      clock.advance(LIMIT);
      assert.equal(clock.waiting, 0);
    } finally {
      await receiver.close();
    }
    const records = [...lines, ...(await allDeliveries(database, [...jobs.values()]))].join('\n');
    assert.doesNotMatch(records, /private-|whsec_|v1,/);
  });
}

async function allDeliveries(database: Database, jobIds: string[]): Promise<string[]> {
  const lists = await Promise.all(jobIds.map((id) => database.webhooks.deliveriesOf(id)));
  return lists.map((list) => JSON.stringify(list));
}

/**
 * Sends one message until no more attempts are due.
 * @param duringAttempt called when the receiver has received the request of an attempt
 * @returns seconds from the start to each attempt, and the final records
 */
async function sendOut(setting: SenderFixture, duringAttempt?: () => void, options: SenderOptions = {}, url?: string) {
  const { clock, receiver } = setting;
  const sender = setting.sender(options);
  const id = await setting.message(url);
  const start = clock.now();
  sender.wake();
  for (;;) {
    if (duringAttempt) {
      await receiver.requests(receiver.received.length + 1);
      duringAttempt();
    }
    await sender.settled();
    const { status, nextAttemptAt, attempts } = await setting.state(id);
    if (status !== 'pending') break;
    const wait = Date.parse(nextAttemptAt!) - clock.now();
    clock.advance(wait - 1);
    await sender.settled();
    assert.equal((await setting.state(id)).attempts, attempts, 'nothing is sent before its time');
    clock.advance(1);
  }
  // Nothing is sent afterwards either.
  clock.advance(HOUR);
  await sender.settled();
  const state = await setting.state(id);
  const deliveries = await setting.deliveries(id);
  return {
    state,
    deliveries,
    at: deliveries.map(({ at }) => (Date.parse(at) - start) / SECOND),
    statuses: deliveries.map(({ status }) => status),
    errors: deliveries.map(({ error }) => error),
  };
}

const unexpectedStatus = (received: string) =>
  `Expected a status from 200 to 299 for the POST to webhook_url but received ${received}.`;
const NOT_ANSWERED = (received: string) => `Expected an answer to the POST for webhook_url but received ${received}.`;

describe('a webhook', () => {
  verifies('webhook.finished', 'webhook.signed');

  it('is posted at once, exactly as recorded, and passes the reference library', async () => {
    await withSender(ok, async (setting) => {
      const { receiver, database, accounts, clock } = setting;
      const { state, deliveries, at } = await sendOut(setting);
      assert.deepEqual(at, [0]);
      const [only, ...others] = receiver.received;
      assert.equal(others.length, 0);
      assert.equal(only?.method, 'POST');
      assert.equal(only?.path, PATH);
      assert.equal(only?.body, BODY);
      assert.equal(only?.headers['content-type'], 'application/json');
      assert.equal(only?.headers['user-agent'], 'Imagecrew-Webhooks/1');
      assert.equal(only?.headers['webhook-id'], state.id);
      const { secret } = await database.webhooks.secret({
        accountId: accounts.anna,
        secret: newSecret(),
        createdAt: timestamp(clock.now()),
      });
      assert.deepEqual(
        new Webhook(secret).verify(only!.body, only!.headers as Record<string, string>),
        JSON.parse(BODY),
      );
      const { status, attempts, lastStatus, lastAttemptAt, nextAttemptAt } = state;
      assert.deepEqual([status, attempts, lastStatus, nextAttemptAt], ['delivered', 1, 204, null]);
      const { at: attemptAt, ...delivery } = deliveries[0]!;
      assert.equal(lastAttemptAt, attemptAt);
      assert.deepEqual(delivery, { messageId: state.id, attempt: 1, status: 204, durationMs: 0, error: null });
      assert.deepEqual(setting.metrics, ['delivered']);
      const [line] = setting.logged;
      assert.equal(line?.msg, 'webhook delivered');
      assert.equal(line?.host, `127.0.0.1:${receiver.port}`);
    });
  });

  it('is delivered with any 2xx status', async () => {
    for (const code of [200, 201, 202, 299])
      await withSender(status(code), async (setting) => {
        const { state, statuses } = await sendOut(setting);
        assert.deepEqual([state.status, statuses], ['delivered', [code]]);
      });
  });

  it('is also signed with the previous secret, for 24 hours', async () => {
    await withSender(ok, async ({ receiver, database, accounts, clock, message, sender }) => {
      const accountId = accounts.anna;
      const first = newSecret();
      const second = newSecret();
      const rotatedAt = clock.now();
      await database.webhooks.secret({ accountId, secret: first, createdAt: timestamp(rotatedAt) });
      const fresh = { accountId, secret: second, createdAt: timestamp(rotatedAt) };
      await database.webhooks.rotateSecret(fresh, timestamp(rotatedAt + 24 * HOUR));
      const working = sender();
      const signatures = async () => {
        await message();
        working.wake();
        await working.settled();
        const { body, headers } = receiver.received.at(-1)!;
        const id = String(headers['webhook-id']);
        const time = new Date(Number(headers['webhook-timestamp']) * SECOND);
        const made = [second, first].map((secret) => new Webhook(secret).sign(id, time, body));
        return String(headers['webhook-signature'])
          .split(' ')
          .map((signature) => made.indexOf(signature));
      };
      assert.deepEqual(await signatures(), [0, 1]);
      const { body, headers } = receiver.received[0]!;
      for (const secret of [first, second]) new Webhook(secret).verify(body, headers as Record<string, string>);
      clock.advance(24 * HOUR - 1);
      assert.deepEqual(await signatures(), [0, 1]);
      clock.advance(1);
      assert.deepEqual(await signatures(), [0]);
    });
  });
});

describe('a failing receiver', () => {
  verifies('webhook.retries');

  it('that returns 500 gets four attempts: at once, after 5 s, 30 s and 2 min, with the same id', async () => {
    await withSender(status(500), async (setting) => {
      const { receiver, clock, metrics, logged } = setting;
      const start = clock.now();
      const { state, at, statuses, errors } = await sendOut(setting);
      assert.deepEqual(at, [0, 5, 35, 155]);
      assert.deepEqual(statuses, [500, 500, 500, 500]);
      assert.deepEqual(errors, Array(4).fill(unexpectedStatus('500')));
      assert.deepEqual([state.status, state.attempts, state.lastStatus, state.nextAttemptAt], ['failed', 4, 500, null]);
      assert.deepEqual(metrics, ['retried', 'retried', 'retried', 'failed']);
      assert.deepEqual(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])), new Set([state.id]));
      // Each attempt is signed with its own time.
      assert.deepEqual(
        receiver.received.map(({ headers }) => Number(headers['webhook-timestamp'])),
        [0, 5, 35, 155].map((seconds) => Math.floor(start / SECOND + seconds)),
      );
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-signature'])).size, 4);
      assert.equal(logged.length, 0);
      assert.equal(setting.logged.length, 4);
    });
  });

  it('gets each retry up to 10% later', async () => {
    await withSender(status(500), async (setting) => {
      const { at } = await sendOut(setting, undefined, { random: () => 1 });
      assert.deepEqual(at, [0, 5.5, 38.5, 170.5]);
    });
  });

  it('that fails twice gets three attempts', async () => {
    let failures = 2;
    const twice: RequestListener = (request, response) => {
      failures -= 1;
      (failures >= 0 ? status(503) : ok)(request, response);
    };
    await withSender(twice, async (setting) => {
      const { state, at, statuses } = await sendOut(setting);
      assert.deepEqual(at, [0, 5, 35]);
      assert.deepEqual(statuses, [503, 503, 204]);
      assert.deepEqual([state.status, state.attempts], ['delivered', 3]);
    });
  });

  it('that refuses connections gets all attempts', async () => {
    await withSender(ok, async (setting) => {
      const closed = new Receiver(() => 0, ok);
      await closed.open();
      const { port } = closed;
      await closed.close();
      const { state, at, statuses, errors } = await sendOut(setting, undefined, {}, setting.url('127.0.0.1', port));
      assert.deepEqual(at, [0, 5, 35, 155]);
      assert.deepEqual(statuses, [null, null, null, null]);
      assert.deepEqual(errors, Array(4).fill(NOT_ANSWERED('a connection that failed')));
      assert.equal(state.status, 'failed');
    });
  });

  it('that closes the connection early gets all attempts', async () => {
    const cutOff: RequestListener = (request) => request.socket.destroy();
    const inHead: RequestListener = (request) => void request.socket.end('HTTP/1.1 200 OK\r\nContent-');
    for (const answer of [cutOff, inHead])
      await withSender(answer, async (setting) => {
        const { at, errors } = await sendOut(setting);
        assert.deepEqual(at, [0, 5, 35, 155]);
        assert.deepEqual(errors, Array(4).fill(NOT_ANSWERED('a connection that failed')));
      });
  });

  it('that does not respond is aborted after 15 seconds, when the wait for the retry begins', async () => {
    await withSender(hang, async (setting) => {
      const { state, at, errors, deliveries } = await sendOut(setting, () => setting.clock.advance(LIMIT));
      assert.deepEqual(at, [0, 20, 65, 200]);
      assert.deepEqual(errors, Array(4).fill(NOT_ANSWERED('no complete answer within 15 seconds')));
      assert.deepEqual(
        deliveries.map(({ durationMs }) => durationMs),
        Array(4).fill(LIMIT),
      );
      assert.equal(state.status, 'failed');
    });
  });

  it('that responds after 20 seconds is too late, but after 14.999 seconds is not', async () => {
    for (const [seconds, expected] of [
      [20, 'failed'],
      [14.999, 'delivered'],
    ] as const) {
      await withSender(hang, async (setting) => {
        const { clock, receiver } = setting;
        receiver.answer = (request, response) => void clock.after(seconds * SECOND, () => ok(request, response));
        const { state, at } = await sendOut(setting, () => clock.advance(Math.min(seconds * SECOND, LIMIT)));
        assert.equal(state.status, expected);
        assert.deepEqual(at, expected === 'delivered' ? [0] : [0, 20, 65, 200]);
      });
    }
  });

  it('that sends an endless response has still received the message', { timeout: 60_000 }, async () => {
    const endless: RequestListener = (_request, response) => {
      const more = () => {
        if (!response.destroyed) response.write(Buffer.alloc(10_000), () => setImmediate(more));
      };
      more();
    };
    await withSender(endless, async (setting) => {
      const { state, at } = await sendOut(setting);
      assert.deepEqual([state.status, at], ['delivered', [0]]);
    });
  });

  it('that returns 410 gets no retry', async () => {
    await withSender(status(410), async (setting) => {
      const { state, at } = await sendOut(setting);
      assert.deepEqual(at, [0]);
      assert.deepEqual([state.status, state.lastStatus, state.nextAttemptAt], ['stopped', 410, null]);
      assert.deepEqual(setting.metrics, ['stopped']);
    });
  });

  for (const code of [301, 302, 303, 307, 308]) {
    it(`that redirects with ${code} gets all attempts, and the target gets none`, async () => {
      await withSender(ok, async (setting) => {
        const canary = new Receiver(() => 0, ok);
        await canary.open();
        setting.receiver.answer = status(code, { location: `http://127.0.0.1:${canary.port}/` });
        const { at, errors } = await sendOut(setting);
        assert.deepEqual(at, [0, 5, 35, 155]);
        assert.deepEqual(errors, Array(4).fill(unexpectedStatus(`${code}, a redirect, which is not followed`)));
        assert.equal(canary.received.length, 0);
        await canary.close();
      });
    });
  }

  for (const [name, value, at] of [
    ['seconds', () => '60', [0, 60, 120, 240]],
    ['less than the wait', () => '10', [0, 10, 40, 160]],
    ['0', () => '0', [0, 5, 35, 155]],
    ['a moment', (now: number) => new Date(now + 45_000).toUTCString(), undefined],
    ['more than 10 minutes', () => '86400', [0, 600, 1200, 1800]],
    ['a moment next year', () => 'Fri, 31 Dec 2100 00:00:00 GMT', [0, 600, 1200, 1800]],
    ['a moment that is past', () => 'Fri, 31 Dec 1999 00:00:00 GMT', [0, 5, 35, 155]],
    ['nonsense', () => '-5 or so', [0, 5, 35, 155]],
  ] as const) {
    it(`that sends a Retry-After of ${name} gets the retry then, after 10 minutes at most`, async () => {
      await withSender(ok, async (setting) => {
        const { receiver, clock } = setting;
        receiver.answer = (request, response) => status(503, { 'retry-after': value(clock.now()) })(request, response);
        const result = await sendOut(setting);
        assert.equal(result.state.status, 'failed');
        if (at) assert.deepEqual(result.at, at);
        // HTTP dates have no milliseconds.
        else assert.ok(result.at[1]! > 44 && result.at[1]! <= 45, `${result.at}`);
      });
    });
  }

  it('that sends Retry-After gets no retry earlier or later because of jitter', async () => {
    await withSender(status(503, { 'retry-after': '60' }), async (setting) => {
      const { at } = await sendOut(setting, undefined, { random: () => 1 });
      assert.deepEqual(at, [0, 60, 120, 252]);
    });
  });
});

describe('the address of a webhook', () => {
  it('is checked at each attempt, because a name may later resolve to a private address', async () => {
    await withSender(status(500), async (setting) => {
      const { receiver } = setting;
      const canary = new Receiver(() => 0, ok);
      await canary.open('127.0.0.2', receiver.port);
      let asked = 0;
      const resolve = async () => {
        asked += 1;
        return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
      };
      const url = setting.url('rebind.test');
      const { statuses, errors, at } = await sendOut(setting, undefined, { resolve }, url);
      assert.deepEqual(at, [0, 5, 35, 155]);
      assert.deepEqual(statuses, [500, null, null, null]);
      assert.equal(
        errors[1],
        'Expected the address of a public host for webhook_url but received a private or reserved one.',
      );
      assert.equal(asked, 4);
      assert.equal(canary.received.length, 0);
      await canary.close();
    });
  });

  it('must use https, unless that is not required', async () => {
    await withSender(ok, async (setting) => {
      const { state, errors } = await sendOut(setting, undefined, { allowHttpWebhooks: false });
      assert.equal(state.status, 'failed');
      assert.equal(errors[0], 'Expected an https address for webhook_url but received an http address.');
      assert.equal(setting.receiver.received.length, 0);
    });
  });
});

describe('several webhooks', () => {
  it('do not wait for a receiver that does not respond, which gets four at a time', async () => {
    await withSender(hang, async ({ receiver, clock, message, state, sender, url, database }) => {
      const good = new Receiver(() => clock.now(), ok);
      await good.open();
      const hanging: string[] = [];
      for (let n = 0; n < 10; n += 1) hanging.push(await message());
      const fine = [await message(url('127.0.0.1', good.port)), await message(url('127.0.0.1', good.port))];
      const working = sender();
      working.wake();
      await Promise.all([receiver.requests(4), good.requests(2)]);
      // The response may not have been recorded yet.
      while ((await state(fine[1]!)).status !== 'delivered') await database.ping();
      for (const id of hanging) assert.equal((await state(id)).attempts, 0);
      clock.advance(LIMIT);
      await receiver.requests(8);
      assert.equal(receiver.mostAtOnce, 4);
      await good.close();
    });
  });

  it('of one account do not block those of others', async () => {
    await withSender(hang, async ({ receiver, clock, message, sender, url, accounts }) => {
      const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
      for (let n = 0; n < 100; n += 1) await message(url(`host-${n}.test`));
      const good = new Receiver(() => clock.now(), ok);
      await good.open();
      const last = await message(url('127.0.0.1', good.port), accounts.ben);
      sender({ resolve }).wake();
      await Promise.all([receiver.requests(16), good.requests(1)]);
      assert.equal(good.received[0]?.headers['webhook-id'], last);
      await good.left();
      assert.equal(receiver.received.length, 16);
      await good.close();
    });
  });

  it('are each sent once, however often the sender is woken', async () => {
    await withSender(ok, async ({ receiver, message, sender }) => {
      const ids = new Set<string>();
      for (let n = 0; n < 50; n += 1) ids.add(await message());
      const working = sender();
      for (let n = 0; n < 20; n += 1) {
        working.wake();
        await receiver.requests(n);
      }
      await working.settled();
      assert.equal(receiver.received.length, 50);
      assert.deepEqual(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])), ids);
      assert.ok(receiver.mostAtOnce <= 4, `${receiver.mostAtOnce}`);
    });
  });
});

describe('WebhookSender', () => {
  it('continues after a restart', async () => {
    await withSender(status(500), async ({ receiver, clock, message, sender, state }) => {
      const first = sender();
      const id = await message();
      first.wake();
      await first.settled();
      await first.stop();
      clock.advance(5 * SECOND - 1);
      const second = sender();
      second.wake();
      await second.settled();
      assert.equal(receiver.received.length, 1);
      clock.advance(1);
      await second.settled();
      assert.equal(receiver.received.length, 2);
      assert.equal((await state(id)).attempts, 2);
    });
  });

  it('repeats an attempt that was in progress when the process ended, with the same id', async () => {
    await withSender(hang, async ({ receiver, clock, message, sender, state, deliveries }) => {
      const killed = sender();
      const id = await message();
      killed.wake();
      await receiver.requests(1);
      const stopping = killed.stop();
      clock.advance(5 * SECOND);
      await stopping;
      assert.deepEqual((await state(id)).attempts, 0);
      receiver.answer = ok;
      const next = sender();
      next.wake();
      await next.settled();
      assert.deepEqual(
        receiver.received.map(({ headers }) => headers['webhook-id']),
        [id, id],
      );
      assert.equal((await deliveries(id)).length, 1);
    });
  });

  it('lets attempts in progress finish when it is stopped', async () => {
    await withSender(hang, async ({ receiver, clock, message, sender, state }) => {
      const working = sender();
      const id = await message();
      const later = await message();
      receiver.answer = (request, response) => void clock.after(1 * SECOND, () => ok(request, response));
      working.wake();
      await receiver.requests(2);
      const stopping = working.stop();
      const unsent = await message();
      working.wake();
      clock.advance(1 * SECOND);
      await stopping;
      for (const each of [id, later]) assert.equal((await state(each)).status, 'delivered');
      assert.equal((await state(unsent)).attempts, 0);
      assert.equal(receiver.received.length, 2);
    });
  });

  it('does not send again if the database could not record the delivery', async () => {
    await withSender(ok, async ({ receiver, clock, message, sender, state, database, logged: _, ...rest }) => {
      let failures = 2;
      const failing: Database = {
        ...database,
        transaction: async (work) => {
          failures -= 1;
          if (failures >= 0) throw new Error('disk full');
          return await database.transaction(work);
        },
      };
      const working = sender({ database: failing });
      const id = await message();
      working.wake();
      await working.settled();
      assert.equal((await state(id)).status, 'pending');
      for (const expected of ['pending', 'delivered']) {
        clock.advance(MINUTE - 1);
        await working.settled();
        assert.equal((await state(id)).status, 'pending');
        clock.advance(1);
        await working.settled();
        assert.equal((await state(id)).status, expected);
      }
      assert.equal(receiver.received.length, 1);
      assert.deepEqual(rest.metrics, ['delivered']);
    });
  });

  it('sends a message again if that is requested during an attempt', async () => {
    await withSender(hang, async ({ receiver, clock, message, sender, state, database, deliveries }) => {
      const working = sender();
      const id = await message();
      receiver.answer = (request, response) => void clock.after(1, () => ok(request, response));
      working.wake();
      await receiver.requests(1);
      await database.webhooks.restart('job_0', timestamp(clock.now() + 1));
      clock.advance(1);
      await receiver.requests(2);
      clock.advance(1);
      await working.settled();
      assert.deepEqual(
        (await deliveries(id)).map(({ attempt }) => attempt),
        [1, 2],
      );
      assert.deepEqual([(await state(id)).status, (await state(id)).attempts], ['delivered', 1]);
    });
  });

  it('deletes finished messages after a day', async () => {
    await withSender(ok, async ({ clock, message, sender, database, deliveries }) => {
      const working = sender();
      const id = await message();
      working.wake();
      await working.settled();
      const pending = await message();
      clock.advance(24 * HOUR - 1);
      await working.sweep();
      assert.equal((await deliveries(id)).length, 1);
      await working.settled();
      clock.advance(1);
      await working.sweep();
      assert.equal(await database.webhooks.findMessage(id), undefined);
      assert.deepEqual(await deliveries(id), []);
      assert.equal((await database.webhooks.findMessage(pending))?.status, undefined);
    });
  });

  it('counts attempts by outcome', async () => {
    const metrics = createMetrics();
    for (const result of ['delivered', 'retried', 'failed', 'stopped'] as const) metrics.webhookDelivered(result);
    assert.match(await metrics.text(), /^ic_webhook_deliveries_total\{result="retried"\} 1$/m);
  });
});
