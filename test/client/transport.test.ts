import assert from 'node:assert/strict';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, it, mock } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Imagecrew, ImagecrewError, type ImagecrewOptions } from '../../client/index.ts';
import { withServer } from '../support/http-server.ts';

interface ReceivedRequest {
  method: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

interface ClientFixture {
  client: Imagecrew;
  /** Requests that the server has received. */
  seen: ReceivedRequest[];
  /** Waits between attempts, in milliseconds. */
  waits: number[];
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/**
 * Runs `work` with a server that sends these responses in order and then repeats the last one.
 * Waits between attempts are recorded but take no time.
 */
async function withAnswers(
  answers: readonly Answer[],
  work: (desk: ClientFixture) => Promise<void>,
  options: Partial<ImagecrewOptions> = {},
): Promise<void> {
  const seen: ReceivedRequest[] = [];
  const waits: number[] = [];
  const listener: RequestListener = (request, response) => {
    buffer(request).then(
      (body) => {
        const answer = answers[Math.min(seen.length, answers.length - 1)]!;
        seen.push({ method: request.method, headers: request.headers, body: body.toString() });
        answer(response, request);
      },
      () => {},
    );
  };
  await withServer(listener, async ({ origin }) => {
    const pause = async (ms: number) => void waits.push(ms);
    await work({ client: new Imagecrew({ key: 'ic_live_x', baseUrl: `${origin}/`, pause, ...options }), seen, waits });
  });
}

const json =
  (value: unknown): Answer =>
  (response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));

const refuse =
  (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(JSON.stringify({ error: { code, message: `Said ${code}.`, hint: `Do ${code}.`, request_id: 'req_1' } }));

const lose: Answer = (_response, request) => request.socket.destroy();

const failed = (code: string) => (error: unknown) => error instanceof ImagecrewError && error.code === code;

const job = { id: 'job_1' };
const image = new Uint8Array([1, 2, 3]);

describe('retries', () => {
  it('waits as long as Retry-After says, in seconds or as a date', async () => {
    mock.method(Date, 'now', () => Date.UTC(2030, 0, 1));
    try {
      const date = new Date(Date.UTC(2030, 0, 1, 0, 0, 7)).toUTCString();
      const answers = [
        refuse(429, 'rate_limited', { 'Retry-After': '3' }),
        refuse(503, 'overloaded', { 'Retry-After': date }),
        json({ formats: [] }),
      ];
      await withAnswers(answers, async ({ client, seen, waits }) => {
        assert.deepEqual(await client.formats(), { formats: [] });
        assert.equal(seen.length, 3);
        assert.deepEqual(waits, [3000, 7000]);
      });
    } finally {
      mock.restoreAll();
    }
  });

  it('backs off exponentially up to a bound, with jitter, without Retry-After', async () => {
    const random = mock.method(Math, 'random', () => 0.5);
    try {
      await withAnswers(
        [refuse(503, 'overloaded')],
        async ({ client, waits }) => {
          await assert.rejects(client.usage(), {
            code: 'overloaded',
            message: 'Said overloaded.',
            hint: 'Do overloaded.',
          });
          assert.deepEqual(waits, [250, 500, 1000, 2000, 4000, 4000]);
        },
        { retries: 6 },
      );
      assert.ok(random.mock.callCount() >= 6);
    } finally {
      mock.restoreAll();
    }
  });

  it('resends the whole image when the service has deferred it', async () => {
    const answers = [refuse(503, 'overloaded', { 'Retry-After': '1' }), json({ format: 'png' })];
    await withAnswers(answers, async ({ client, seen }) => {
      assert.equal((await client.inspect(image)).format, 'png');
      assert.deepEqual(
        seen.map(({ method, body }) => [method, body]),
        [
          ['POST', '\u0001\u0002\u0003'],
          ['POST', '\u0001\u0002\u0003'],
        ],
      );
      assert.equal(seen[0]!.headers.authorization, 'Bearer ic_live_x');
    });
  });

  it('does not retry: a quota, a long wait, a rejection, a failure, a stream, with no retries', async () => {
    const once = async (answer: Answer, code: string, ask: (client: Imagecrew) => Promise<unknown>, retries = 2) =>
      await withAnswers(
        [answer],
        async ({ client, seen, waits }) => {
          await assert.rejects(ask(client), failed(code));
          assert.deepEqual([seen.length, waits], [1, []], code);
        },
        { retries },
      );
    const usage = (client: Imagecrew) => client.usage();
    await once(refuse(429, 'quota_exceeded', { 'Retry-After': '1' }), 'quota_exceeded', usage);
    await once(refuse(429, 'test_limit_exceeded', { 'Retry-After': '40000' }), 'test_limit_exceeded', usage);
    await once(refuse(404, 'not_found'), 'not_found', usage);
    await once(refuse(500, 'internal_error'), 'internal_error', usage);
    await once(
      (response) => response.writeHead(502).end('<html>'),
      'http_502',
      (client) => client.inspect(image),
    );
    await once(refuse(503, 'overloaded'), 'overloaded', (client) => client.inspect(new Blob([image]).stream()));
    await once(refuse(503, 'overloaded'), 'overloaded', usage, 0);
  });

  it('retries after a lost connection and a proxy error, but never runs a request twice', async () => {
    const bad: Answer = (response) => response.writeHead(502).end();
    await withAnswers([lose, bad, json({ keys: [] })], async ({ client, seen }) => {
      assert.deepEqual(await client.keys.list(), []);
      assert.equal(seen.length, 3);
    });
    await withAnswers([lose], async ({ client, seen }) => {
      await assert.rejects(client.inspect(image), TypeError);
      assert.equal(seen.length, 1);
    });
    await withAnswers([lose], async ({ client, seen }) => {
      await assert.rejects(client.usage(), TypeError);
      assert.equal(seen.length, 3);
    });
  });

  it('resubmits a job after a lost connection, with one idempotency key per call', async () => {
    const answers = [lose, refuse(409, 'idempotency_in_progress'), json(job)];
    await withAnswers(answers, async ({ client, seen }) => {
      for (const images of [[{ url: 'https://example.com/a.jpg' }], [image]])
        assert.equal((await client.jobs.create(images, { preset: 'web' })).id, 'job_1');
      const keys = seen.map(({ headers }) => headers['idempotency-key']);
      assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
      assert.deepEqual([keys[1], keys[2]], [keys[0], keys[0]]);
      assert.notEqual(keys[3], keys[0]);
      assert.deepEqual(JSON.parse(seen[0]!.body), { preset: 'web', inputs: [{ url: 'https://example.com/a.jpg' }] });
      assert.match(seen[3]!.body, /name="preset"\r\n\r\nweb\r\n/);
    });
    await withAnswers([lose], async ({ client, seen }) => {
      await assert.rejects(client.jobs.create([new Blob([image]).stream()]), TypeError);
      assert.equal(seen.length, 1);
    });
  });
});

describe('aborting', () => {
  const reason = new Error('enough');
  const aborted = (error: unknown) => error === reason;

  it('aborts a request and a wait', async () => {
    const control = new AbortController();
    const hang: Answer = () => control.abort(reason);
    await withAnswers([hang], async ({ client, seen }) => {
      await assert.rejects(client.usage({ signal: control.signal }), aborted);
      assert.equal(seen.length, 1);
    });
    const late = new AbortController();
    const answers = [refuse(503, 'overloaded', { 'Retry-After': '30' })];
    await withAnswers(
      answers,
      async ({ client, seen }) => {
        // Uses the real wait of the client, not that of the test.
        const usage = client.usage({ signal: late.signal });
        setImmediate(function wait() {
          if (seen.length === 0) setImmediate(wait);
          else void setTimeout(20).then(() => late.abort(reason));
        });
        await assert.rejects(usage, aborted);
        assert.equal(seen.length, 1);
      },
      { pause: undefined },
    );
  });

  it('aborts a response body', async () => {
    const control = new AbortController();
    const half: Answer = (response) =>
      response.writeHead(200, { 'Content-Type': 'image/png', 'X-IC-Bytes': '9' }).write('half');
    await withAnswers([half], async ({ client }) => {
      const answer = await client.compress(image, {}, { signal: control.signal });
      const bytes = answer.arrayBuffer();
      control.abort(reason);
      await assert.rejects(bytes, aborted);
    });
  });

  it('sends no request when it was aborted before', async () => {
    await withAnswers([json({})], async ({ client, seen }) => {
      await assert.rejects(client.usage({ signal: AbortSignal.abort(reason) }), aborted);
      assert.equal(seen.length, 0);
    });
  });

  it('times out when no response begins, and does not retry', async () => {
    await withAnswers(
      [() => {}],
      async ({ client, waits }) => {
        await assert.rejects(client.usage(), { name: 'TimeoutError' });
        assert.deepEqual(waits, []);
      },
      { timeoutMs: 50 },
    );
  });

  it('does not time out while a body is read', async () => {
    let signal: AbortSignal | null | undefined;
    const fetch = async (_input: unknown, init?: RequestInit) => {
      signal = init?.signal;
      return new Response('ab', { headers: { 'Content-Type': 'image/png' } });
    };
    const client = new Imagecrew({ baseUrl: 'https://images.example.com', timeoutMs: 5, fetch });
    const answer = await client.compress(image);
    await setTimeout(20);
    assert.equal(signal?.aborted, false);
    assert.equal((await answer.arrayBuffer()).byteLength, 2);
  });
});

describe('invalid arguments and responses', () => {
  it('rejects an address that is not one of a service', () => {
    const wrong = [
      'images.example.com',
      'ftp://example.com',
      '',
      'https://example.com/#/try',
      'https://a:b@example.com',
    ];
    for (const baseUrl of wrong) assert.throws(() => new Imagecrew({ baseUrl }), TypeError, baseUrl);
  });

  it('has no error code for a response of another server', async () => {
    await withAnswers([(response) => response.writeHead(418).end('<html>')], async ({ client }) => {
      await assert.rejects(client.usage(), { code: 'http_418', message: 'The service answered with status 418.' });
    });
  });
});

describe('events over connections that close', () => {
  const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const stream =
    (text: string, end: (response: ServerResponse) => void): Answer =>
    (response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(text, () => end(response));
    };

  it('reconnects after the last numbered event, until the end', async () => {
    const answers = [
      stream(`id: 7\n${event('job', job)}`, (response) => response.end()),
      stream(event('progress', {}), (response) => response.destroy()),
      stream(event('end', { ...job, status: 'done' }), () => {}),
    ];
    await withAnswers(answers, async ({ client, seen, waits }) => {
      const types: string[] = [];
      for await (const { type } of client.jobs.events('job_1')) types.push(type);
      assert.deepEqual(types, ['job', 'progress', 'end']);
      assert.deepEqual(
        seen.map(({ headers }) => headers['last-event-id']),
        [undefined, '7', '7'],
      );
      assert.equal(waits.length, 2);
    });
  });

  it('gives up on a stream that sends nothing', async () => {
    await withAnswers([stream(':\n\n', (response) => response.end())], async ({ client, seen }) => {
      await assert.rejects(
        client.jobs.wait('job_1'),
        /Expected the end of the events of \/api\/v1\/jobs\/job_1\/events/,
      );
      assert.equal(seen.length, 6);
    });
  });
});
