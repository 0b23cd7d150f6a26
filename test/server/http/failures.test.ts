import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Failure, STATUS_BY_CODE } from '../../../base/failure.ts';
import { createApp } from '../../../server/app.ts';
import { boundAnswer } from '../../../server/http/server.ts';
import { createLog } from '../../../server/log.ts';
import { withServer } from '../../support/http-server.ts';
import { withService } from '../../support/service.ts';
import { closed, openSocket, type RawResponse, readResponse, sendRaw } from '../../support/socket.ts';
import { verifies } from '../../support/verifies.ts';

const COMPRESS = '/api/v1/compress';
const upload = { method: 'POST', body: 'bytes' };

/** Checks that a response is a complete error object. */
function assertError({ status, headers, body }: RawResponse, code: string): void {
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  const { error, ...rest } = JSON.parse(body);
  assert.deepEqual(rest, {});
  assert.equal(error.code, code);
  assert.equal(status, STATUS_BY_CODE[code as keyof typeof STATUS_BY_CODE]);
  assert.match(error.message, /^[A-Z].+[.]$/);
  assert.match(error.hint, /^[A-Z].+[.?]$/);
  assert.equal(error.request_id, headers.get('x-request-id'));
  assert.match(error.request_id, /^req_[0-9A-HJKMNP-TV-Z]{26}$/);
}

async function answerOf(response: Response): Promise<RawResponse> {
  return { status: response.status, headers: response.headers, body: await response.text() };
}

describe('the error object', () => {
  it('is returned for unknown paths and wrong methods', async () => {
    verifies('error.object', 'error.unknown-path', 'error.wrong-method', 'header.x-request-id.errors');
    await withService(async ({ call }) => {
      for (const path of ['/nothing', '/api', '/api/v1/nothing', '/api/v1/files', '/healthz/x', '/%zz', '//'])
        assertError(await answerOf(await call(path)), 'not_found');
      for (const [path, method, allow] of [
        [COMPRESS, 'GET', 'POST'],
        [COMPRESS, 'OPTIONS', 'POST'],
        [COMPRESS, 'PROPFIND', 'POST'],
        ['/healthz', 'POST', 'HEAD, GET'],
        ['/api/v1/files/file_1', 'PUT', 'HEAD, GET, DELETE'],
      ] as const) {
        const answer = await answerOf(await call(path, { method }));
        assertError(answer, 'method_not_allowed');
        assert.equal(answer.headers.get('allow'), allow);
      }
    });
  });

  it('is returned for requests without a key or with an invalid one', async () => {
    verifies('auth.required', 'auth.bearer');
    await withService(async ({ origin, engine, keys }) => {
      for (const path of [COMPRESS, '/api/v1/formats', '/api/v1/files/file_1']) {
        const init = path === COMPRESS ? upload : {};
        assertError(await answerOf(await fetch(origin + path, init)), 'missing_key');
        for (const key of ['Bearer nonsense', `Bearer ${keys.free.slice(0, -1)}`, `Basic ${keys.free}`]) {
          const code = key.startsWith('Basic') ? 'missing_key' : 'invalid_key';
          assertError(await answerOf(await fetch(origin + path, { ...init, headers: { authorization: key } })), code);
        }
      }
      assert.equal(engine.calls.length, 0);
    });
  });

  it('reports every failure of an operation, with Retry-After where it applies', async () => {
    verifies('error.classes', 'error.retry-after.503');
    await withService(async ({ call, engine }) => {
      for (const code of ['corrupt_image', 'image_too_large', 'processing_timeout', 'overloaded'] as const) {
        engine.behave = async () => {
          throw new Failure(code, 'Expected this for that but received something else.', {
            param: 'image',
            retryAfter: 6.2,
          });
        };
        const answer = await answerOf(await call(COMPRESS, upload));
        assertError(answer, code);
        assert.equal(JSON.parse(answer.body).error.param, 'image');
        assert.equal(answer.headers.get('retry-after'), code === 'overloaded' ? '7' : null);
        assert.equal(answer.headers.get('x-quota-meter'), 'none');
      }
    });
  });

  it('hides the details of internal errors, which are logged', async () => {
    await withService(async ({ call, engine, logged }) => {
      engine.behave = async () => {
        throw new TypeError('secret /home/path');
      };
      const answer = await answerOf(await call(COMPRESS, upload));
      assertError(answer, 'internal_error');
      assert.doesNotMatch(answer.body, /secret|TypeError|home/);
      const line = logged().find(({ level }) => level === 50);
      assert.match(JSON.stringify(line), /secret/);
      assert.equal(line?.request_id, answer.headers.get('x-request-id'));
    });
  });

  it('is returned for parameters where none are allowed', async () => {
    await withService(async ({ call }) => {
      for (const path of [
        '/healthz',
        '/readyz',
        '/metrics',
        '/openapi.json',
        '/api/v1/formats',
        '/api/v1/files/file_1',
      ])
        assertError(await answerOf(await call(`${path}?verbose=1`)), 'invalid_parameter');
    });
  });

  it('is returned for invalid parameters before the body has been sent', async () => {
    await withService(async ({ port, keys }) => {
      const lines = [
        `POST ${COMPRESS}?quality=0 HTTP/1.1`,
        'Host: a',
        `Authorization: Bearer ${keys.free}`,
        'Content-Length: 1000',
        '',
        '',
      ];
      const answer = await sendRaw(port, lines.join('\r\n'));
      assertError(answer, 'invalid_parameter');
      assert.equal(answer.headers.get('connection'), 'close');
    });
  });

  it('is returned for parameters that exclude each other', async () => {
    await withService(async ({ call }) => {
      const answer = await answerOf(await call(`${COMPRESS}?print_width=100&width=800`, upload));
      assertError(answer, 'conflicting_parameters');
      assert.equal(JSON.parse(answer.body).error.param, 'print_width');
    });
  });
});

describe('malformed HTTP', () => {
  const malformed: Record<string, string> = {
    'no HTTP at all': 'hello\r\n\r\n',
    'a TLS greeting': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'an unknown method': 'BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n',
    'a wrong version': 'GET / HTTP/9.1\r\nHost: a\r\n\r\n',
    'a space in a header name': 'GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n',
    'two lengths': 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'a length and chunks':
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'headers without end': `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}`,
    'no Host': 'GET /healthz HTTP/1.1\r\n\r\n',
    'an empty Host': 'GET /healthz HTTP/1.1\r\nHost:\r\n\r\n',
    'an empty Host in HTTP/1.0': 'GET /healthz HTTP/1.0\r\nHost:\r\n\r\n',
    'two Hosts': 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    'the same Host twice': 'GET /healthz HTTP/1.1\r\nHost: a\r\nhOST: a\r\n\r\n',
    'two Hosts in HTTP/1.0': 'GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n',
    'a Host with a path': 'GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n',
    'a Host with a user': 'GET /healthz HTTP/1.1\r\nHost: user@a\r\n\r\n',
    'a Host with a space': 'GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n',
    'a Host of two': 'GET /healthz HTTP/1.1\r\nHost: a:80:80\r\n\r\n',
    'the version 2.0': 'GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n',
    'the version 0.9': 'GET /healthz HTTP/0.9\r\nHost: a\r\n\r\n',
    'no version': 'GET /healthz\r\n\r\n',
    'no version, with headers': 'GET /healthz\r\nHost: a\r\n\r\n',
  };
  for (const [what, request] of Object.entries(malformed)) {
    it(`with ${what} gets the error object`, async () => {
      verifies('error.malformed-request');
      await withService(async ({ port }) => assertError(await sendRaw(port, request), 'invalid_request'));
    });
  }

  const wellFormed: Record<string, string> = {
    'HTTP/1.0 without Host': 'GET /healthz HTTP/1.0\r\n\r\n',
    'HTTP/1.0 with Host': 'GET /healthz HTTP/1.0\r\nHost: a.example:8080\r\n\r\n',
    'a name with a port': 'GET /healthz HTTP/1.1\r\nHost: a-b_c.example:65535\r\n\r\n',
    'an IPv4 address': 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    'an IPv6 address': 'GET /healthz HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n',
  };
  for (const [what, request] of Object.entries(wellFormed)) {
    it(`does not include ${what}`, async () => {
      await withService(async ({ port }) => assert.equal((await sendRaw(port, request)).status, 200));
    });
  }

  it('closes the connection if a proxy could read the request differently', async () => {
    await withService(async ({ port }) => {
      const { headers } = await sendRaw(port, malformed['two Hosts']!);
      assert.equal(headers.get('connection'), 'close');
    });
  });

  it('in the middle of a body gets the error object and ends the request', async () => {
    verifies('error.malformed-request');
    await withService(async ({ port, keys, engine, http }) => {
      const lines = [
        `POST ${COMPRESS} HTTP/1.1`,
        'Host: a',
        `Authorization: Bearer ${keys.free}`,
        'Transfer-Encoding: chunked',
        '',
        '3\r\nabc\r\nnonsense\r\n',
      ];
      assertError(await sendRaw(port, lines.join('\r\n')), 'invalid_request');
      await http.drain(10_000);
      assert.equal(engine.calls.length, 0);
    });
  });

  it('never corrupts a response that has begun', async () => {
    await withService(async ({ port, keys, call, services }) => {
      const account = (await services.authenticate(`Bearer ${keys.free}`)).account;
      const data = new ArrayBuffer(20_000_000);
      const { id } = await services.results.put(account.id, {
        data,
        filename: 'a.png',
        contentType: 'image/png',
        format: 'png',
        width: 1,
        height: 1,
      });
      const socket = await openSocket(port);
      socket.write(`GET /api/v1/files/${id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${keys.free}\r\n\r\n`);
      const [first] = await once(socket, 'data');
      let rest = '';
      socket.on('data', (chunk) => {
        rest += chunk.toString('latin1');
      });
      socket.write('nonsense\r\n\r\n');
      await closed(socket);
      assert.match(String(first), /^HTTP\/1\.1 200 /);
      assert.doesNotMatch(rest, /HTTP\/1\.1|invalid_request/);
      assert.equal((await call('/healthz')).status, 200);
    });
  });
});

describe('the request id', () => {
  it("is the caller's own if it is valid, on successes and failures", async () => {
    verifies('header.x-request-id', 'header.x-request-id.errors');
    await withService(async ({ call, logged }) => {
      for (const path of ['/healthz', '/nothing']) {
        for (const id of ['a', 'A-z_0.9', 'x'.repeat(128)]) {
          const answer = await call(path, { headers: { 'x-request-id': id } });
          assert.equal(answer.headers.get('x-request-id'), id);
          await answer.text();
        }
        for (const id of ['', 'x'.repeat(129), 'a b', 'a/b', 'é']) {
          const answer = await call(path, { headers: { 'x-request-id': id } });
          assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
          await answer.text();
        }
      }
      assert.ok(logged().some(({ request_id: id }) => id === 'A-z_0.9'));
    });
  });

  it('differs from request to request', async () => {
    await withService(async ({ call }) => {
      const ids = await Promise.all(
        Array.from({ length: 20 }, async () => (await call('/healthz')).headers.get('x-request-id')),
      );
      assert.equal(new Set(ids).size, 20);
    });
  });
});

describe('a connection', () => {
  it('carries several requests and returns the responses in order', async () => {
    await withService(async ({ port, keys, engine }) => {
      let release = () => {};
      engine.behave = () => new Promise((resolve) => (release = () => resolve({})));
      const socket = await openSocket(port);
      const key = `Authorization: Bearer ${keys.free}`;
      socket.write(
        `POST ${COMPRESS} HTTP/1.1\r\nHost: a\r\n${key}\r\nX-Request-Id: first\r\nContent-Length: 3\r\n\r\nabc`,
      );
      socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nX-Request-Id: second\r\n\r\n');
      socket.write('GET /nothing HTTP/1.1\r\nHost: a\r\nX-Request-Id: third\r\n\r\n');
      while (engine.calls.length === 0) await new Promise(setImmediate);
      release();
      for (const id of ['first', 'second', 'third'])
        assert.equal((await readResponse(socket)).headers.get('x-request-id'), id);
      socket.destroy();
    });
  });

  it('that is closed cancels its task', async () => {
    await withService(async ({ port, keys, engine, http, services, logged }) => {
      const socket = await openSocket(port);
      const cancelled = new Promise<unknown>((resolve) => {
        engine.behave = ({ options: { signal } }) =>
          new Promise((_, reject) => {
            signal?.addEventListener('abort', () => {
              resolve(signal.reason);
              reject(new Error('cancelled'));
            });
            socket.destroy();
          });
      });
      socket.write(
        `POST ${COMPRESS} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${keys.free}\r\nContent-Length: 3\r\n\r\nabc`,
      );
      assert.equal(((await cancelled) as Error).name, 'ClientGone');
      await http.drain(10_000);
      assert.equal(services.uploads.heldBytes, 0);
      const lines = logged();
      assert.equal(lines.at(-1)?.status, 499);
      assert.ok(lines.every(({ level }) => level === 30));
    });
  });

  it('that stays open cancels nothing', async () => {
    await withService(async ({ call, engine }) => {
      await (await call(COMPRESS, upload)).arrayBuffer();
      assert.equal(engine.calls[0]?.options.signal?.aborted, false);
      assert.equal(engine.calls[0]?.options.lane, 'interactive');
    });
  });
});

describe('a client that does not read its response', () => {
  const LARGE = 40 * 2 ** 20;

  it('keeps the memory of the result reserved until it disconnects', async () => {
    await withService(
      async ({ call, engine, services, keys, port }) => {
        engine.behave = async () => ({ data: new ArrayBuffer(LARGE) });
        const socket = await openSocket(port);
        socket.write(
          `POST ${COMPRESS} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${keys.free}\r\nContent-Length: 3\r\n\r\nabc`,
        );
        await once(socket, 'readable');
        assert.equal(services.uploads.heldBytes, LARGE);
        assertError(await answerOf(await call(COMPRESS, upload)), 'overloaded');
        socket.destroy();
        while (services.uploads.heldBytes > 0) await new Promise(setImmediate);
        assert.equal((await (await call(COMPRESS, upload)).arrayBuffer()).byteLength, LARGE);
      },
      { env: { IC_UPLOAD_BYTES: String(64 * 2 ** 20) } },
    );
  });

  it('has a time limit that depends on the size, even if it reads a little now and then', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    await withServer(
      (_req, res) => {
        res.flushHeaders();
        boundAnswer(res, 32 * 1024 * 100);
      },
      async ({ port }) => {
        const socket = await openSocket(port);
        socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await once(socket, 'data');
        mock.timers.tick(159_999);
        await new Promise(setImmediate);
        assert.equal(socket.closed, false);
        mock.timers.tick(1);
        await closed(socket);
      },
    );
  });
});

describe('a client of an endless response', () => {
  it('is kept as long as it reads', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    await withServer(
      (_req, res) => {
        res.flushHeaders();
        boundAnswer(res, undefined);
      },
      async ({ port }) => {
        const socket = await openSocket(port);
        socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
        await once(socket, 'data');
        mock.timers.tick(3_600_000);
        await new Promise(setImmediate);
        assert.equal(socket.closed, false);
      },
    );
  });
});

describe('the log of errors', () => {
  it('does not contain clients that disconnected during their response', async () => {
    await withService(async ({ services }) => {
      const lines: string[] = [];
      const app = createApp([], services, createLog('info', { write: (line) => lines.push(line) }));
      for (const code of ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'EIO'])
        app.emit('error', Object.assign(new Error(code), { code }));
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).err.message),
        ['EIO'],
      );
    });
  });
});

describe('draining', () => {
  it('finishes running requests, rejects new ones, and still reports its health', async () => {
    await withService(async ({ call, engine, services, http, port }) => {
      let release = () => {};
      engine.behave = () => new Promise((resolve) => (release = () => resolve({})));
      const running = call(COMPRESS, upload);
      while (engine.calls.length === 0) await new Promise(setImmediate);
      services.lifecycle = 'draining';
      const drained = http.drain(10_000);

      const refused = await call('/api/v1/formats');
      assert.equal(refused.headers.get('connection'), 'close');
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      assertError(await answerOf(refused), 'shutting_down');
      assert.equal((await call('/readyz')).status, 503);
      assert.equal((await call('/healthz')).status, 200);
      const idle = await openSocket(port);

      release();
      const finished = await running;
      assert.equal(finished.status, 200);
      assert.equal(finished.headers.get('connection'), 'close');
      await finished.arrayBuffer();
      await drained;
      await http.close();
      await closed(idle);
    });
  });

  it('waits no longer than configured', async () => {
    await withService(async ({ call, engine, http }) => {
      engine.behave = () => new Promise(() => {});
      const running = call(COMPRESS, upload).catch(() => 'cut off');
      while (engine.calls.length === 0) await new Promise(setImmediate);
      await http.drain(0);
      await http.close();
      assert.equal(await running, 'cut off');
    });
  });
});
