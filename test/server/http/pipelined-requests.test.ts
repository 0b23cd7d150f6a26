import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_WAITING_REQUESTS } from '../../../server/http/pipelined-requests.ts';
import { type TestService, withService } from '../../support/service.ts';
import { closed, openSocket, readResponse } from '../../support/socket.ts';

const COMPRESS = '/api/v1/compress';

/** Writes a POST request with a body. */
function post({ keys }: TestService, path: string, type: string, body: string): string {
  const lines = [`POST ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${keys.pro}`, `Content-Type: ${type}`];
  return [...lines, `Content-Length: ${body.length}`, '', body].join('\r\n');
}

const savePipeline = (service: TestService) =>
  post(
    service,
    '/api/v1/pipelines',
    'application/json',
    JSON.stringify({ name: 'mine', pipeline: { steps: [{ op: 'resize', params: { width: 10 } }] } }),
  );

async function countPipelines({ call, keys }: TestService): Promise<number> {
  const answer = await call('/api/v1/pipelines', { headers: { authorization: `Bearer ${keys.pro}` } });
  return ((await answer.json()) as { pipelines: unknown[] }).pipelines.length;
}

describe('a pipelined request', { timeout: 60_000 }, () => {
  const closing: Record<string, [status: number, request: string]> = {
    'a malformed one': [400, 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    'one whose body was refused': [
      404,
      'POST /nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
    ],
  };
  for (const [what, [status, request]] of Object.entries(closing))
    it(`is not executed after ${what}`, async () => {
      await withService(async (service) => {
        const socket = await openSocket(service.port);
        socket.write(status === 400 ? request + savePipeline(service) : request);
        assert.equal((await readResponse(socket)).status, status);
        if (status !== 400) socket.write(`0\r\n\r\n${savePipeline(service)}`);
        await closed(socket);
        await service.http.drain(10_000);
        assert.equal(await countPipelines(service), 0);
        assert.equal(service.http.active, 0);
      });
    });

  it('is executed after the previous response is complete', async () => {
    await withService(async (service) => {
      const { engine, port } = service;
      let release = () => {};
      engine.behave = () => new Promise((resolve) => (release = () => resolve({})));
      const socket = await openSocket(port);
      socket.write(post(service, COMPRESS, 'image/png', 'abc') + savePipeline(service));
      while (engine.calls.length === 0) await new Promise(setImmediate);
      assert.equal(await countPipelines(service), 0);
      release();
      assert.equal((await readResponse(socket)).status, 200);
      assert.equal((await readResponse(socket)).status, 201);
      assert.equal(await countPipelines(service), 1);
      socket.destroy();
    });
  });

  it('is not executed, and keeps no memory, if the client disconnects first', async () => {
    await withService(async (service) => {
      const { engine, http, port, services } = service;
      engine.behave = ({ options: { signal } }) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      const socket = await openSocket(port);
      socket.write(post(service, COMPRESS, 'image/png', 'abc').repeat(3));
      while (engine.calls.length === 0) await new Promise(setImmediate);
      socket.destroy();
      while (http.active > 0) await new Promise(setImmediate);
      while (services.uploads.heldBytes > 0) await new Promise(setImmediate);
      assert.equal(engine.calls.length, 1);
    });
  });

  it('closes the connection if too many are waiting', async () => {
    await withService(async (service) => {
      const { engine, port } = service;
      engine.behave = () => new Promise(() => {});
      const socket = await openSocket(port);
      socket.write(post(service, COMPRESS, 'image/png', 'abc'));
      while (engine.calls.length === 0) await new Promise(setImmediate);
      socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(MAX_WAITING_REQUESTS + 1));
      await closed(socket);
    });
  });
});
