import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { openLocalEvents } from '../../../base/events.ts';
import {
  EventStreams,
  MAX_EVENT_STREAMS_PER_ACCOUNT,
  type SseSubscription,
} from '../../../server/http/event-stream.ts';
import { withDesk } from '../sites/desk.ts';

interface Change {
  type: 'changed' | 'ended';
  data?: unknown;
}

/** Event streams of one subject, whose state is the data of the last event. */
class Subject {
  readonly streams = new EventStreams();
  readonly events = openLocalEvents<Change>('jobs', () => 'job_1');
  state: unknown = 0;
  readonly #subscription: SseSubscription<Change> = {
    begin: async ({ send }) => send('state', this.state),
    hear: async ({ type, data }, { send, end }) => {
      send(type, data);
      if (type === 'ended') end();
    },
  };

  open(account = 'acct_1', subject = 'job_1'): PassThrough {
    const { events } = this;
    return this.streams.open(account, { subject, events, subscription: this.#subscription });
  }

  emit(type: Change['type'], data: unknown): void {
    this.state = data;
    this.events.emit({ type, data });
  }
}

const written = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

describe('EventStreams', () => {
  it('serialises an event once for all clients', async () => {
    const subject = new Subject();
    const clients = Array.from({ length: MAX_EVENT_STREAMS_PER_ACCOUNT }, () => subject.open());
    // Each stream sends its state before the event.
    await Promise.all(clients.map((client) => once(client, 'readable')));
    const received = clients.map((client) => text(client));
    let serialised = 0;
    const toJSON = () => {
      serialised += 1;
      return 'big';
    };
    subject.emit('changed', { toJSON });
    subject.emit('ended', 2);
    const expected = written('state', 0) + written('changed', 'big') + written('ended', 2);
    assert.deepEqual(await Promise.all(received), Array(MAX_EVENT_STREAMS_PER_ACCOUNT).fill(expected));
    assert.equal(serialised, 1);
  });

  it('begins with the state, which includes all earlier events', async () => {
    const subject = new Subject();
    const first = text(subject.open());
    subject.emit('changed', 1);
    const second = text(subject.open());
    subject.emit('ended', 2);
    const events = [written('changed', 1), written('ended', 2)];
    // The state already includes events that were emitted meanwhile: they are sent twice rather than never.
    assert.equal(await first, [written('state', 2), ...events].join(''));
    assert.equal(await second, [written('state', 2), events[1]].join(''));
  });

  it('ends the stream of a client that does not read, and no other', async () => {
    const subject = new Subject();
    const [idle, reading] = [subject.open(), subject.open()];
    await Promise.all([once(idle, 'readable'), once(reading, 'readable')]);
    const received = text(reading);
    const part = 'x'.repeat(1000);
    const parts = 3000;
    for (let sent = 0; sent < parts; sent += 1) {
      subject.emit('changed', part);
      if (sent % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    subject.emit('ended', 0);
    assert.equal(
      (await received).length,
      written('state', 0).length + parts * written('changed', part).length + written('ended', 0).length,
    );
    const kept = await text(idle);
    assert.ok(kept.length > 1024 * 1024 && kept.length < 1.2 * 1024 * 1024, `${kept.length} bytes were kept`);
  });

  it('ends the streams if the state cannot be read, and works again for the next client', async () => {
    const subject = new Subject();
    const broken = subject.open();
    const state = {
      toJSON: () => {
        throw new Error('no state');
      },
    };
    subject.state = state;
    const [error] = (await once(broken, 'error')) as [Error];
    assert.equal(error.message, 'no state');
    subject.state = 1;
    const next = text(subject.open());
    subject.emit('ended', 1);
    assert.equal(await next, written('state', 1) + written('ended', 1));
  });

  it('has at most 20 streams per account, and frees a place when one closes', async () => {
    const subject = new Subject();
    const clients = Array.from({ length: MAX_EVENT_STREAMS_PER_ACCOUNT }, (_, n) => subject.open('acct_1', `job_${n}`));
    const refused = { code: 'rate_limited', retryAfter: 10 };
    assert.throws(() => subject.open(), refused);
    subject.open('acct_2').destroy();
    clients[3]!.destroy();
    await once(clients[3]!, 'close');
    const again = subject.open();
    assert.throws(() => subject.open(), refused);
    for (const client of [...clients, again]) client.destroy();
  });
});

describe('the event stream of a job or a scan', () => {
  it('is rejected with 429 when the account has 20 streams of jobs and scans', async () => {
    await withDesk(async (desk) => {
      const { call, keys, services } = desk.service;
      const headers = { authorization: `Bearer ${keys.pro}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ inputs: [{ url: 'https://example.com/1.jpg' }] });
      const job = (await (await call('/api/v1/jobs', { method: 'POST', headers, body })).json()) as { id: string };
      const scan = await desk.rows();
      const paths = [`/api/v1/jobs/${job.id}/events`, `/api/v1/sites/scans/${scan.id}/events`];
      const { id: account } = (await services.database.accounts.findByName('ben'))!;
      const silent = { begin: async () => {}, hear: async () => {} };
      const source = { subject: 'none', events: services.jobs.events, subscription: silent };
      const others = Array.from({ length: MAX_EVENT_STREAMS_PER_ACCOUNT - paths.length }, () =>
        services.eventStreams.open(account, source),
      );
      const streams = await Promise.all(paths.map((path) => desk.fetch(path)));
      assert.deepEqual(
        streams.map(({ status }) => status),
        [200, 200],
      );
      for (const path of paths) {
        const refused = await desk.fetch(path);
        assert.equal(refused.status, 429);
        assert.equal(refused.headers.get('retry-after'), '10');
        const { error } = (await refused.json()) as { error: { code: string; message: string } };
        assert.equal(error.code, 'rate_limited');
        assert.match(error.message, /at most 20 open event streams/);
      }
      for (const stream of streams) await stream.body!.cancel();
      for (const other of others) other.destroy();
    });
  });
});
