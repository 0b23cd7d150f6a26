import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { discardRest } from '../../../server/http/unread.ts';
import { type TestService, withService } from '../../support/service.ts';
import { closed, openSocket, readResponse, sendRaw } from '../../support/socket.ts';

const MIB = 2 ** 20;
const CHUNKS = 100;

describe('the rest of a rejected body', () => {
  it('is read at full speed first, then at a limited rate, and abandoned after five seconds', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    let read = 0;
    const chunks = function* () {
      for (; read < CHUNKS; read += 1) yield new Uint8Array(MIB);
    };
    const body = Readable.from(chunks(), { highWaterMark: 1 });
    const discarded = discardRest(body);
    const paused = () => new Promise((resolve) => body.once('pause', resolve));
    await paused();
    const first = read;
    assert.ok(first >= 32 && first < 40, `${first}`);
    context.mock.timers.tick(400);
    await paused();
    assert.ok(read > first && read < first + 8, `${read}`);
    context.mock.timers.tick(5000);
    await discarded;
    assert.ok(read < CHUNKS);
  });

  it('is no longer read once the client has disconnected', async () => {
    const body = new Readable({ read() {} });
    const discarded = discardRest(body);
    body.destroy();
    await discarded;
  });
});

describe('a request whose body is not read', { timeout: 60_000 }, () => {
  const FILE = new Uint8Array(100_000).fill(7);

  async function putFile({ services, keys }: TestService): Promise<string> {
    const { account } = await services.authenticate(`Bearer ${keys.free}`);
    const described = { filename: 'a.png', contentType: 'image/png', format: 'png', width: 1, height: 1 } as const;
    return (await services.results.put(account.id, { ...described, data: FILE.slice().buffer })).id;
  }

  const bodyLength = (head: string, lines: readonly string[]) =>
    lines[0]!.startsWith('HEAD') ? 0 : Number(/^Content-Length: (\d+)$/im.exec(head)?.[1] ?? 0);

  /**
   * Sends a request with an endless body until the connection is closed, and returns the response.
   * The clock advances only after the whole response has arrived: the reset at the end would drop unread bytes.
   */
  async function answerWhileSending(
    { port }: TestService,
    lines: readonly string[],
    tick: () => void,
  ): Promise<string> {
    const socket = await openSocket(port);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.write([...lines, 'Host: a', 'Content-Length: 900000000000', '', ''].join('\r\n'));
    await once(socket, 'data');
    const pump = () => {
      while (!socket.destroyed && socket.write(FILE));
    };
    socket.on('drain', pump);
    pump();
    while (!socket.closed) {
      await new Promise(setImmediate);
      const [head = '', body] = answer.split('\r\n\r\n');
      if (body !== undefined && body.length >= bodyLength(head, lines)) tick();
    }
    return answer;
  }

  const requests: Record<string, [status: number, (service: TestService, file: string) => string[]]> = {
    'an answer': [200, () => ['GET /healthz HTTP/1.1']],
    'an answer to HEAD': [200, () => ['HEAD /healthz HTTP/1.1']],
    'a failure': [404, () => ['GET /nothing HTTP/1.1']],
    'a failure of HEAD': [404, () => ['HEAD /nothing HTTP/1.1']],
    'an answer that the client has': [304, () => ['GET /api/v1/id-photo HTTP/1.1', 'If-None-Match: *']],
    'an answer without content': [
      204,
      () => ['OPTIONS /api/v1/compress HTTP/1.1', 'Origin: https://a.example', 'Access-Control-Request-Method: POST'],
    ],
    'a file': [200, ({ keys }, file) => [`GET /api/v1/files/${file} HTTP/1.1`, `Authorization: Bearer ${keys.free}`]],
  };
  for (const [what, [status, linesOf]] of Object.entries(requests))
    it(`closes its connection after ${what}`, async ({ mock }) => {
      await withService(
        async (service) => {
          const lines = linesOf(service, await putFile(service));
          mock.timers.enable({ apis: ['setTimeout'] });
          const answer = await answerWhileSending(service, lines, () => mock.timers.tick(5000));
          const [head = '', body = ''] = answer.split('\r\n\r\n');
          assert.match(head, new RegExp(`^HTTP/1.1 ${status} `));
          assert.match(head, /^Connection: close$/im);
          assert.equal(!/^Content-Length: \d+$/im.test(head), [204, 304].includes(status));
          assert.equal(body.length, bodyLength(head, lines));
          assert.doesNotMatch(head, /^Transfer-Encoding/im);
        },
        { env: { IC_CORS_ORIGINS: 'https://a.example' } },
      );
    });

  const head = 'GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n';

  it('keeps its connection if the whole body has arrived', async () => {
    await withService(async ({ port }) => {
      const socket = await openSocket(port);
      for (const _ of [1, 2]) {
        socket.write(`${head}\r\nhello`);
        const { status, headers } = await readResponse(socket);
        assert.deepEqual([status, headers.get('connection')], [200, 'keep-alive']);
      }
      socket.destroy();
    });
  });

  it('gets its response before the body arrives, then the connection is closed', async () => {
    await withService(async ({ port }) => {
      const socket = await openSocket(port);
      socket.write(`${head}\r\nhe`);
      const { status, headers } = await readResponse(socket);
      assert.deepEqual([status, headers.get('connection')], [200, 'close']);
      socket.write('llo');
      await closed(socket);
    });
  });

  it('gets no 100 Continue', async () => {
    await withService(async ({ port }) => {
      const { status, headers } = await sendRaw(port, `${head}Expect: 100-continue\r\n\r\n`);
      assert.deepEqual([status, headers.get('connection')], [200, 'close']);
    });
  });
});
