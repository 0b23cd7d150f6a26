import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import Koa from 'koa';
import type { Context, State } from '../../../server/http/context.ts';
import { sendJsonList } from '../../../server/http/json-list.ts';
import { withServer } from '../../support/http-server.ts';

type Items = () => AsyncIterable<object>;

/** Serves the items as a JSON list, with a total. */
async function withList(items: Items, work: (address: string) => Promise<void>): Promise<void> {
  const app = new Koa<State>();
  app.on('error', () => {});
  app.use((ctx) => sendJsonList(ctx as Context, 'items', items(), { total: 7 }));
  await withServer(app.callback(), ({ origin }) => work(origin));
}

async function ask(address: string, encoding: string): Promise<IncomingMessage> {
  const request = get(address, { headers: { 'accept-encoding': encoding } });
  return ((await once(request, 'response')) as [IncomingMessage])[0];
}

const ENCODINGS = ['gzip', 'identity'];
const item = (n: number) => ({ n, text: 'x'.repeat(1000) });

function* numbered(count: number) {
  for (let n = 0; n < count; n += 1) yield item(n);
}

describe('sendJsonList', { timeout: 60_000 }, () => {
  it('writes the same JSON in one piece and in slices, compressed and not', async () => {
    for (const [count, packs, isWhole] of [
      [0, false, true],
      [10, true, true],
      [1000, true, false],
    ] as const) {
      const expected = { items: [...numbered(count)], total: 7 };
      const items = async function* () {
        yield* numbered(count);
      };
      await withList(items, async (address) => {
        for (const encoding of ENCODINGS) {
          const response = await fetch(address, { headers: { 'accept-encoding': encoding } });
          const { headers } = response;
          const isPacked = packs && encoding === 'gzip';
          assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
          assert.equal(headers.get('content-encoding'), isPacked ? 'gzip' : null);
          assert.equal(headers.get('vary'), 'Accept-Encoding');
          assert.equal(headers.has('content-length'), isWhole);
          assert.deepEqual(await response.json(), expected);
        }
      });
    }
    const none = async function* () {};
    const app = new Koa<State>().use((ctx) => sendJsonList(ctx as Context, 'items', none()));
    await withServer(app.callback(), async ({ origin }) => {
      assert.equal(await (await fetch(origin)).text(), '{"items":[]}');
    });
  });

  it('yields to the event loop between the items', async () => {
    let turns = 0;
    const items = async function* () {
      let running = true;
      const count = () => {
        turns += 1;
        if (running) setImmediate(count);
      };
      setImmediate(count);
      for (let n = 0; n < 20; n += 1) {
        const begun = performance.now();
        while (performance.now() - begun < 3);
        yield { n };
      }
      running = false;
    };
    await withList(items, async (address) => {
      await (await fetch(address)).json();
      assert.ok(turns >= 5, `${turns} turns`);
    });
  });

  it('creates no more items once the client has disconnected', async () => {
    for (const encoding of ENCODINGS) {
      let hasEnded = () => {};
      const ended = new Promise<void>((resolve) => {
        hasEnded = resolve;
      });
      const endless = async function* () {
        try {
          for (let n = 0; ; n += 1) yield item(n);
        } finally {
          hasEnded();
        }
      };
      await withList(endless, async (address) => {
        const response = await ask(address, encoding);
        await once(response, 'readable');
        response.destroy();
        await ended;
      });
    }
  });

  it('returns an error if the first items fail, and ends the connection if later ones do', async () => {
    const failing = (count: number) =>
      async function* () {
        yield* numbered(count);
        throw new Error('no more');
      };
    for (const encoding of ENCODINGS) {
      await withList(failing(3), async (address) => assert.equal((await ask(address, encoding)).statusCode, 500));
      for (const count of [70, 1000])
        await withList(failing(count), async (address) => {
          const read = async () => await (await fetch(address, { headers: { 'accept-encoding': encoding } })).text();
          await assert.rejects(read(), TypeError);
        });
    }
  });
});
