import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Koa from 'koa';
import type { Context } from '../../../server/http/context.ts';
import { StaticFile } from '../../../server/http/static-file.ts';
import { withServer } from '../../support/http-server.ts';

const TEXT = 'text '.repeat(1000);

async function withFile(type: string, work: (ask: Ask) => Promise<void>): Promise<void> {
  const file = new StaticFile(type, Buffer.from(TEXT));
  const koa = new Koa().use((ctx) => file.send(ctx as Context, 'no-cache'));
  await withServer(koa.callback(), ({ origin }) =>
    work((headers, method = 'GET') => fetch(origin, { method, headers })),
  );
}
type Ask = (headers: Record<string, string>, method?: string) => Promise<Response>;

describe('a static file', () => {
  it('is sent in the smallest encoding that the client accepts', () =>
    withFile('text/plain', async (ask) => {
      const expected = {
        'gzip, deflate, br, zstd': 'br',
        'br;q=0, gzip': 'gzip',
        'gzip;q=0, br;q=0': null,
        '*': 'br',
        '*;q=0': null,
        identity: null,
      };
      for (const [accepted, encoding] of Object.entries(expected)) {
        const answer = await ask({ 'Accept-Encoding': accepted });
        assert.equal(answer.headers.get('content-encoding'), encoding, accepted);
        assert.equal(answer.headers.get('vary'), 'Accept-Encoding');
        assert.equal(await answer.text(), TEXT);
      }
    }));

  it('has an ETag for each encoding, also for HEAD and 304', () =>
    withFile('text/plain', async (ask) => {
      const packed = { 'Accept-Encoding': 'br' };
      const etag = (await ask(packed)).headers.get('etag')!;
      assert.notEqual((await ask({ 'Accept-Encoding': 'identity' })).headers.get('etag'), etag);
      for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const answer = await ask({ ...packed, 'If-None-Match': tags });
        assert.equal(answer.status, 304, tags);
        for (const [name, value] of [
          ['etag', etag],
          ['vary', 'Accept-Encoding'],
          ['cache-control', 'no-cache'],
        ] as const)
          assert.equal(answer.headers.get(name), value, name);
      }
      assert.equal((await ask({ 'Accept-Encoding': 'identity', 'If-None-Match': etag })).status, 200);
      const head = await ask(packed, 'HEAD');
      assert.equal(head.headers.get('etag'), etag);
      assert.ok(Number(head.headers.get('content-length')) < TEXT.length);
    }));

  it('is not compressed if its type is already compressed', () =>
    withFile('image/webp', async (ask) => {
      const answer = await ask({ 'Accept-Encoding': 'br' });
      assert.equal(answer.headers.get('content-encoding'), null);
      assert.equal(answer.headers.get('vary'), null);
    }));
});
