import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { timestamp } from '../../../base/timestamp.ts';
import { ImageCache, type NewImage } from '../../../server/image-delivery/cache.ts';
import { storageFull } from '../../../storage/errors.ts';
import { localFileStores } from '../../../storage/local-files/local-files.ts';
import type { FileStore } from '../../../storage/ports/file-store.ts';
import { StorageQuota } from '../../../storage/quota.ts';
import { withDatabase } from '../../support/database.ts';
import { withServer } from '../../support/http-server.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { bytesOf, codeOf, MISSING, withDelivery } from './address-tools.ts';

const NOW = Date.UTC(2026, 10, 29);
const SECOND = 1000;

/** Something that a test waits for. */
function signal(): { given: Promise<void>; give: () => void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

describe('the delivery cache', () => {
  it('makes an image once for all who wait for it', async () => {
    await withDelivery(async ({ engine, image }) => {
      const [started, gate] = [signal(), signal()];
      engine.behave = async () => {
        started.give();
        await gate.given;
        return {};
      };
      const requests = Array.from({ length: 100 }, () => image('w:10'));
      await started.given;
      gate.give();
      const bodies = await Promise.all(requests.map(async (request) => bytesOf(await request)));
      assert.equal(engine.calls.length, 1);
      assert.ok(bodies.every((body) => body.equals(bodies[0]!)));
    });
  });

  it('does not read a failed source again for half a minute', async () => {
    let now = NOW;
    await withDelivery(
      async ({ image, web, asked }) => {
        for (let n = 0; n < 3; n += 1)
          assert.equal(await codeOf(await image(`w:1${n}`, web + MISSING)), '422 url_fetch_failed');
        assert.equal(asked.length, 1);
        now += 30 * SECOND;
        await image('w:10', web + MISSING);
        assert.equal(asked.length, 2);
      },
      { now: () => now },
    );
  });

  it('sends an image that has expired while it is made again', async () => {
    let now = NOW;
    await withDelivery(
      async ({ image, engine, services }) => {
        await image('w:10');
        await services.imageDelivery.stored();
        now += 60 * SECOND;
        const started = signal();
        engine.behave = async () => {
          started.give();
          return { width: 77 };
        };
        const stale = await image('w:10');
        assert.equal(stale.headers.get('x-ic-cache'), 'stale');
        assert.equal(stale.headers.get('x-ic-width'), '4');
        assert.match(stale.headers.get('cache-control')!, /max-age=0, /);
        await started.given;
        await waitUntil(async () => (await image('w:10')).headers.get('x-ic-cache') === 'hit');
        assert.equal((await image('w:10')).headers.get('x-ic-width'), '77');
        assert.equal(engine.calls.length, 2);
        now += 60 * SECOND + 86_400 * SECOND;
        assert.equal((await image('w:10')).headers.get('x-ic-cache'), 'miss');
      },
      { now: () => now, env: { IC_DELIVERY_FRESH_S: '60' } },
    );
  });

  it('is purged by source, prefix, tag or as a whole', async () => {
    await withDelivery(async ({ image, web, call, keys, services }) => {
      const headers = { authorization: `Bearer ${keys.pro}` };
      const purge = async (query: string) => {
        const response = await call(`/api/v1/delivery/images?${query}`, { method: 'DELETE', headers });
        return ((await response.json()) as { removed: number }).removed;
      };
      const fill = async () => {
        for (const [options, path] of [
          ['w:1', '/a/1.png'],
          ['w:2', '/a/1.png'],
          ['w:1', '/a/2.png'],
          ['w:1,tag:spring', '/b/3.png'],
        ] as const)
          await image(options, web + path);
        await services.imageDelivery.stored();
      };
      await fill();
      const held = (await (await call('/api/v1/delivery/images', { headers })).json()) as { images: number };
      assert.equal(held.images, 4);
      const mine = (await (await call('/api/v1/delivery/images')).json()) as { images: number };
      assert.equal(mine.images, 0);
      const written = `${web.replace('http', 'HTTP')}/a/./1.png#part`;
      assert.equal(await purge(`source=${encodeURIComponent(written)}`), 2);
      assert.equal((await image('w:1', `${web}/a/1.png`)).headers.get('x-ic-cache'), 'miss');
      assert.equal((await image('w:1', `${web}/a/2.png`)).headers.get('x-ic-cache'), 'hit');
      await services.imageDelivery.stored();
      assert.equal(await purge(`prefix=${encodeURIComponent(`${web}/a/`)}`), 2);
      assert.equal(await purge('tag=spring'), 1);
      await fill();
      assert.equal(await purge('all=true'), 4);
      for (const query of ['', 'all=true&tag=x', 'tag=a%20b']) {
        const response = await call(`/api/v1/delivery/images?${query}`, { method: 'DELETE', headers });
        assert.equal(response.status, 400, query);
      }
    });
  });

  it('does not keep what was being made when it was purged', async () => {
    await withDelivery(async ({ image, engine, services, key }) => {
      const [started, gate] = [signal(), signal()];
      engine.behave = async () => {
        started.give();
        await gate.given;
        return {};
      };
      const old = image('w:10');
      await started.given;
      engine.behave = async () => ({ width: 77 });
      await services.imageDelivery.purge(key.accountId, { all: true });
      const after = image('w:10');
      gate.give();
      assert.equal((await old).headers.get('x-ic-width'), '4');
      assert.equal((await after).headers.get('x-ic-width'), '77');
      await services.imageDelivery.stored();
      const next = await image('w:10');
      assert.equal(next.headers.get('x-ic-cache'), 'hit');
      assert.equal(next.headers.get('x-ic-width'), '77');
    });
  });

  it('makes a large image again if its file is gone', async () => {
    const body = randomBytes(400_000);
    await withDelivery(
      async ({ image, services }) => {
        await bytesOf(await image('w:10'));
        await services.imageDelivery.stored();
        const folder = join(services.config.dataDir, 'images');
        for (const name of await filesIn(folder)) await rm(join(folder, name));
        const again = await image('w:10', undefined, { range: 'bytes=0-9' });
        assert.equal(again.status, 206);
        assert.deepEqual(await bytesOf(again), body.subarray(0, 10));
      },
      { body },
    );
  });
});

function bound(store: FileStore, name: keyof FileStore): unknown {
  const value: unknown = store[name];
  return typeof value === 'function' ? value.bind(store) : value;
}

interface Opened {
  /** @param change what the store of the files does instead */
  open(maxBytes?: number, change?: Partial<FileStore>): Promise<ImageCache>;
  folder: string;
  imageOf(name: string, bytes?: number): NewImage;
  clock: { now: number };
}

const withCache = (work: (opened: Opened) => Promise<void>) =>
  withDatabase(async (database, folder) => {
    const { id: accountId } = await database.accounts.create({ name: 'anna', email: null, plan: 'free' });
    const clock = { now: NOW };
    const openFiles = localFileStores(folder, new StorageQuota(Number.POSITIVE_INFINITY));
    await work({
      folder: join(folder, 'images'),
      clock,
      open: async (maxBytes = 1e9, change = {}) => {
        const files = await openFiles('images');
        return await ImageCache.open({
          records: database.deliveredImages,
          files: new Proxy(files, {
            get: (store, name) => change[name as keyof FileStore] ?? bound(store, name as keyof FileStore),
          }),
          maxBytes,
          now: () => clock.now,
          log: console,
        });
      },
      imageOf: (name, bytes = 1000) => ({
        ...{ key: name.padEnd(64, 'x'), accountId, source: `https://example.com/${name}`, tag: null },
        ...{ filename: 'a.webp', contentType: 'image/webp', format: 'webp', width: 1, height: 1, bytes },
        ...{ sha256: '0'.repeat(64), createdAt: timestamp(NOW), expiresAt: timestamp(NOW + 1e9) },
        data: randomBytes(bytes),
      }),
    });
  });

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name);

describe('the files of the delivery cache', () => {
  it('are found after a restart; one that a killed process left is removed', async () => {
    await withCache(async ({ open, imageOf, folder }) => {
      const first = await open();
      const [small, large] = [imageOf('small'), imageOf('large', 400_000)];
      await first.put(small);
      await first.put(large);
      await first.stop();
      await writeFile(join(folder, 'file_01JD3Z8Q4W0V6S8H2N5B7C9E1F'), 'half');
      const second = await open();
      assert.deepEqual(second.stats, { images: 2, bytes: 401_000, evictions: 0 });
      assert.equal((await filesIn(folder)).length, 2);
      assert.deepEqual((await second.find(small.key))?.data, small.data);
      const found = (await second.find(large.key))!;
      assert.equal(found.data, undefined);
      const stream = (await second.open(found, { start: 10, end: 19 }))!;
      assert.deepEqual(Buffer.concat(await stream.toArray()), Buffer.from(large.data.subarray(10, 20)));
      await second.stop();
    });
  });

  it('are not sent if they are shorter than recorded', async () => {
    await withCache(async ({ open, imageOf, folder }) => {
      const image = imageOf('short');
      const first = await open();
      await first.put(image);
      await first.stop();
      const [name] = await filesIn(folder);
      await writeFile(join(folder, name!), image.data.subarray(0, 500));
      assert.equal(await (await open()).find(image.key), undefined);
    });
  });

  it('are removed when they take too much, the least used first', async () => {
    await withCache(async ({ open, imageOf, clock, folder }) => {
      const cache = await open(10_000);
      for (let n = 0; n < 10; n += 1) {
        await cache.put(imageOf(`i${n}`));
        clock.now += 60 * SECOND;
      }
      await cache.find(imageOf('i0').key);
      await cache.put(imageOf('i10'));
      await cache.stop();
      assert.deepEqual(cache.stats, { images: 9, bytes: 9000, evictions: 2 });
      assert.equal((await filesIn(folder)).length, 9);
      for (const gone of ['i1', 'i2']) assert.equal(await cache.find(imageOf(gone).key), undefined, gone);
      for (const kept of ['i0', 'i3', 'i10']) assert.ok(await cache.find(imageOf(kept).key), kept);
    });
  });

  it('are not found before they are written', async () => {
    await withCache(async ({ open, imageOf }) => {
      const [started, gate] = [signal(), signal()];
      const put = async () => {
        started.give();
        await gate.given;
      };
      const cache = await open(1e9, { put });
      const large = imageOf('large', 400_000);
      const putting = cache.put(large);
      await started.given;
      assert.equal(await cache.find(large.key), undefined);
      gate.give();
      await putting;
    });
  });

  it('are in memory if the disk is full and they are small, until they are purged', async () => {
    await withCache(async ({ open, imageOf }) => {
      const cache = await open(1e9, { put: () => Promise.reject(storageFull()) });
      const [small, large] = [imageOf('small'), imageOf('large', 400_000)];
      await cache.put(small);
      await cache.put(large);
      assert.deepEqual((await cache.find(small.key))?.data, small.data);
      assert.equal(await cache.find(large.key), undefined);
      await cache.purge(small.accountId, { source: small.source });
      assert.equal(await cache.find(small.key), undefined);
    });
  });

  it('are not kept in memory if they were purged while they were read', async () => {
    await withCache(async ({ open, imageOf }) => {
      const first = await open();
      const small = imageOf('small');
      await first.put(small);
      await first.stop();
      let purged: Promise<unknown> = Promise.resolve();
      const cache: ImageCache = await open(1e9, {
        open: async () => {
          purged = cache.purge(small.accountId, { all: true });
          await purged;
          return Readable.from([small.data]);
        },
      });
      await cache.find(small.key);
      assert.equal(await cache.find(small.key), undefined);
      await cache.stop();
    });
  });

  it('are forgotten when another process has removed them', async () => {
    await withCache(async ({ open, imageOf }) => {
      const [one, other] = [await open(), await open()];
      const image = imageOf('shared');
      await one.put(image);
      assert.ok(await one.find(image.key));
      assert.equal(await other.purge(image.accountId, { all: true }), 1);
      await one.synchronize();
      assert.equal(await one.find(image.key), undefined);
      for (const cache of [one, other]) await cache.stop();
    });
  });

  it('replace the earlier file of the same image', async () => {
    await withCache(async ({ open, imageOf, folder }) => {
      const cache = await open();
      const [first, second] = [imageOf('same'), imageOf('same', 2000)];
      await cache.put(first);
      await cache.put(second);
      assert.deepEqual(cache.stats, { images: 1, bytes: 2000, evictions: 0 });
      assert.equal((await filesIn(folder)).length, 1);
      assert.deepEqual((await cache.find(first.key))?.data, second.data);
      await cache.stop();
    });
  });
});

describe('a source that stays open', () => {
  it('keeps no image from being delivered', async () => {
    await withServer(
      () => {},
      async ({ origin: silent }) => {
        await withDelivery(async ({ image }) => {
          const waiting = image('w:10', `${silent}/never.png`).catch(() => {});
          assert.equal((await image('w:20')).status, 200);
          void waiting;
        });
      },
    );
  });
});
