import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { HttpSiteClient, type SiteClientOptions } from '../../../../server/sites/fetch/http-site-client.ts';
import { RobotsForbidden, type SiteClient, type SiteFetch } from '../../../../server/sites/fetch/site-client.ts';
import { MAX_ADDRESS_LENGTH, normalizeAddress } from '../../../../web-documents/address.ts';
import { failureOf } from '../../../support/failure.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { withServer } from '../../../support/http-server.ts';
import { SELF_SIGNED } from '../../../support/self-signed.ts';
import { sendRaw } from '../../../support/socket.ts';

const PAGE = Buffer.from('<!doctype html><p>č</p>');
const MEGABYTE = 1_000_000;
/** Time limit of a fetch: 30 s. */
const FETCH_TIMEOUT_MS = 30_000;

interface Site {
  origin: string;
  port: number;
  client: SiteClient;
  clock: FakeClock;
  /** The connections that the website has accepted, in order. */
  sockets: Socket[];
  fetch: (path?: string, request?: Partial<SiteFetch>) => ReturnType<SiteClient['fetch']>;
}

type Options = Partial<Omit<SiteClientOptions, 'pace'>> & { pace?: Partial<SiteClientOptions['pace']> };

/**
 * Creates a client that may reach 127.0.0.1 but no other address of this machine. Its clock stands still, and it does
 * not request robots.txt.
 */
function siteClient(clock: FakeClock, { pace, ...options }: Options = {}): SiteClient {
  return new HttpSiteClient({
    allowPrivate: ['127.0.0.1/32'],
    userAgent: 'ImagecrewBot/test',
    pace: { concurrency: 2, delayMs: 0, ...pace },
    isExempt: () => true,
    clock,
    ...options,
  });
}

/** Resolves when the other side has closed a connection, for whatever reason. */
async function waitForClose(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

/** Runs `work` with a website and a client. Asserts that the client leaves neither a connection nor a timer behind. */
async function withSite<T>(listener: RequestListener, work: (site: Site) => Promise<T>, options?: Options): Promise<T> {
  const sockets = new Set<Socket>();
  const noting: RequestListener = (request, response) => {
    if (!sockets.has(request.socket)) sockets.add(request.socket.on('error', () => {}));
    listener(request, response);
  };
  return await withServer(noting, async ({ origin, port }) => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const client = siteClient(clock, options);
    try {
      return await work({
        origin,
        port,
        client,
        clock,
        get sockets() {
          return [...sockets];
        },
        fetch: (path = '/', request = {}) =>
          client.fetch({
            url: path.startsWith('/') ? origin + path : path,
            accept: '*/*',
            maxBytes: MEGABYTE,
            signal: new AbortController().signal,
            ...request,
          }),
      });
    } finally {
      client.close();
      for (const socket of sockets) await waitForClose(socket);
      assert.equal(clock.waiting, 0);
    }
  });
}

function sendPage(_request: IncomingMessage, response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': PAGE.length }).end(PAGE);
}

/** Returns the message of a failed fetch of an address whose query must not appear in messages. */
async function fetchFailure(listener: RequestListener, options?: Options): Promise<string> {
  return await withSite(listener, (site) => errorMessageOf(() => site.fetch('/page?token=secret')), options);
}

async function errorMessageOf(work: () => Promise<unknown>): Promise<string> {
  const failure = await failureOf('url_fetch_failed', work);
  assert.equal(failure.param, 'url');
  assert.doesNotMatch(failure.message, /secret|127\.|:\d/);
  return failure.message;
}

const fetchError = (received: string) => `Expected an answer for url but received ${received}.`;
const addressOf = (address: string) => async () => [{ address, family: 4 }];

describe('a response', () => {
  for (const [coding, pack] of [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const) {
    it(`with Content-Encoding ${coding} is decoded into one buffer of its exact size`, async () => {
      const text = Buffer.from('a page that is long enough '.repeat(5000));
      const packed = pack(text);
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-encoding': coding,
        'cache-control': 'max-age=60',
        etag: '"a"',
        'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
        vary: 'Accept',
      };
      await withSite(
        (_request, response) => response.writeHead(200, headers).end(packed),
        async ({ fetch, origin }) => {
          const { data, ...answer } = await fetch('/a?b#c');
          assert.equal(data.byteLength, text.length);
          assert.deepEqual(Buffer.from(data), text);
          // The buffer can be transferred to another thread.
          assert.equal(structuredClone(data, { transfer: [data] }).byteLength, text.length);
          assert.deepEqual(answer, {
            status: 200,
            finalUrl: `${origin}/a?b`,
            redirects: 0,
            contentType: 'text/html; charset=utf-8',
            contentEncoding: coding,
            cacheControl: 'max-age=60',
            etag: '"a"',
            lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT',
            vary: 'Accept',
            receivedBytes: packed.length,
          });
        },
      );
    });
  }

  it('without Content-Encoding is read as it is, with or without Content-Length', async () => {
    const image = randomBytes(300_000);
    const listener: RequestListener = ({ url }, response) => {
      if (url === '/length') response.setHeader('content-length', image.length);
      response.write(image.subarray(0, 7));
      response.end(image.subarray(7));
    };
    await withSite(listener, async ({ fetch }) => {
      for (const path of ['/length', '/']) {
        const { data, receivedBytes, contentEncoding } = await fetch(path);
        assert.deepEqual(Buffer.from(data), image);
        assert.equal(receivedBytes, image.length);
        assert.equal(contentEncoding, undefined);
      }
    });
  });

  it('with any other status is returned without its body', async () => {
    const listener: RequestListener = ({ url = '' }, response) => {
      const status = Number(url.slice(1));
      response.writeHead(status, { etag: '"a"' }).end(status === 204 || status === 304 ? undefined : 'nothing here');
    };
    await withSite(listener, async ({ fetch }) => {
      const statuses = [201, 204, 206, 300, 304, 400, 401, 403, 404, 410, 500, 502];
      for (const status of statuses) {
        const answer = await fetch(`/${status}`);
        assert.equal(answer.status, status);
        assert.equal(answer.data.byteLength, 0);
        assert.equal(answer.receivedBytes, 0);
        assert.equal(answer.etag, '"a"');
      }
    });
  });

  it('to HEAD has headers and no body', async () => {
    const listener: RequestListener = (request, response) => {
      response.writeHead(200, {
        'content-type': 'image/webp',
        'content-length': 5_000_000,
        'x-method': request.method,
      });
      response.end();
    };
    await withSite(listener, async (site) => {
      for (let times = 0; times < 2; times += 1) {
        const { status, contentType, data } = await site.fetch('/', { method: 'HEAD', maxBytes: 10 });
        assert.deepEqual([status, contentType, data.byteLength], [200, 'image/webp', 0]);
      }
      assert.equal(site.sockets.length, 1);
    });
  });
});

describe('a request', () => {
  it('sends the User-Agent and Accept headers and nothing else', async () => {
    const seen: IncomingMessage[] = [];
    const listener: RequestListener = (request, response) => {
      seen.push(request);
      response.setHeader('set-cookie', 'a=b');
      response.setHeader('www-authenticate', 'Basic');
      sendPage(request, response);
    };
    const options = { resolve: addressOf('127.0.0.1') };
    await withSite(
      listener,
      async ({ fetch, port }) => {
        for (const path of ['/a?b=1', '/c']) await fetch(`http://site.test:${port}${path}`, { accept: 'text/html' });
        for (const { headers } of seen) {
          assert.deepEqual(headers, {
            host: `site.test:${port}`,
            'user-agent': 'ImagecrewBot/test',
            accept: 'text/html',
            'accept-encoding': 'gzip, br',
            connection: 'keep-alive',
          });
        }
        assert.deepEqual(
          seen.map(({ url }) => url),
          ['/a?b=1', '/c'],
        );
      },
      options,
    );
  });

  it('accepts URLs up to the maximum length and no longer', async () => {
    await withSite(sendPage, async ({ fetch, origin }) => {
      const address = (length: number) => `${origin}/${'a'.repeat(length - origin.length - 1)}`;
      const { finalUrl } = await fetch(address(MAX_ADDRESS_LENGTH).slice(origin.length));
      assert.equal(finalUrl, normalizeAddress(address(MAX_ADDRESS_LENGTH)));
      const { message } = await failureOf('invalid_url', () =>
        fetch(address(MAX_ADDRESS_LENGTH + 1).slice(origin.length)),
      );
      assert.match(message, /of at most 8192 characters/);
      assert.equal(normalizeAddress(address(MAX_ADDRESS_LENGTH + 1)), undefined);
    });
  });

  it('sends validators to revalidate what was fetched before', async () => {
    const seen: (string | undefined)[][] = [];
    const listener: RequestListener = ({ url, headers }, response) => {
      seen.push([url, headers['if-none-match'], headers['if-modified-since']]);
      if (url === '/moved') response.writeHead(301, { location: '/' }).end();
      else response.writeHead(headers['if-none-match'] ? 304 : 200).end();
    };
    await withSite(listener, async ({ fetch, origin }) => {
      const lastModified = 'Thu, 01 Jan 2026 00:00:00 GMT';
      const finalUrl = `${origin}/`;
      const moved = await fetch('/moved', { known: { finalUrl, etag: '"a"', lastModified } });
      assert.deepEqual([moved.status, moved.finalUrl, moved.data.byteLength], [304, finalUrl, 0]);
      await fetch('/', { known: { finalUrl, etag: 'W/"b"', lastModified: null } });
      await fetch('/', { known: { finalUrl: null, etag: '"c"', lastModified } });
      await fetch('/', { known: { finalUrl: `${origin}/a`, etag: '"d"', lastModified } });
      assert.deepEqual(seen, [
        ['/moved', undefined, undefined],
        ['/', '"a"', lastModified],
        ['/', 'W/"b"', undefined],
        ['/', undefined, undefined],
        ['/', undefined, undefined],
      ]);
    });
  });
});

describe('connections', () => {
  it('are kept alive, also after responses whose body is not read', async () => {
    const listener: RequestListener = (request, response) => {
      if (request.url === '/missing') response.writeHead(404).end(Buffer.alloc(4000));
      else if (request.url === '/moved') response.writeHead(301, { location: '/' }).end('moved');
      else sendPage(request, response);
    };
    await withSite(listener, async (site) => {
      for (const path of ['/', '/missing', '/moved', '/']) await site.fetch(path);
      assert.equal(site.sockets.length, 1);
    });
  });

  it('are limited by the concurrency of the host', async () => {
    for (const concurrency of [1, 3]) {
      const running: ServerResponse[] = [];
      let most = 0;
      const listener: RequestListener = (request, response) => {
        running.push(response);
        most = Math.max(most, running.length);
        // Responds once the maximum number of requests has arrived.
        if (running.length >= concurrency) for (const held of running.splice(0)) sendPage(request, held);
      };
      await withSite(
        listener,
        async (site) => {
          await Promise.all(Array.from({ length: 12 }, () => site.fetch()));
          assert.equal(site.sockets.length, concurrency);
          assert.equal(most, concurrency);
        },
        { pace: { concurrency } },
      );
    }
  });

  it('that the server has closed while idle cause no failure', async () => {
    const served = new Map<Socket, number>();
    const listener: RequestListener = (request, response) => {
      const requests = (served.get(request.socket) ?? 0) + 1;
      served.set(request.socket, requests);
      // Simulates a server that closes an idle connection just when it is reused.
      if (requests === 2) request.socket.destroy();
      else sendPage(request, response);
    };
    await withSite(listener, async (site) => {
      for (let times = 0; times < 4; times += 1) assert.equal((await site.fetch()).status, 200);
      assert.equal(site.sockets.length, 4);
    });
  });

  // Unless the client closes it, the connection stays open until the time limit of the fetch.
  it('are closed when a long body is not needed', { timeout: 20_000 }, async () => {
    for (const head of [{}, { 'content-length': MEGABYTE }]) {
      let closed: Promise<unknown> = Promise.resolve();
      const endless: RequestListener = (_request, response) => {
        closed = once(response, 'close');
        response.writeHead(404, head).write(Buffer.alloc(100_000));
      };
      await withSite(endless, async ({ fetch }) => {
        assert.equal((await fetch()).status, 404);
        await closed;
      });
    }
  });

  it('that are idle are closed with the client', async () => {
    await withSite(sendPage, async (site) => {
      await site.fetch();
      const [kept] = site.sockets;
      const probe = () => sendRaw(site.port, 'GET / HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n');
      for (let probes = 0; probes < 20; probes += 1) await probe();
      assert.equal(kept?.destroyed, false);
      site.client.close();
      // A few requests later: the server itself would close the connection only after 5 idle seconds.
      for (let probes = 0; probes < 20 && !kept?.destroyed; probes += 1) await probe();
      assert.equal(kept?.destroyed, true);
    });
  });

  it('in use are closed with the client, and waiting requests fail', async () => {
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const listener: RequestListener = () => arrived();
    await withSite(
      listener,
      async ({ fetch, client }) => {
        const running = errorMessageOf(() => fetch());
        const queued = errorMessageOf(() => fetch());
        await arrival;
        client.close();
        for (const sentence of [running, queued]) assert.equal(await sentence, fetchError('the end of the scan'));
        assert.equal(await errorMessageOf(() => fetch()), fetchError('the end of the scan'));
      },
      { pace: { concurrency: 1 } },
    );
  });
});

describe('the size of a response', () => {
  const send = (head: Record<string, string | number>, ...chunks: Buffer[]): RequestListener => {
    return (_request, response) => {
      response.writeHead(200, head).flushHeaders();
      for (const chunk of chunks) response.write(chunk);
    };
  };

  it('may reach the limit, compressed or not', async () => {
    const text = Buffer.alloc(1000, 'a');
    const listener: RequestListener = ({ url }, response) => {
      if (url === '/packed') response.setHeader('content-encoding', 'gzip').end(gzipSync(text));
      else response.end(text);
    };
    await withSite(listener, async ({ fetch }) => {
      for (const path of ['/', '/packed']) {
        assert.equal((await fetch(path, { maxBytes: 1000 })).data.byteLength, 1000);
        const failure = await failureOf('file_too_large', () => fetch(path, { maxBytes: 999 }));
        assert.equal(failure.message, 'Expected at most 999 bytes for url but received more.');
      }
    });
  });

  // None of these responses ever ends, so the failure must come before the end.
  for (const [name, listener] of [
    ['by its Content-Length', send({ 'content-length': 1001 })],
    ['by what has come', send({}, Buffer.alloc(500), Buffer.alloc(501))],
    ['when it is unpacked', send({ 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(10_000_000)))],
    ['when it is unpacked by brotli', send({ 'content-encoding': 'br' }, brotliCompressSync(Buffer.alloc(10_000_000)))],
  ] as const) {
    it(`is refused ${name}`, async () => {
      await withSite(listener, ({ fetch }) => failureOf('file_too_large', () => fetch('/', { maxBytes: 1000 })));
    });
  }

  it('is at most 100 times its compressed size', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * MEGABYTE));
    const page = Buffer.from(`<p>${'row '.repeat(30)}</p>\n`.repeat(200));
    const listener: RequestListener = ({ url }, response) => {
      const body = url === '/bomb' ? bomb : url === '/small' ? gzipSync(Buffer.alloc(MEGABYTE)) : gzipSync(page);
      response.setHeader('content-encoding', 'gzip').end(body);
    };
    await withSite(listener, async ({ fetch }) => {
      const sentence = await errorMessageOf(() => fetch('/bomb', { maxBytes: 100 * MEGABYTE }));
      assert.equal(sentence, fetchError('a body that unpacks to more than 100 times its size'));
      // A body that is small after unpacking is not a bomb.
      assert.equal((await fetch('/small')).data.byteLength, MEGABYTE);
      assert.equal((await fetch('/page')).data.byteLength, page.length);
    });
  });
});

describe('redirects', () => {
  /** `/n` redirects to `/n-1`, and `/0` is the page. */
  const countdown: RequestListener = (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) sendPage(request, response);
    else response.writeHead([301, 302, 303, 307, 308][left % 5] ?? 301, { location: `./${left - 1}` }).end('moved');
  };

  it('are followed five times, or as often as requested', async () => {
    await withSite(countdown, async ({ fetch, origin }) => {
      for (const [path, redirects, request] of [
        ['/0', 0, {}],
        ['/5', 5, {}],
        ['/10', 10, { maxRedirects: 10 }],
        ['/0', 0, { maxRedirects: 0 }],
      ] as const) {
        const answer = await fetch(path, request);
        assert.deepEqual([answer.status, answer.finalUrl, answer.redirects], [200, `${origin}/0`, redirects]);
      }
      assert.equal(await errorMessageOf(() => fetch('/6')), fetchError('more than 5 redirects'));
      assert.equal(
        await errorMessageOf(() => fetch('/11', { maxRedirects: 10 })),
        fetchError('more than 10 redirects'),
      );
      assert.equal(await errorMessageOf(() => fetch('/1', { maxRedirects: 0 })), fetchError('more than 0 redirects'));
    });
  });

  it('in a loop fail at once', async () => {
    const hits: string[] = [];
    const circle: RequestListener = ({ url = '' }, response) => {
      hits.push(url);
      response.writeHead(302, { location: url === '/a' ? '/b#x' : '/a' }).end();
    };
    await withSite(circle, async ({ fetch }) => {
      const sentence = await errorMessageOf(() => fetch('/a', { maxRedirects: 10 }));
      assert.equal(sentence, fetchError('redirects that lead back to where they began'));
    });
    assert.deepEqual(hits, ['/a', '/b']);
  });

  it('may lead to other hosts, each with its own rate limit', async () => {
    const seen: string[] = [];
    const listener: RequestListener = (request, response) => {
      const { host = '' } = request.headers;
      seen.push(host);
      if (!host.startsWith('a.')) sendPage(request, response);
      else response.writeHead(302, { location: `http://b.test:${host.split(':')[1]}/x` }).end();
    };
    await withSite(
      listener,
      async ({ fetch, port, clock }) => {
        const answer = await fetch(`http://a.test:${port}/`);
        assert.equal(answer.finalUrl, `http://b.test:${port}/x`);
        assert.deepEqual(seen, [`a.test:${port}`, `b.test:${port}`]);
        // Both hosts are requested again only after their delays.
        const again = fetch(`http://a.test:${port}/`);
        await clock.untilWaiting(1000);
        assert.equal(seen.length, 2);
        clock.advance(1000);
        await again;
        assert.equal(seen.length, 4);
      },
      { resolve: addressOf('127.0.0.1'), pace: { delayMs: 1000 } },
    );
  });

  it('without a valid target fail', async () => {
    const to = (location?: string): RequestListener => {
      return (_request, response) => response.writeHead(302, location === undefined ? {} : { location }).end();
    };
    for (const location of [undefined, 'http://']) {
      assert.equal(await fetchFailure(to(location)), fetchError('a redirect to nowhere'));
    }
    for (const location of ['file:///etc/passwd', 'data:text/html,a', 'javascript:1', 'ftp://127.0.0.1/']) {
      await withSite(to(location), ({ fetch }) => failureOf('invalid_url', fetch));
    }
    await withSite(to('http://a:b@127.0.0.1/'), ({ fetch }) => failureOf('url_not_allowed', fetch));
  });
});

describe('a request to a faulty server', () => {
  /** Returns the message of a fetch from a server that writes raw bytes. */
  async function spoken(talk: (socket: Socket) => void, options?: Options): Promise<string> {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      socket.once('data', () => talk(socket));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const clock = new FakeClock(0);
    const client = siteClient(clock, options);
    const { signal } = new AbortController();
    try {
      return await errorMessageOf(() =>
        client.fetch({ url: `http://127.0.0.1:${port}/?secret`, accept: '*/*', maxBytes: MEGABYTE, signal }),
      );
    } finally {
      // Before the client is closed: a failed request keeps no connection.
      for (const socket of sockets) await waitForClose(socket.resume());
      client.close();
      server.close();
      assert.equal(clock.waiting, 0);
    }
  }

  const failed = fetchError('a connection that failed');
  const noHttp = fetchError('an answer that is not HTTP');

  for (const [name, talk, sentence] of [
    ['ends the connection', (socket) => socket.destroy(), failed],
    ['resets the connection', (socket) => socket.resetAndDestroy(), failed],
    ['ends in the middle of its headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'), failed],
    ['answers as HTTP/0.9', (socket) => socket.end('<html>hello</html>'), noHttp],
    ['speaks another protocol', (socket) => socket.end('220 mail.example.com ESMTP\r\n'), noHttp],
    ['sends binary nonsense', (socket) => socket.end(Buffer.from([0, 1, 2, 255, 10, 10])), noHttp],
    ['sends too many headers', (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(20_000)}`), noHttp],
    [
      'sends a header that never ends',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nA: ${'b'.repeat(200_000)}`),
      noHttp,
    ],
    [
      'promises more than it sends',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'),
      failed,
    ],
    [
      'has two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 5\r\n\r\nabcde'),
      noHttp,
    ],
    [
      'sends a chunk without a size',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
      failed,
    ],
    [
      'sends chunks that do not end',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n'),
      failed,
    ],
    [
      'goes on in another protocol',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n'),
      failed,
    ],
    [
      'packs in an unknown way',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Encoding: zip\r\nContent-Length: 1\r\n\r\na'),
      fetchError('a body with an unknown content coding'),
    ],
    [
      'packs wrongly',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde'),
      fetchError('a body that cannot be unpacked'),
    ],
    [
      'packs wrongly for brotli',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 5\r\n\r\nabcde'),
      fetchError('a body that cannot be unpacked'),
    ],
    [
      'breaks off what is packed',
      (socket) => {
        const packed = gzipSync(randomBytes(1000)).subarray(0, 500);
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`);
        socket.end(packed);
      },
      fetchError('a body that cannot be unpacked'),
    ],
  ] as [string, (socket: Socket) => void, string][]) {
    it(`fails if the server ${name}`, { timeout: 20_000 }, async () => assert.equal(await spoken(talk), sentence));
  }

  it('ignores bytes beyond the Content-Length', { timeout: 20_000 }, async () => {
    const listener: RequestListener = (request) => {
      request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcdefgh');
    };
    await withSite(listener, async ({ fetch }) => {
      assert.equal(Buffer.from((await fetch()).data).toString(), 'abcde');
    });
  });

  it('fails if there is no server', async () => {
    const port = await withServer(sendPage, async (server) => server.port);
    const unknown = { resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })) };
    await withSite(
      sendPage,
      async ({ fetch }) => {
        assert.equal(await errorMessageOf(() => fetch(`http://127.0.0.1:${port}/`)), failed);
        assert.equal(
          await errorMessageOf(() => fetch('http://nowhere.test/')),
          fetchError('no address for its host name'),
        );
      },
      unknown,
    );
  });

  it('fails if the certificate is not trusted', async () => {
    const server = createTlsServer(SELF_SIGNED, sendPage).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await withSite(sendPage, async ({ fetch }) => {
      const sentence = await errorMessageOf(() => fetch(`https://127.0.0.1:${port}/`));
      assert.equal(sentence, fetchError('a certificate or a TLS connection that is not valid'));
    });
    server.close();
    await once(server, 'close');
  });

  it('fails if the server does not speak TLS', async () => {
    await withSite(sendPage, async ({ fetch, port }) => {
      const sentence = await errorMessageOf(() => fetch(`https://127.0.0.1:${port}/`));
      assert.equal(sentence, fetchError('a certificate or a TLS connection that is not valid'));
    });
  });
});

describe('the timeout of a request', () => {
  const never = new Promise<never>(() => {});

  it('limits the DNS lookup and the connection', async () => {
    const options = { resolve: () => never, times: { connect: 50 } };
    await withSite(
      sendPage,
      async ({ fetch, port }) => {
        const sentence = await errorMessageOf(() => fetch(`http://slow.test:${port}/`));
        assert.equal(sentence, fetchError('no connection within 0.05 seconds'));
      },
      options,
    );
  });

  for (const [name, listener] of [
    ['headers that never come', () => {}],
    ['headers that come one by one', (request) => void request.socket.write('HTTP/1.1 200 OK\r\nA: b\r\n')],
    ['a body that goes on for ever', (_request, response) => void response.write(PAGE)],
    [
      'a packed body that goes on for ever',
      (_request, response) =>
        void response.setHeader('content-encoding', 'gzip').write(gzipSync(randomBytes(500)).subarray(0, 200)),
    ],
  ] as [string, RequestListener][]) {
    it(`limits ${name}`, { timeout: 20_000 }, async () => {
      let arrived = () => {};
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const noting: RequestListener = (request, response) => {
        listener(request, response);
        arrived();
      };
      await withSite(noting, async ({ fetch, clock, sockets }) => {
        const sentence = errorMessageOf(() => fetch());
        await arrival;
        clock.advance(FETCH_TIMEOUT_MS - 1);
        await new Promise((resolve) => setImmediate(resolve));
        assert.equal(sockets[0]?.destroyed ?? false, false);
        clock.advance(1);
        assert.equal(await sentence, fetchError('no complete answer within 30 seconds'));
      });
    });
  }

  it('does not apply to a body that is not needed', { timeout: 20_000 }, async () => {
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const drip: RequestListener = (request, response) => {
      if (request.url === '/probe') return sendPage(request, response);
      response.writeHead(404, { 'content-length': 10_000 }).write('a', () => arrived());
    };
    await withSite(drip, async ({ fetch, clock, port }) => {
      const answer = fetch();
      await arrival;
      // Other requests are answered meanwhile, so the status has arrived.
      for (let probes = 0; probes < 5; probes += 1) {
        await sendRaw(port, 'GET /probe HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n');
      }
      clock.advance(FETCH_TIMEOUT_MS);
      assert.equal((await answer).status, 404);
    });
  });

  it('covers all redirects together, without the waits for the rate limit', { timeout: 20_000 }, async () => {
    let site: Site | undefined;
    const paths: string[] = [];
    const listener: RequestListener = ({ url = '' }, response) => {
      paths.push(url);
      site?.clock.advance(14_000);
      if (paths.length < 3) response.writeHead(302, { location: `${url}x` }).end();
    };
    await withSite(
      listener,
      async (started) => {
        site = started;
        const { clock } = started;
        const sentence = errorMessageOf(() => started.fetch('/a'));
        // Each turn may start 10 s after the previous one began, and 14 s have passed by then.
        while (paths.length < 3) await new Promise((resolve) => setImmediate(resolve));
        assert.equal(clock.now(), Date.UTC(2026, 0, 1) + 42_000);
        assert.equal(await sentence, fetchError('no complete answer within 30 seconds'));
      },
      { pace: { delayMs: 10_000 } },
    );
  });

  it('does not delay an abort by the caller, while waiting or fetching', { timeout: 20_000 }, async () => {
    const reason = new RangeError('gone');
    const controller = new AbortController();
    let requests = 0;
    const listener: RequestListener = () => {
      requests += 1;
      controller.abort(reason);
    };
    await withSite(
      listener,
      async ({ fetch, client, origin }) => {
        const { signal } = controller;
        const works = [fetch('/a', { signal }), fetch('/b', { signal }), client.robots(origin, signal)];
        for (const work of works) await assert.rejects(work, reason);
        await assert.rejects(fetch('/c', { signal }), reason);
        assert.equal(requests, 1);
      },
      { pace: { concurrency: 1 } },
    );
  });
});

describe('a host that is too busy', () => {
  /** Responds with each status in turn, then repeats the last one. Records the times. */
  function busy(clock: () => FakeClock, ...answers: [status: number, retryAfter?: string | undefined][]) {
    const seen: string[] = [];
    const listener: RequestListener = (request, response) => {
      const [status, retryAfter] = answers[Math.min(seen.length, answers.length - 1)] ?? [200];
      seen.push(`${request.url} ${status} ${clock().now() - Date.UTC(2026, 0, 1)}`);
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end('busy');
    };
    return { seen, listener };
  }

  for (const [name, retryAfter, wait] of [
    ['as many seconds as it says', '7', 7000],
    ['until the date that it says', 'Thu, 01 Jan 2026 00:00:09 GMT', 9000],
    ['a minute at most', '3600', 60_000],
    ['a minute at most for a date', 'Fri, 01 Jan 2027 00:00:00 GMT', 60_000],
    ['5 seconds where it says nothing', undefined, 5000],
    ['5 seconds where it says what cannot be read', 'soon', 5000],
  ] as const) {
    it(`is retried after ${name}`, { timeout: 20_000 }, async () => {
      for (const status of [429, 503]) {
        let clock = new FakeClock(0);
        const { seen, listener } = busy(() => clock, [status, retryAfter], [200]);
        await withSite(listener, async (site) => {
          clock = site.clock;
          const answer = site.fetch('/a');
          await clock.untilWaiting(wait);
          clock.advance(wait);
          assert.equal((await answer).status, 200);
          assert.deepEqual(seen, [`/a ${status} 0`, `/a 200 ${wait}`]);
        });
      }
    });
  }

  it('is retried at once if Retry-After is a past date', { timeout: 20_000 }, async () => {
    const { listener } = busy(() => new FakeClock(0), [503, 'Wed, 31 Dec 2025 00:00:00 GMT'], [200]);
    await withSite(listener, async ({ fetch }) => assert.equal((await fetch()).status, 200));
  });

  it('is given up when two URLs get such responses alone, three each', { timeout: 20_000 }, async () => {
    let clock = new FakeClock(0);
    const { seen, listener } = busy(() => clock, [429, '60']);
    await withSite(
      listener,
      async (site) => {
        clock = site.clock;
        const first = site.fetch('/a');
        const second = site.fetch('/b');
        const third = errorMessageOf(() => site.fetch('/c'));
        for (let waits = 0; waits < 5; waits += 1) {
          await clock.untilWaiting(60_000);
          assert.equal(site.client.hasStopped, false);
          clock.advance(60_000);
        }
        assert.deepEqual([(await first).status, (await second).status], [429, 429]);
        const sentence = fetchError('status 429 again and again, so that its host is not asked any more');
        assert.equal(await third, sentence);
        assert.equal(await errorMessageOf(() => site.fetch('/d')), sentence);
        assert.equal(site.client.hasStopped, true);
        const paths = seen.map((each) => each.slice(0, 2));
        assert.deepEqual(paths, ['/a', '/a', '/a', '/b', '/b', '/b']);
        // Another host is not affected.
        const elsewhere = site.fetch(`http://localhost:${site.port}/`);
        await clock.untilWaiting(60_000);
        assert.equal(seen.length, 7);
        site.client.close();
        await errorMessageOf(() => elsewhere);
      },
      { pace: { concurrency: 1 }, resolve: addressOf('127.0.0.1') },
    );
  });

  it('is not given up for one URL, and optional URLs are not retried', { timeout: 20_000 }, async () => {
    const seen: string[] = [];
    const listener: RequestListener = ({ url }, response) => {
      seen.push(`${url}`);
      response.writeHead(url === '/ok' ? 200 : 503, { 'retry-after': '0' }).end();
    };
    await withSite(listener, async ({ fetch, clock, client }) => {
      /** Advances the clock past the delay, which grows with every such response. */
      const asked = async (path: string, request?: Partial<SiteFetch>) => {
        const answer = fetch(path, request);
        const before = seen.length;
        for (let times = 0; times < 3; times += 1) {
          clock.advance(10_000);
          for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
        }
        return { answer, before };
      };
      const statuses: number[] = [];
      for (const [path, request] of [
        ['/a', {}],
        ['/ok', {}],
        ['/b', {}],
        ['/icon', { optional: true }],
        ['/icon', { optional: true, method: 'HEAD' }],
        ['/ok', {}],
      ] as const) {
        const { answer } = await asked(path, request);
        statuses.push((await answer).status);
      }
      assert.deepEqual(statuses, [503, 200, 503, 503, 503, 200]);
      assert.deepEqual(seen, ['/a', '/a', '/a', '/ok', '/b', '/b', '/b', '/icon', '/icon', '/ok']);
      assert.equal(client.hasStopped, false);
    });
  });

  it('gets requests at half the rate from then on', { timeout: 20_000 }, async () => {
    let clock = new FakeClock(0);
    const { seen, listener } = busy(() => clock, [200], [503, '2'], [200]);
    await withSite(
      listener,
      async (site) => {
        clock = site.clock;
        await site.fetch('/a');
        const works = ['/b', '/c', '/d'].map((path) => site.fetch(path));
        for (const wait of [300, 2000, 600, 600]) {
          await clock.untilWaiting(wait);
          clock.advance(wait);
        }
        await Promise.all(works);
        assert.deepEqual(seen, ['/a 200 0', '/b 503 300', '/b 200 2300', '/c 200 2900', '/d 200 3500']);
      },
      { pace: { concurrency: 1, delayMs: 300 } },
    );
  });
});

describe('robots.txt', () => {
  /** A website with this robots.txt. Records each request for it. */
  function robotsSite(answer: (response: ServerResponse, times: number) => void) {
    const asked: string[] = [];
    const listener: RequestListener = (request, response) => {
      if (request.url === '/robots.txt') answer(response, asked.push(request.headers['user-agent'] ?? ''));
      else sendPage(request, response);
    };
    return { asked, listener };
  }

  const { signal } = new AbortController();
  const options = { isExempt: () => false };

  it('is read once per host', async () => {
    const { asked, listener } = robotsSite((response) =>
      response.end(
        'User-agent: ImagecrewBot\nDisallow: /private\nSitemap: /map.xml\nSitemap: https://cdn.test/map.xml # a\nSitemap: http://[',
      ),
    );
    await withSite(
      listener,
      async ({ client, origin }) => {
        const all = await Promise.all(['/', '/a', '/b?c'].map((path) => client.robots(origin + path, signal)));
        assert.deepEqual(asked, ['ImagecrewBot/test']);
        for (const { allows, sitemaps } of all) {
          assert.equal(allows(`${origin}/private/a`), false);
          assert.equal(allows(`${origin}/?private#/private`), true);
          assert.equal(allows('no address'), false);
          assert.deepEqual(sitemaps, [`${origin}/map.xml`, 'https://cdn.test/map.xml']);
        }
      },
      options,
    );
  });

  it('is read again after a day', async () => {
    const { asked, listener } = robotsSite((response, times) => response.end(`User-agent: *\nDisallow: /${times}`));
    await withSite(
      listener,
      async ({ client, origin, clock }) => {
        const day = 24 * 60 * 60 * 1000;
        for (const [pass, forbidden] of [
          [0, '/1'],
          [day - 1, '/1'],
          [1, '/2'],
        ] as const) {
          clock.advance(pass);
          assert.equal((await client.robots(origin, signal)).allows(origin + forbidden), false);
        }
        assert.equal(asked.length, 2);
      },
      options,
    );
  });

  it('that does not exist allows everything', async () => {
    for (const status of [400, 401, 403, 404, 410, 204]) {
      const { listener } = robotsSite((response) => {
        response.writeHead(status).end(status === 204 ? undefined : 'User-agent: *\nDisallow: /');
      });
      await withSite(
        listener,
        async ({ client, origin }) => {
          const { allows, sitemaps } = await client.robots(origin, signal);
          assert.equal(allows(`${origin}/a`), true);
          assert.deepEqual(sitemaps, []);
        },
        options,
      );
    }
  });

  it('that cannot be read forbids everything, and is not requested again', async () => {
    for (const [answer, received] of [
      [(response) => response.writeHead(500).end('User-agent: *\nAllow: /'), 'status 500'],
      [(response) => response.writeHead(502).end(), 'status 502'],
      [(response) => response.destroy(), 'a connection that failed'],
      [
        (response) => response.writeHead(302, { location: '/robots.txt' }).end(),
        'redirects that lead back to where they began',
      ],
      [
        (response) => response.end(`User-agent: *\n${'Disallow: *a\n'.repeat(3000)}`),
        'one with more than 2000 wildcards',
      ],
    ] as [(response: ServerResponse) => void, string][]) {
      const { asked, listener } = robotsSite(answer);
      await withSite(
        listener,
        async ({ client, origin }) => {
          for (let times = 0; times < 2; times += 1) {
            const sentence = await errorMessageOf(() => client.robots(origin, signal));
            assert.equal(sentence, `Expected a robots.txt that can be read for url but received ${received}.`);
          }
          assert.equal(asked.length, 1);
        },
        options,
      );
    }
    await withSite(
      sendPage,
      ({ client }) => failureOf('url_not_allowed', () => client.robots('http://10.0.0.1/', signal)),
      options,
    );
  });

  it('forbids everything if its host is too busy to send it', { timeout: 20_000 }, async () => {
    for (const status of [429, 503]) {
      const { asked, listener } = robotsSite((response) => response.writeHead(status, { 'retry-after': '60' }).end());
      await withSite(
        listener,
        async ({ client, origin, clock }) => {
          const sentence = errorMessageOf(() => client.robots(origin, signal));
          for (let waits = 0; waits < 2; waits += 1) {
            await clock.untilWaiting(60_000);
            clock.advance(60_000);
          }
          assert.equal(await sentence, `Expected a robots.txt that can be read for url but received status ${status}.`);
          assert.equal(asked.length, 3);
        },
        options,
      );
    }
  });

  it('may be reached over five redirects, and applies to the requested host', async () => {
    const listener: RequestListener = ({ url = '' }, response) => {
      const left = url === '/robots.txt' ? 5 : Number(url.slice(1));
      if (left === 0) response.end('User-agent: *\nDisallow: /a');
      else response.writeHead(301, { location: `/${left - 1}` }).end();
    };
    await withSite(
      listener,
      async ({ client, origin }) => {
        assert.equal((await client.robots(origin, signal)).allows(`${origin}/a`), false);
      },
      options,
    );
  });

  it('is read up to 500 KiB, without the line cut off there', async () => {
    const limit = 500 * 1024;
    const head = 'User-agent: *\nDisallow: /first\n#';
    const cut = 'Disallow: /';
    const body = `${head}${'x'.repeat(limit - head.length - 1 - cut.length)}\n${cut}last\nDisallow: /later\n`;
    assert.equal(body.indexOf(cut, 100) + cut.length, limit);
    for (const coded of [false, true]) {
      const { listener } = robotsSite((response) => {
        if (coded) response.setHeader('content-encoding', 'gzip').end(gzipSync(body));
        else response.end(body);
      });
      await withSite(
        listener,
        async ({ client, origin }) => {
          const { allows } = await client.robots(origin, signal);
          const allowed = ['/first', '/last', '/later', '/'].map((path) => allows(origin + path));
          assert.deepEqual(allowed, [false, true, true, true]);
        },
        options,
      );
    }
  });

  it('sets the delay of its host, at most 10 seconds', { timeout: 20_000 }, async () => {
    for (const [seconds, wait] of [
      [3, 3000],
      [60, 10_000],
      [0.1, 500],
    ] as const) {
      const { listener } = robotsSite((response) => response.end(`User-agent: *\nCrawl-delay: ${seconds}`));
      await withSite(
        listener,
        async ({ client, origin, clock, fetch }) => {
          await client.robots(origin, signal);
          const page = fetch('/a');
          await clock.untilWaiting(wait);
          clock.advance(wait);
          await page;
        },
        { ...options, pace: { delayMs: 500 } },
      );
    }
  });

  it('is checked for every URL of a fetch, including redirects', async () => {
    const seen: string[] = [];
    const listener: RequestListener = ({ url = '', headers: { host = '' } }, response) => {
      const [name, port] = host.split(':');
      seen.push(`${name}${url}`);
      if (url === '/robots.txt') response.end(`User-agent: *\nDisallow: /no`);
      else if (url === '/image') response.writeHead(302, { location: `http://b.test:${port}/no/image` }).end();
      else response.end();
    };
    const isExempt = ({ pathname }: URL) => pathname === '/no/exempt';
    await withSite(
      listener,
      async ({ fetch, port }) => {
        for (const path of ['/image', '/no/a']) {
          const failure = await failureOf('url_fetch_failed', () => fetch(`http://a.test:${port}${path}`));
          assert.ok(failure instanceof RobotsForbidden);
          assert.equal(
            failure.finalUrl,
            path === '/image' ? `http://b.test:${port}/no/image` : `http://a.test:${port}/no/a`,
          );
        }
        assert.equal((await fetch(`http://a.test:${port}/no/exempt`)).status, 200);
        assert.equal((await fetch(`http://c.test:${port}/no/exempt`)).status, 200);
        assert.deepEqual(seen, [
          'a.test/robots.txt',
          'a.test/image',
          'b.test/robots.txt',
          'a.test/no/exempt',
          'c.test/no/exempt',
        ]);
      },
      { resolve: addressOf('127.0.0.1'), isExempt },
    );
  });

  it('is ignored for exempt hosts, but its sitemaps are read', { timeout: 20_000 }, async () => {
    const { listener } = robotsSite((response, times) => {
      if (times === 1) response.end('User-agent: *\nDisallow: /\nCrawl-delay: 9\nSitemap: /map.xml');
      else response.writeHead(500).end();
    });
    await withSite(listener, async ({ client, origin, fetch, clock }) => {
      const { allows, sitemaps } = await client.robots(origin, signal);
      assert.equal(allows(`${origin}/a`), true);
      assert.deepEqual(sitemaps, [`${origin}/map.xml`]);
      await fetch('/a');
      clock.advance(48 * 60 * 60 * 1000);
      assert.equal((await client.robots(origin, signal)).allows(`${origin}/a`), true);
    });
  });
});
