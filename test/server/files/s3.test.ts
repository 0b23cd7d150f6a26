/** The service with its files in a bucket. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { Imagecrew } from '../../../client/client.ts';
import { failureOf } from '../../support/failure.ts';
import { withFolder } from '../../support/folder.ts';
import { withServer } from '../../support/http-server.ts';
import { type Bucket, makeBucket, startS3Server, WITHOUT_S3 } from '../../support/s3/s3-server.ts';
import { type TestService, withService } from '../../support/service.ts';

const BODY = '0123456789';
const TEN_MINUTES = 600;

interface Stored extends TestService {
  bucket: Bucket;
  id: string;
  path: string;
}

/** Runs `work` with a service that has stored a result of ten bytes of the free account. */
async function withStored(
  work: (stored: Stored) => Promise<void>,
  {
    redirects = false,
    bucket: given,
    now = Date.now,
  }: { redirects?: boolean; bucket?: Bucket; now?: () => number } = {},
): Promise<void> {
  const bucket = given ?? (await makeBucket());
  const env = { ...bucket.env, IC_STORAGE_REDIRECTS: String(redirects) };
  await withService(
    async (service) => {
      const { account } = await service.services.authenticate(`Bearer ${service.keys.free}`);
      const data = new TextEncoder().encode(BODY).buffer as ArrayBuffer;
      const described = { filename: 'ä b+c.webp', contentType: 'image/webp', format: 'webp', width: 4, height: 3 };
      const { id } = await service.services.results.put(account.id, { ...described, data });
      await work({ ...service, bucket, id, path: `/api/v1/files/${id}` });
    },
    { env, now },
  );
}

describe('stored results in a bucket', { skip: WITHOUT_S3, timeout: 120_000 }, () => {
  it('are downloaded as from a folder', async () => {
    await withStored(async ({ call, path, bucket, id }) => {
      assert.deepEqual(await bucket.keys(), [`files/${id}`]);
      const whole = await call(path);
      assert.equal(whole.headers.get('content-length'), '10');
      assert.equal(whole.headers.get('etag'), `"${createHash('sha256').update(BODY).digest('hex')}"`);
      assert.equal(await whole.text(), BODY);
      const part = await call(path, { headers: { range: 'bytes=-3' } });
      assert.deepEqual(
        [part.status, part.headers.get('content-range'), await part.text()],
        [206, 'bytes 7-9/10', '789'],
      );
      const head = await call(path, { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, '10', '']);
      await call(path, { method: 'DELETE' });
      assert.deepEqual(await bucket.keys(), []);
      assert.equal((await call(path)).status, 404);
    });
  });

  it('expire there too', async () => {
    let now = Date.now();
    await withStored(
      async ({ services, bucket }) => {
        now += 3_600_000;
        await services.results.sweep();
        assert.deepEqual(await bucket.keys(), []);
      },
      { now: () => now },
    );
  });

  it('without a record are removed after a day, and none that has one', async () => {
    let now = Date.now();
    await withStored(
      async ({ services, bucket, id }) => {
        const { results } = services;
        await bucket.client.send({ method: 'PUT', key: 'files/file_orphan', body: Buffer.from('abc') });
        await results.removeOrphanFiles();
        assert.equal((await bucket.keys()).length, 2);
        now += 25 * 3_600_000;
        await results.removeOrphanFiles();
        assert.deepEqual(await bucket.keys(), [`files/${id}`]);
      },
      { now: () => now },
    );
  });

  it('are where the response to GET points, if the operator wants that', async () => {
    await withStored(
      async ({ call, path, bucket }) => {
        const answer = await call(path, { redirect: 'manual' });
        const address = answer.headers.get('location')!;
        assert.deepEqual(
          [answer.status, answer.headers.get('cache-control'), answer.headers.get('content-type')],
          [302, `private, max-age=${TEN_MINUTES - 60}`, null],
        );
        assert.ok(address.startsWith(`${bucket.env.IC_S3_ENDPOINT}/`));
        const there = await fetch(address, { headers: { range: 'bytes=2-4' } });
        assert.deepEqual(
          [there.status, there.headers.get('content-type'), await there.text()],
          [206, 'image/webp', '234'],
        );
        assert.match(
          there.headers.get('content-disposition')!,
          /^inline; filename="_ b\+c.webp"; filename\*=UTF-8''%C3%A4%20b%2Bc.webp$/,
        );
        assert.match(there.headers.get('cache-control')!, /^private, max-age=3[56][0-9]{2}, immutable$/);
      },
      { redirects: true },
    );
  });

  it('are not redirected for HEAD, what the client has, a wrong range, and the pages of the service', async () => {
    await withStored(
      async ({ call, path }) => {
        const status = async (headers: Record<string, string>, method = 'GET') =>
          (await call(path, { method, headers, redirect: 'manual' })).status;
        const etag = (await call(path, { method: 'HEAD' })).headers.get('etag')!;
        assert.equal(await status({}, 'HEAD'), 200);
        assert.equal(await status({ 'if-none-match': etag }), 304);
        assert.equal(await status({ range: 'bytes=10-' }), 416);
        assert.equal(await status({ 'sec-fetch-site': 'same-origin' }), 200);
        assert.equal(await status({ 'sec-fetch-site': 'cross-site' }), 302);
      },
      { redirects: true },
    );
  });

  it('are redirected to addresses that end with the result', async () => {
    let now = Date.now();
    await withStored(
      async ({ call, path }) => {
        now += 3_600_000 - 90_000;
        const answer = await call(path, { redirect: 'manual' });
        assert.equal(new URL(answer.headers.get('location')!).searchParams.get('X-Amz-Expires'), '90');
        assert.equal(answer.headers.get('cache-control'), 'private, max-age=30');
      },
      { redirects: true, now: () => now },
    );
  });

  it('are downloaded by our client without its key being sent there', async () => {
    await withStored(
      async ({ origin, keys, id, call, path }) => {
        const address = (await call(path, { redirect: 'manual' })).headers.get('location')!;
        const asked: (string | undefined)[] = [];
        const recording =
          (answer: RequestListener): RequestListener =>
          (request, response) => {
            asked.push(request.headers.authorization);
            answer(request, response);
          };
        // Between the client and the store, to see what arrives there.
        const passOn = recording(async (_, response) => {
          response.end(Buffer.from(await (await fetch(address)).arrayBuffer()));
        });
        await withServer(passOn, async (store) => {
          const redirect = recording((_, response) => response.writeHead(302, { location: store.origin }).end());
          await withServer(redirect, async (service) => {
            const watched = new Imagecrew({ baseUrl: service.origin, key: keys.free });
            assert.equal(Buffer.from(await (await watched.files.download(id)).arrayBuffer()).toString(), BODY);
          });
        });
        assert.deepEqual(asked, [`Bearer ${keys.free}`, undefined]);
        const file = await new Imagecrew({ baseUrl: origin, key: keys.free }).files.download(id);
        assert.deepEqual([file.contentType, file.fileName, file.bytes], ['image/webp', 'ä b+c.webp', 10]);
        assert.equal(Buffer.from(await file.arrayBuffer()).toString(), BODY);
      },
      { redirects: true },
    );
  });
});

describe('a store that is away', { skip: WITHOUT_S3, timeout: 120_000 }, () => {
  it('is answered with 503 where it is needed, and used again when it is back', async () => {
    await withFolder(async (folder) => {
      const server = await startS3Server(folder);
      let now = Date.now();
      await withStored(
        async ({ call, path, logged, bucket }) => {
          const store = () => call('/api/v1/compress?output=json', { method: 'POST', body: BODY });
          const readiness = async () => {
            now += 10_000;
            const answer = await call('/readyz');
            return [answer.status, ((await answer.json()) as { checks: { storage: string } }).checks.storage];
          };
          assert.deepEqual(await readiness(), [200, 'ok']);
          await server.kill();
          for (const answer of [await call(path), await store()]) {
            const { error } = (await answer.json()) as { error: { code: string; message: string } };
            assert.deepEqual(
              [answer.status, answer.headers.get('retry-after'), error.code, error.message],
              [503, '5', 'overloaded', 'Expected an answer of the store of files but it does not answer now.'],
            );
          }
          assert.equal((await call('/api/v1/compress', { method: 'POST', body: BODY })).status, 200);
          assert.deepEqual(await readiness(), [200, 'unreachable']);
          const lines = logged().filter(({ msg }) => msg === 'the store of files did not do what it was asked');
          assert.ok(lines.length >= 2);
          assert.ok(!JSON.stringify(logged()).includes(bucket.config.secretAccessKey!));
          await server.start();
          assert.equal(await (await call(path)).text(), BODY);
          assert.equal((await store()).status, 200);
          assert.deepEqual(await readiness(), [200, 'ok']);
        },
        { bucket: await makeBucket(server), now: () => now },
      );
      await server.kill();
    });
  });

  it('stops the start', async () => {
    const bucket = await makeBucket();
    const env = { ...bucket.env, IC_S3_ENDPOINT: 'http://127.0.0.1:9' };
    const { message } = await failureOf('internal_error', () => withService(async () => {}, { env }));
    assert.match(
      message,
      /^Expected an S3 store at 127\.0\.0\.1:9 \(IC_S3_ENDPOINT\) but received a connection that failed\.$/,
    );
  });
});
