import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Failure } from '../../base/failure.ts';
import { AddressPolicy } from '../../server/http/addresses.ts';
import { checkAddress, HttpOutgoing, type OutgoingOptions, type PostOptions } from '../../server/http/outgoing.ts';
import { failureOf } from '../support/failure.ts';
import { type TestServer, withServer } from '../support/http-server.ts';

const IMAGE = Buffer.from('GIF89a and so on');
const MEGABYTE = 1_000_000;

/** Creates a client that may reach 127.0.0.1 and no other private address. */
function client(options: Partial<OutgoingOptions> = {}) {
  return new HttpOutgoing({ allowPrivate: ['127.0.0.1/32'], userAgent: 'Imagecrew/test', ...options });
}

const never = new Promise<never>(() => {});

function sendImage(_request: IncomingMessage, response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'image/gif', 'content-length': IMAGE.length }).end(IMAGE);
}

function fetchFrom(server: TestServer, path = '/photo.gif', options: Partial<OutgoingOptions> = {}) {
  return client(options).fetchImage(server.origin + path, { maxBytes: MEGABYTE });
}

/** Returns the error message of a failed fetch. It must not contain the query, which may be secret. */
async function fetchFailure(listener: RequestListener, options: Partial<OutgoingOptions> = {}): Promise<string> {
  return await withServer(listener, async (server) => {
    const failure = await failureOf('url_fetch_failed', () => fetchFrom(server, '/photo.gif?token=secret', options));
    assert.equal(failure.param, 'url');
    assert.doesNotMatch(failure.message, /secret|127\.|:\d/);
    return failure.message;
  });
}

describe('fetchImage', () => {
  it('returns the file in one buffer of its size', async () => {
    await withServer(sendImage, async (server) => {
      const file = await fetchFrom(server, '/a/photo%20%C4%8D.gif?size=1#top');
      assert.deepEqual(Buffer.from(file.data), IMAGE);
      assert.equal(file.contentType, 'image/gif');
      assert.equal(file.filename, 'photo č.gif');
      assert.equal(file.finalUrl, `${server.origin}/a/photo%20%C4%8D.gif?size=1#top`);
    });
  });

  it('sends a User-Agent and asks for an unencoded body', async () => {
    const seen: IncomingMessage[] = [];
    const listener: RequestListener = (request, response) => {
      seen.push(request);
      sendImage(request, response);
    };
    await withServer(listener, async (server) => {
      const options = { resolve: async () => [{ address: '127.0.0.1', family: 4 }] };
      await client(options).fetchImage(`http://images.test:${server.port}/?a=1`, { maxBytes: MEGABYTE });
      const [request] = seen;
      assert.equal(request?.url, '/?a=1');
      assert.equal(request?.headers.host, `images.test:${server.port}`);
      assert.equal(request?.headers['user-agent'], 'Imagecrew/test');
      assert.equal(request?.headers['accept-encoding'], 'identity');
      assert.equal(request?.headers.connection, 'close');
      assert.equal(request?.headers.cookie, undefined);
      assert.equal(request?.headers.referer, undefined);
    });
  });

  it('reads a body of unknown length', async () => {
    const large = Buffer.alloc(300_000, 'abc');
    await withServer(
      (_request, response) => {
        response.write(large.subarray(0, 7));
        response.end(large.subarray(7));
      },
      async (server) => {
        const { data, contentType } = await fetchFrom(server);
        assert.equal(data.byteLength, large.length);
        assert.deepEqual(Buffer.from(data), large);
        assert.equal(contentType, undefined);
      },
    );
  });

  for (const [coding, pack] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const) {
    it(`decodes ${coding}, which some servers send unasked`, async () => {
      const packed = pack(IMAGE);
      await withServer(
        (_request, response) => {
          response.writeHead(200, { 'content-encoding': coding, 'content-length': packed.length }).end(packed);
        },
        async (server) => assert.deepEqual(Buffer.from((await fetchFrom(server)).data), IMAGE),
      );
    });
  }

  it('fails on every status except 200', async () => {
    for (const status of [201, 204, 206, 304, 400, 404, 500]) {
      const message = await fetchFailure((_request, response) => response.writeHead(status).end());
      assert.equal(message, `Expected an image for url but received status ${status}.`);
    }
  });

  // If the client did not close the connection, it would stay open until the time limit of a fetch.
  it('closes a connection whose body is not needed', { timeout: 10_000 }, async () => {
    let closed: Promise<unknown> = never;
    const endless: RequestListener = (_request, response) => {
      closed = once(response, 'close');
      response.writeHead(404).write(IMAGE);
    };
    await withServer(endless, async (server) => {
      await failureOf('url_fetch_failed', () => fetchFrom(server));
      await closed;
    });
  });

  it('fails on a web page, but accepts an image with the type of one', async () => {
    for (const [type, body] of [
      ['text/html; charset=utf-8', '\n <!doctype html>'],
      ['application/json', '{"error":1}'],
    ] as const) {
      const message = await fetchFailure((_request, response) => response.setHeader('content-type', type).end(body));
      assert.match(message, /a web page/);
    }
    await withServer(
      (_request, response) => response.setHeader('content-type', 'text/html').end(IMAGE),
      async (server) => assert.equal((await fetchFrom(server)).data.byteLength, IMAGE.length),
    );
  });

  it('fails on a body that is empty, truncated or wrongly encoded', async () => {
    assert.match(await fetchFailure((_request, response) => response.end()), /an empty body/);
    const cutOff: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write(IMAGE, () => response.destroy());
    };
    assert.match(await fetchFailure(cutOff), /a connection that failed/);
    const packed = gzipSync(Buffer.alloc(5000, 'abc'));
    for (const body of [packed.subarray(0, -8), IMAGE]) {
      const message = await fetchFailure((_request, response) =>
        response.setHeader('content-encoding', 'gzip').end(body),
      );
      assert.match(message, /a body that cannot be unpacked/);
    }
    const message = await fetchFailure((_request, response) =>
      response.setHeader('content-encoding', 'zip').end(IMAGE),
    );
    assert.match(message, /an unknown content coding/);
  });

  // Node closes such a connection without an error.
  it('fails on a server that switches protocols', { timeout: 10_000 }, async () => {
    const switching: RequestListener = (request) =>
      void request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n');
    assert.match(await fetchFailure(switching), /a connection that failed/);
  });

  it('fails if nobody listens or the name is unknown', async () => {
    const port = await withServer(sendImage, async (server) => server.port);
    const fetch = (options: Partial<OutgoingOptions> = {}) =>
      client(options).fetchImage(`http://127.0.0.1.test:${port}/`, { maxBytes: 1 });
    const resolved = { resolve: async () => [{ address: '127.0.0.1', family: 4 }] };
    assert.match((await failureOf('url_fetch_failed', () => fetch(resolved))).message, /a connection that failed/);
    const unknown = { resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })) };
    assert.match((await failureOf('url_fetch_failed', () => fetch(unknown))).message, /no address for its host name/);
  });
});

describe('the size of a fetched file', () => {
  const send = (head: Record<string, string | number>, ...chunks: Buffer[]): RequestListener => {
    return (_request, response) => {
      response.writeHead(200, head).flushHeaders();
      for (const chunk of chunks) response.write(chunk);
    };
  };

  it('may be exactly the limit', async () => {
    await withServer(sendImage, async (server) => {
      const { data } = await client().fetchImage(server.origin, { maxBytes: IMAGE.length });
      assert.equal(data.byteLength, IMAGE.length);
    });
  });

  it('is reserved before the bytes are read, and a failed reservation ends the fetch', async () => {
    await withServer(sendImage, async (server) => {
      const reserved: number[] = [];
      const reserve = (bytes: number) => void reserved.push(bytes);
      await client().fetchImage(server.origin, { maxBytes: MEGABYTE, reserve });
      assert.equal(reserved.at(-1), IMAGE.length);
    });
    await withServer(send({}, IMAGE), async (server) => {
      const full = new Failure('overloaded', 'Expected room but received none.');
      const reserve = () => {
        throw full;
      };
      await assert.rejects(client().fetchImage(server.origin, { maxBytes: MEGABYTE, reserve }), full);
    });
  });

  it('is the decoded size, if a large body is compressed', async () => {
    const noise = randomBytes(3 * MEGABYTE);
    const packed = gzipSync(noise, { level: 1 });
    const listener: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    };
    await withServer(listener, async (server) => {
      const { data } = await client().fetchImage(server.origin, { maxBytes: 4 * MEGABYTE });
      assert.deepEqual(Buffer.from(data), noise);
    });
  });

  // These responses never end, so the error must come earlier.
  for (const [name, listener] of [
    ['by its Content-Length', send({ 'content-length': 1001 })],
    ['by what has come', send({}, Buffer.alloc(500), Buffer.alloc(501))],
    ['when it is unpacked', send({ 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(10_000_000)))],
  ] as const) {
    it(`is rejected ${name}`, async () => {
      await withServer(listener, async (server) => {
        const failure = await failureOf('file_too_large', () => client().fetchImage(server.origin, { maxBytes: 1000 }));
        assert.equal(failure.status, 413);
        assert.equal(failure.message, 'Expected at most 1,000 bytes for url but received more.');
      });
    });
  }
});

describe('redirects', () => {
  /** `/n` redirects to `/n-1`, and `/0` is the image. */
  const countdown: RequestListener = (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) sendImage(request, response);
    else response.writeHead([301, 302, 303, 307, 308][left % 5] ?? 301, { location: `./${left - 1}` }).end('moved');
  };

  it('are followed up to five times', async () => {
    await withServer(countdown, async (server) => {
      assert.equal((await fetchFrom(server, '/5')).finalUrl, `${server.origin}/0`);
      const { message } = await failureOf('url_fetch_failed', () => fetchFrom(server, '/6'));
      assert.match(message, /more than 5 redirects/);
    });
  });

  it('to forbidden addresses are not followed, in any notation', async () => {
    let calls = 0;
    const count: RequestListener = (request, response) => {
      calls += 1;
      sendImage(request, response);
    };
    await withServer(sendImage, async ({ port }) => {
      await withServer(
        count,
        async () => {
          for (const host of [
            '127.0.0.2',
            '2130706434',
            '0x7f.2',
            '0177.0.0.2',
            '[::ffff:127.0.0.2]',
            '[::1]',
            'localhost.test',
          ]) {
            const redirect: RequestListener = (_request, response) =>
              response.writeHead(302, { location: `http://${host}:${port}/?token=secret` }).end();
            await withServer(redirect, async (server) => {
              const options = { resolve: async () => [{ address: '127.0.0.2', family: 4 }] };
              const failure = await failureOf('url_not_allowed', () => fetchFrom(server, '/', options));
              assert.equal(
                failure.message,
                'Expected the address of a public host for url but received a private or reserved one.',
              );
            });
          }
        },
        { host: '127.0.0.2', port },
      );
    });
    assert.equal(calls, 0);
  });

  it('to something other than a web address fail', async () => {
    const to = (location: string): RequestListener => {
      return (_request, response) => response.writeHead(302, { location }).end();
    };
    await withServer(to('file:///etc/passwd'), (server) => failureOf('invalid_url', () => fetchFrom(server)));
    await withServer(to('http://a:b@127.0.0.1/'), (server) => failureOf('url_not_allowed', () => fetchFrom(server)));
    await withServer(to('http://'), (server) => failureOf('url_fetch_failed', () => fetchFrom(server)));
    await withServer(
      (_request, response) => response.writeHead(302).end(),
      (server) => failureOf('url_fetch_failed', () => fetchFrom(server)),
    );
  });
});

describe('the address of an image', () => {
  it('must be an absolute web address of at most 2048 characters', async () => {
    const tooLong = `http://127.0.0.1/${'a'.repeat(2048)}`;
    for (const url of [
      '',
      'photo.gif',
      '/photo.gif',
      'ftp://127.0.0.1/',
      'file:///etc/passwd',
      'data:,a',
      tooLong,
      'http://[fe80::1%25eth0]/',
    ]) {
      const failure = await failureOf('invalid_url', () => client().fetchImage(url, { maxBytes: 1 }));
      assert.equal(failure.status, 400);
      assert.doesNotMatch(failure.message, /passwd/);
      await failureOf('invalid_url', () => client().put(url, new ArrayBuffer(1), { contentType: 'image/gif' }));
    }
  });

  it('must contain no credentials', async () => {
    await withServer(sendImage, async ({ port }) => {
      for (const user of ['anna:geheim', 'anna', ':geheim']) {
        const url = `http://${user}@127.0.0.1:${port}/`;
        const { message } = await failureOf('url_not_allowed', () => client().fetchImage(url, { maxBytes: MEGABYTE }));
        assert.doesNotMatch(message, /geheim/);
      }
    });
  });

  it('must be public, whatever its name resolves to', async () => {
    const closed = new HttpOutgoing({ allowPrivate: [], userAgent: 'Imagecrew/test' });
    await withServer(sendImage, async ({ port }) => {
      for (const host of ['127.0.0.1', 'localhost', '0', '[::]', '017700000001', '[::ffff:7f00:1]']) {
        const url = `http://${host}:${port}/`;
        const failure = await failureOf('url_not_allowed', () => closed.fetchImage(url, { maxBytes: MEGABYTE }));
        assert.match(failure.message, /public host/);
        const put = () => closed.put(url, new ArrayBuffer(1), { contentType: 'image/gif' });
        assert.equal((await failureOf('url_not_allowed', put)).param, 'deliver_to');
      }
    });
  });

  it('must use a web port', async () => {
    const options = { resolve: async () => [{ address: '93.184.215.14', family: 4 }] };
    for (const port of [22, 6379, 8081]) {
      const fetch = () => client(options).fetchImage(`http://example.test:${port}/`, { maxBytes: 1 });
      assert.match((await failureOf('url_not_allowed', fetch)).message, /Expected port 80, 443, 8080 or 8443/);
    }
  });
});

describe('a name that resolves differently the second time', () => {
  /** Resolves to each address in turn and records the names that it was asked for. */
  function changing(...addresses: string[]) {
    const asked: string[] = [];
    const resolve = async (hostname: string) => {
      const address = addresses[Math.min(asked.push(hostname), addresses.length) - 1] ?? '';
      return [{ address, family: 4 }];
    };
    return { resolve, asked };
  }

  it('is connected to at the address that was checked', async () => {
    const { resolve, asked } = changing('127.0.0.1', '127.0.0.2');
    await withServer(sendImage, async ({ port }) => {
      await client({ resolve }).fetchImage(`http://rebind.test:${port}/`, { maxBytes: MEGABYTE });
    });
    assert.deepEqual(asked, ['rebind.test']);
  });

  it('is checked again for a redirect', async () => {
    const { resolve, asked } = changing('127.0.0.1', '127.0.0.2');
    const hosts: string[] = [];
    const listener: RequestListener = (request, response) => {
      hosts.push(request.socket.localAddress ?? '');
      response.writeHead(302, { location: '/again' }).end();
    };
    await withServer(
      listener,
      async ({ port }) => {
        const fetch = () => client({ resolve }).fetchImage(`http://rebind.test:${port}/`, { maxBytes: MEGABYTE });
        await failureOf('url_not_allowed', fetch);
      },
      { host: '0.0.0.0' },
    );
    assert.equal(asked.length, 2);
    assert.deepEqual(hosts, ['127.0.0.1']);
  });

  it('is rejected if any of its addresses is forbidden', async () => {
    const resolve = async () => ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    const hosts: string[] = [];
    const listener: RequestListener = (request, response) => {
      hosts.push(request.socket.localAddress ?? '');
      sendImage(request, response);
    };
    await withServer(
      listener,
      async ({ port }) => {
        const fetch = () => client({ resolve }).fetchImage(`http://many.test:${port}/`, { maxBytes: MEGABYTE });
        await failureOf('url_not_allowed', fetch);
      },
      { host: '0.0.0.0' },
    );
    assert.deepEqual(hosts, []);
  });
});

describe('the timeout', () => {
  it('ends a fetch whose body never ends', async () => {
    const drip: RequestListener = (_request, response) => void response.write(IMAGE);
    assert.match(await fetchFailure(drip, { times: { fetch: 100 } }), /no complete answer within 0.1 seconds/);
  });

  it('ends a fetch whose response never begins', async () => {
    assert.match(await fetchFailure(() => {}, { times: { fetch: 100 } }), /no complete answer/);
  });

  it('ends a fetch whose name is not resolved', async () => {
    const options = { resolve: () => never, times: { connect: 50 } };
    await withServer(sendImage, async ({ port }) => {
      const fetch = () => client(options).fetchImage(`http://slow.test:${port}/`, { maxBytes: 1 });
      assert.match((await failureOf('url_fetch_failed', fetch)).message, /no connection within 0.05 seconds/);
    });
  });

  it('ends a delivery that gets no response', async () => {
    await withServer(
      () => {},
      async (server) => {
        const put = () =>
          client({ times: { put: 100 } }).put(server.origin, new ArrayBuffer(1), { contentType: 'image/gif' });
        assert.match((await failureOf('delivery_failed', put)).message, /no complete answer within 0.1 seconds/);
      },
    );
  });

  it('is not awaited when the caller aborts', async () => {
    const reason = new RangeError('gone');
    for (const method of ['GET', 'PUT']) {
      const controller = new AbortController();
      let closed: Promise<unknown> = never;
      let requests = 0;
      const listener: RequestListener = (_request, response) => {
        requests += 1;
        closed = once(response, 'close');
        controller.abort(reason);
      };
      await withServer(listener, async (server) => {
        const { signal } = controller;
        const work =
          method === 'GET'
            ? client().fetchImage(server.origin, { maxBytes: 1, signal })
            : client().put(server.origin, new ArrayBuffer(1), { contentType: 'image/gif', signal });
        await assert.rejects(work, reason);
        await closed;
      });
      assert.equal(requests, 1);
    }
  });
});

describe('put', () => {
  const BODY = new Uint8Array(IMAGE).buffer;

  /**
   * Delivers to a server that answers with each status in turn; 0 breaks the connection.
   * @returns the outcome, and the requests that the server received
   */
  async function deliver(statuses: number[]) {
    const received: { request: IncomingMessage; body: Buffer }[] = [];
    const listener: RequestListener = async (request, response) => {
      const status = statuses[received.length] ?? 418;
      received.push({ request, body: await buffer(request) });
      if (status === 0) response.destroy();
      else response.writeHead(status, { location: '/elsewhere' }).end('thanks');
    };
    return await withServer(listener, async (server) => {
      const delivery = client().put(`${server.origin}/bucket/photo.gif?signature=secret`, BODY, {
        contentType: 'image/gif',
      });
      const [outcome] = await Promise.allSettled([delivery]);
      return { outcome, received, host: new URL(server.origin).host };
    });
  }

  it('sends the bytes with their type and length', async () => {
    const { outcome, received, host } = await deliver([201]);
    assert.equal(outcome.status, 'fulfilled');
    const { durationMs, ...delivery } = outcome.value;
    assert.deepEqual(delivery, { host, status: 201 });
    assert.ok(Number.isInteger(durationMs) && durationMs >= 0);
    const [only, ...others] = received;
    assert.equal(others.length, 0);
    assert.equal(only?.request.method, 'PUT');
    assert.equal(only?.request.url, '/bucket/photo.gif?signature=secret');
    assert.equal(only?.request.headers['content-type'], 'image/gif');
    assert.equal(only?.request.headers['content-length'], String(IMAGE.length));
    assert.deepEqual(only?.body, IMAGE);
  });

  it('leaves the buffer unchanged', async () => {
    await deliver([200]);
    assert.equal(BODY.byteLength, IMAGE.length);
  });

  for (const first of [0, 500, 503]) {
    it(`retries once after ${first || 'a broken connection'}`, async () => {
      const { outcome, received } = await deliver([first, 200]);
      assert.equal(outcome.status, 'fulfilled');
      assert.deepEqual(
        received.map(({ body }) => body),
        [IMAGE, IMAGE],
      );
    });
  }

  for (const [statuses, attempts, told] of [
    [[500, 502, 200], 2, 'status 502'],
    [[0, 0, 200], 2, 'a connection that failed'],
    [[404, 200], 1, 'status 404'],
    [[302, 200], 1, 'status 302'],
  ] as const) {
    it(`gives up after ${statuses.slice(0, attempts).join(' and ')}`, async () => {
      const { outcome, received } = await deliver([...statuses]);
      assert.equal(outcome.status, 'rejected');
      const failure = await failureOf('delivery_failed', () => {
        throw outcome.reason;
      });
      assert.equal(failure.status, 502);
      assert.equal(failure.message, `Expected a successful PUT for deliver_to but received ${told}.`);
      assert.equal(received.length, attempts);
    });
  }
});

describe('post', () => {
  const BODY = Buffer.from('{"type":"č"}');
  const OPTIONS: PostOptions = {
    headers: { 'content-type': 'application/json', 'user-agent': 'Imagecrew-Webhooks/1' },
    timeoutMs: 10_000,
    maxAnswerBytes: 1000,
  };

  const postTo = ({ origin }: TestServer, options: Partial<PostOptions> = {}, own: Partial<OutgoingOptions> = {}) =>
    client(own).post(`${origin}/hook?token=secret`, BODY, { ...OPTIONS, ...options });

  async function postFailure(listener: RequestListener, options: Partial<PostOptions> = {}): Promise<string> {
    return await withServer(listener, async (server) => {
      const failure = await failureOf('delivery_failed', () => postTo(server, options));
      assert.equal(failure.param, 'webhook_url');
      assert.doesNotMatch(failure.message, /secret|hook\?|127\.|:\d/);
      return failure.message;
    });
  }

  it('sends the bytes with their length and the given headers', async () => {
    const received: { request: IncomingMessage; body: Buffer }[] = [];
    const listener: RequestListener = async (request, response) => {
      received.push({ request, body: await buffer(request) });
      response.writeHead(202).end('thanks');
    };
    await withServer(listener, async (server) => {
      assert.deepEqual(await postTo(server), { status: 202, retryAfter: undefined });
    });
    const [only, ...others] = received;
    assert.equal(others.length, 0);
    assert.deepEqual(only?.body, BODY);
    assert.equal(only?.request.method, 'POST');
    assert.equal(only?.request.url, '/hook?token=secret');
    const { host: _, ...headers } = only?.request.headers ?? {};
    assert.deepEqual(headers, { ...OPTIONS.headers, 'content-length': `${BODY.length}`, connection: 'close' });
  });

  it('returns every status as it is, without retries or redirects', async () => {
    for (const status of [204, 301, 302, 303, 307, 308, 400, 410, 500, 503]) {
      let requests = 0;
      const listener: RequestListener = (_request, response) => {
        requests += 1;
        response.writeHead(status, { location: '/elsewhere', 'retry-after': '120' }).end();
      };
      await withServer(listener, async (server) => {
        assert.deepEqual(await postTo(server), { status, retryAfter: '120' });
      });
      assert.equal(requests, 1);
    }
  });

  it('lets the receiver finish its response', async () => {
    let finished: Promise<unknown> = never;
    const listener: RequestListener = (_request, response) => {
      finished = once(response, 'finish');
      response.writeHead(200, { 'content-length': 1000 });
      response.write(Buffer.alloc(500), () => setImmediate(() => response.end(Buffer.alloc(500))));
    };
    await withServer(listener, async (server) => {
      await postTo(server);
      await finished;
    });
  });

  it('ends a response that is too long, and keeps its status', { timeout: 10_000 }, async () => {
    let sent = 0;
    let closed: Promise<unknown> = never;
    const endless: RequestListener = (_request, response) => {
      closed = once(response, 'close');
      const more = () => {
        sent += 1000;
        if (!response.destroyed) response.write(Buffer.alloc(1000), () => setImmediate(more));
      };
      more();
    };
    await withServer(endless, async (server) => {
      assert.equal((await postTo(server)).status, 200);
      await closed;
      // The operating system buffers some of the response before the client reads it.
      assert.ok(sent < 20 * MEGABYTE, `${sent}`);
    });
  });

  it('accepts a response whose body breaks off', async () => {
    const cutOff: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write(IMAGE, () => response.destroy());
    };
    await withServer(cutOff, async (server) => assert.equal((await postTo(server)).status, 200));
  });

  it('accepts a response whose body does not end in time', async () => {
    const time = new AbortController();
    const listener: RequestListener = (_request, response) => {
      // More than the socket buffers hold: when all of it is written, the client has received the status.
      response.write(Buffer.alloc(30 * MEGABYTE), () => time.abort());
    };
    await withServer(listener, async (server) => {
      const posted = await postTo(server, { maxAnswerBytes: 100 * MEGABYTE }, { timeout: () => time.signal });
      assert.equal(posted.status, 200);
    });
  });

  it('fails without a response', async () => {
    const cutOff: RequestListener = (request) => request.socket.destroy();
    const noHttp: RequestListener = (request) => void request.socket.end('hello\r\n\r\n');
    const switching: RequestListener = (request) =>
      void request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n');
    for (const [listener, received] of [
      [cutOff, 'a connection that failed'],
      [noHttp, 'an answer that is not HTTP'],
      [switching, 'a connection that failed'],
    ] as const) {
      const sentence = `Expected an answer to the POST for webhook_url but received ${received}.`;
      assert.equal(await postFailure(listener), sentence);
    }
    const slow: RequestListener = (_request, response) => void response.writeContinue();
    assert.equal(
      await postFailure(slow, { timeoutMs: 100 }),
      'Expected an answer to the POST for webhook_url but received no complete answer within 0.1 seconds.',
    );
  });

  it('ends when its caller aborts', async () => {
    const reason = new RangeError('gone');
    const controller = new AbortController();
    let closed: Promise<unknown> = never;
    const listener: RequestListener = (_request, response) => {
      closed = once(response, 'close');
      controller.abort(reason);
    };
    await withServer(listener, async (server) => {
      await assert.rejects(postTo(server, { signal: controller.signal }), reason);
      await closed;
    });
  });

  it('reaches public addresses only, whatever the name resolves to', async () => {
    let calls = 0;
    const count: RequestListener = (_request, response) => {
      calls += 1;
      response.end();
    };
    await withServer(
      count,
      async ({ port }) => {
        const resolve = async () => [{ address: '127.0.0.2', family: 4 }];
        for (const host of ['127.0.0.2', '2130706434', '[::ffff:127.0.0.2]', 'rebind.test']) {
          const post = () => client({ resolve }).post(`http://${host}:${port}/`, BODY, OPTIONS);
          const failure = await failureOf('url_not_allowed', post);
          assert.match(failure.message, /^Expected the address of a public host for webhook_url/);
        }
      },
      { host: '127.0.0.2' },
    );
    assert.equal(calls, 0);
  });
});

describe('checkAddress', () => {
  const check = (text: string, allowed: string[] = []) => checkAddress(text, 'webhook_url', new AddressPolicy(allowed));

  it('accepts addresses that could be public', () => {
    for (const text of ['https://example.com/a?b=1', 'http://example.com:8080/', 'https://93.184.215.14/'])
      assert.equal(check(text).href, text);
    assert.equal(check('https://EXAMPLE.com').href, 'https://example.com/');
    assert.equal(check('http://127.0.0.1:9/', ['127.0.0.0/8']).port, '9');
    assert.equal(check('http://inner.example.com:9/', ['127.0.0.0/8']).port, '9');
  });

  it('rejects addresses that are invalid, contain credentials or can only be forbidden', async () => {
    for (const [text, code] of [
      ['example.com', 'invalid_url'],
      ['ftp://example.com/', 'invalid_url'],
      [`https://example.com/${'a'.repeat(2048)}`, 'invalid_url'],
      ['https://anna:geheim@example.com/', 'url_not_allowed'],
      ['https://10.0.0.1/', 'url_not_allowed'],
      ['https://0x7f.1/', 'url_not_allowed'],
      ['https://[::1]/', 'url_not_allowed'],
      ['https://example.com:22/', 'url_not_allowed'],
      ['https://93.184.215.14:22/', 'url_not_allowed'],
    ] as const)
      assert.equal((await failureOf(code, () => check(text))).param, 'webhook_url');
    await failureOf('url_not_allowed', () => check('https://10.0.0.1/', ['127.0.0.0/8']));
  });
});
