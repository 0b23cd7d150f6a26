import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { loadConfig } from '../../../server/config.ts';
import { ClientAddresses } from '../../../server/http/client-address.ts';
import { type HttpTimeouts, startHttpServer } from '../../../server/http/server.ts';
import { closed, openSocket, readResponse, sendRaw } from '../../support/socket.ts';

const PING = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const answerOk: RequestListener = (_req, res) => {
  res.setHeader('Content-Length', 2).end('ok');
};

/** By default, clients on this machine count as proxies. */
const NO_PROXY = { IC_TRUSTED_PROXIES: '192.0.2.1/32' };

/** Timeouts that end no connection during a test. A test of a timeout overrides it with a shorter one. */
const TIMEOUTS: HttpTimeouts = { headers: 60_000, silent: 60_000, checkInterval: 20 };

async function withHttpServer(
  work: (port: number) => Promise<void>,
  env: Record<string, string>,
  timeouts: Partial<HttpTimeouts> = {},
): Promise<void> {
  const config = loadConfig({ IC_PORT: '0', ...env });
  const http = await startHttpServer(answerOk, config, { ...TIMEOUTS, ...timeouts });
  try {
    await work(Number(new URL(http.address).port));
  } finally {
    await http.close();
  }
}

const openSockets = (port: number, count: number) => Promise.all(Array.from({ length: count }, () => openSocket(port)));

describe('a connection', { timeout: 60_000 }, () => {
  it('that sends nothing is closed, and one that has sent something is kept', async () => {
    await withHttpServer(
      async (port) => {
        const busy = await openSocket(port);
        const answer = readResponse(busy);
        busy.write(PING);
        assert.equal((await answer).status, 200);
        await Promise.all((await openSockets(port, 100)).map(closed));
        const again = readResponse(busy);
        busy.write(PING);
        assert.equal((await again).status, 200);
        busy.destroy();
      },
      {},
      { silent: 100 },
    );
  });

  it('whose headers do not arrive in time gets a response and is closed', async () => {
    await withHttpServer(
      async (port) => {
        const { status, body } = await sendRaw(port, 'GET / HTTP/1.1\r\nHost: a\r\n');
        assert.deepEqual([status, JSON.parse(body).error.code], [408, 'upload_timeout']);
      },
      {},
      { headers: 100 },
    );
  });

  it('is closed at once if the server has reached its limit', async () => {
    await withHttpServer(
      async (port) => {
        const sockets = await openSockets(port, 3);
        await Promise.all(sockets.map((socket) => ping(socket)));
        await closed(await openSocket(port));
        sockets[0]!.destroy();
        await untilAccepted(port);
        for (const socket of sockets) socket.destroy();
      },
      { IC_MAX_CONNECTIONS: '3' },
    );
  });

  it('is closed at once if its address has reached its limit', async () => {
    await withHttpServer(
      async (port) => {
        const sockets = await openSockets(port, 3);
        await Promise.all(sockets.map((socket) => ping(socket)));
        await closed(await openSocket(port));
        // A refused connection is not counted.
        await closed(await openSocket(port));
        sockets[0]!.destroy();
        await untilAccepted(port);
        for (const socket of sockets) socket.destroy();
      },
      { ...NO_PROXY, IC_MAX_CONNECTIONS_PER_ADDRESS: '3' },
    );
  });

  it('of a trusted proxy counts only against the limit of the server', async () => {
    await withHttpServer(
      async (port) => {
        const sockets = await openSockets(port, 5);
        for (const socket of sockets) assert.equal(await ping(socket), 200);
        for (const socket of sockets) socket.destroy();
      },
      { IC_MAX_CONNECTIONS_PER_ADDRESS: '1' },
    );
  });
});

async function ping(socket: Awaited<ReturnType<typeof openSocket>>): Promise<number> {
  const answer = readResponse(socket);
  socket.write(PING);
  return (await answer).status;
}

/** Retries until a request succeeds: the server notices a closed connection later than its client. */
async function untilAccepted(port: number): Promise<void> {
  for (;;) {
    const status = await sendRaw(port, PING).then(
      (answer) => answer.status,
      () => undefined,
    );
    if (status === 200) return;
  }
}

describe('the address of a client', () => {
  const addresses = new ClientAddresses(['127.0.0.0/8', '::1/128', '10.0.0.0/8']);
  const keyOf = (remoteAddress: string | undefined, forwarded?: string) =>
    addresses.requestKey({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } as never);

  it('is the address of the connection', () => {
    assert.equal(keyOf('192.0.2.7'), '192.0.2.7');
    assert.equal(keyOf('::ffff:192.0.2.7'), '192.0.2.7');
    assert.equal(keyOf('127.0.0.1'), '127.0.0.1');
    assert.equal(keyOf(undefined), 'unknown');
  });

  it('is the first 64 bits of an IPv6 address', () => {
    assert.equal(keyOf('2001:db8:1:2:3:4:5:6'), keyOf('2001:db8:1:2:ffff::1'));
    assert.notEqual(keyOf('2001:db8:1:2::1'), keyOf('2001:db8:1:3::1'));
    assert.equal(addresses.connectionKey('2001:db8:1:2::1'), '2001:db8:1:2::/64');
    assert.equal(keyOf('fe80::1%eth0'), keyOf('fe80::2'));
  });

  it('is taken from the header of a trusted proxy, and of nobody else', () => {
    assert.equal(keyOf('127.0.0.1', '192.0.2.7'), '192.0.2.7');
    assert.equal(keyOf('192.0.2.9', '192.0.2.7'), '192.0.2.9');
    // Addresses that the client itself has sent come first in the header.
    assert.equal(keyOf('127.0.0.1', '198.51.100.1, 192.0.2.7'), '192.0.2.7');
    assert.equal(keyOf('127.0.0.1', '198.51.100.1, 192.0.2.7, 10.0.0.2'), '192.0.2.7');
    assert.equal(keyOf('127.0.0.1', '198.51.100.1, nonsense'), '127.0.0.1');
    assert.equal(keyOf('127.0.0.1', ''), '127.0.0.1');
    assert.equal(keyOf('127.0.0.1', '10.0.0.2'), '10.0.0.2');
  });

  it('distinguishes proxies from other addresses', () => {
    assert.deepEqual(
      ['127.0.0.1', '::ffff:10.1.2.3', '::1'].map((address) => addresses.isProxy(address)),
      [true, true, true],
    );
    assert.equal(addresses.isProxy('192.0.2.7'), false);
    assert.equal(addresses.isProxy(undefined), false);
  });
});
