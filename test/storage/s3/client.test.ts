import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { StorageQuota } from '../../../storage/quota.ts';
import { S3Client } from '../../../storage/s3/client.ts';
import { download } from '../../../storage/s3/download.ts';
import { S3Error } from '../../../storage/s3/errors.ts';
import { s3Settings } from '../../../storage/s3/settings.ts';
import { checkS3Store, openS3Store } from '../../../storage/s3/store.ts';
import { failureOf } from '../../support/failure.ts';
import { type FaultyConnections, withFaults } from '../../support/s3/faults.ts';
import { type Bucket, makeBucket, NOBODY, s3ConfigOf, WITHOUT_S3 } from '../../support/s3/s3-server.ts';

const UNAVAILABLE = { answer: 'HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' };

interface FaultyStore extends FaultyConnections {
  bucket: Bucket;
  /** A client whose connections have the faults. */
  client: S3Client;
  /** What it has reported. */
  faults: unknown[];
}

async function withFaultyStore(work: (store: FaultyStore) => Promise<void>): Promise<void> {
  const bucket = await makeBucket();
  await withFaults(bucket.server.port, async (connections) => {
    const config = s3ConfigOf({ ...bucket.env, IC_S3_ENDPOINT: `http://127.0.0.1:${connections.port}` });
    const faults: unknown[] = [];
    const client = new S3Client(s3Settings(config), { onFault: (error) => faults.push(error) });
    await work({ ...connections, bucket, client, faults });
  });
}

describe('the address of a bucket', () => {
  const addressOf = (env: Record<string, string>) =>
    s3Settings(s3ConfigOf({ AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', ...env })).bucketUrl;

  it('is that of AWS in the region, unless an endpoint is given', () => {
    const bucket = { IC_STORAGE_URL: 's3://images/a/b/' };
    assert.equal(addressOf(bucket), 'https://images.s3.us-east-1.amazonaws.com');
    assert.equal(addressOf({ ...bucket, IC_S3_REGION: 'eu-west-1' }), 'https://images.s3.eu-west-1.amazonaws.com');
    assert.equal(addressOf({ ...bucket, IC_S3_PATH_STYLE: 'true' }), 'https://s3.us-east-1.amazonaws.com/images');
    const given = { ...bucket, IC_S3_ENDPOINT: 'https://store.example.com:9000/s3/' };
    assert.equal(addressOf(given), 'https://store.example.com:9000/s3/images');
    assert.equal(addressOf({ ...given, IC_S3_PATH_STYLE: 'false' }), 'https://images.store.example.com:9000/s3');
  });

  it('is of no use without a key', async () => {
    const env = { IC_STORAGE_URL: 's3://images', AWS_ACCESS_KEY_ID: 'id' };
    const { message } = await failureOf('invalid_parameter', () => s3Settings(s3ConfigOf(env)));
    assert.match(message, /AWS_SECRET_ACCESS_KEY beside IC_STORAGE_URL but the second is not set/);
  });

  it('carries the session token in signed addresses', async () => {
    const config = s3ConfigOf({
      ...{ IC_STORAGE_URL: 's3://images/a', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' },
      AWS_SESSION_TOKEN: 'token-of-an-hour',
    });
    const url = new URL(await new S3Client(s3Settings(config)).presign('files/file_1', 60, {}));
    assert.equal(url.pathname, '/a/files/file_1');
    assert.equal(url.searchParams.get('X-Amz-Security-Token'), 'token-of-an-hour');
  });
});

describe('the check of a store', { skip: WITHOUT_S3, timeout: 120_000 }, () => {
  it('leaves nothing behind', async () => {
    const { config, keys } = await makeBucket();
    assert.equal(await checkS3Store(config), `${config.storageUrl} at ${new URL(config.s3Endpoint!).host}`);
    assert.deepEqual(await keys(), []);
  });

  const wrong: [string, Record<string, string>, RegExp][] = [
    [
      'a key',
      { AWS_ACCESS_KEY_ID: 'tests:unknown' },
      /a key and its secret for AWS_ACCESS_KEY_ID and \S+ but 127\.0\.0\.1:\d+ refuses/,
    ],
    [
      'a secret',
      { AWS_SECRET_ACCESS_KEY: 'another-word' },
      /for AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY but .+ IC_S3_REGION \(us-east-1\) too/,
    ],
    ['rights', NOBODY, /the right to list, read, write and delete objects of bucket-\d+ for AWS_ACCESS_KEY_ID/],
    [
      'a bucket',
      { IC_STORAGE_URL: 's3://no-such-bucket' },
      /exists in IC_STORAGE_URL but 127\.0\.0\.1:\d+ has no no-such/,
    ],
    ['a region', { IC_S3_REGION: 'eu-west-1' }, /IC_S3_REGION but received "eu-west-1"; \S+ names us-east-1/],
    [
      'an endpoint',
      { IC_S3_ENDPOINT: 'http://127.0.0.1:9' },
      /store at 127\.0\.0\.1:9 \(IC_S3_ENDPOINT\) but received a conn/,
    ],
    [
      'a host',
      { IC_S3_ENDPOINT: 'http://no.invalid' },
      /store at no.invalid \(IC_S3_ENDPOINT\) but received no address/,
    ],
  ];
  for (const [what, env, message] of wrong)
    it(`says which setting lacks ${what}, and no secret`, async () => {
      const bucket = await makeBucket();
      const config = s3ConfigOf({ ...bucket.env, ...env });
      const options = { quota: new StorageQuota(10), now: Date.now, redirects: false };
      const failure = await failureOf('internal_error', () => openS3Store(config, options));
      assert.match(failure.message, message);
      const credentials = [config.accessKeyId!, config.secretAccessKey!, 'Signature='];
      const whole = `${failure.message} ${failure.stack} ${JSON.stringify(failure.cause)} ${failure.cause}`;
      assert.ok(!credentials.some((each) => whole.includes(each)), whole);
    });
});

describe('requests to a store', { skip: WITHOUT_S3, timeout: 120_000 }, () => {
  it('are repeated after lost connections and when the store is overloaded', async () => {
    await withFaultyStore(async ({ client, next, faults, bucket, count }) => {
      next.push('reset', UNAVAILABLE, { cutAfter: 0 });
      await client.send({ method: 'PUT', key: 'files/file_1', body: Buffer.from('abc') });
      assert.deepEqual([await bucket.keys(), count(), faults], [['files/file_1'], 4, []]);
    });
  });

  it('fail as a store that is away after the fourth attempt', async () => {
    await withFaultyStore(async ({ client, next, faults, count }) => {
      next.push('reset', 'reset', UNAVAILABLE, 'reset');
      const failure = await failureOf('overloaded', () => client.send({ method: 'GET', key: 'files/file_1' }));
      assert.equal(failure.message, 'Expected an answer of the store of files but it does not answer now.');
      assert.equal(failure.retryAfter, 5);
      assert.deepEqual([count(), faults.length], [4, 1]);
    });
  });

  it('are not repeated when the store refuses them', async () => {
    await withFaultyStore(async ({ client, next, count, faults }) => {
      next.push({ answer: 'HTTP/1.1 403 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' });
      await assert.rejects(client.send({ method: 'PUT', key: 'files/file_1' }), (error) => {
        assert.ok(error instanceof S3Error);
        assert.equal(error.message, 'S3 answered PUT files/file_1 with 403 http_403');
        return true;
      });
      assert.deepEqual([count(), faults.length], [1, 1]);
    });
  });

  it('report a store without room', async () => {
    await withFaultyStore(async ({ client, next, count }) => {
      next.push({ answer: 'HTTP/1.1 507 Full\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' });
      await failureOf('storage_full', () => client.send({ method: 'PUT', key: 'files/file_1' }));
      assert.equal(count(), 1);
    });
  });

  it('end a minute after nothing answered, when it is too late to repeat them', async (context) => {
    await withFaultyStore(async ({ client, next, count }) => {
      let minutes = 0;
      const start = performance.now();
      context.mock.method(performance, 'now', () => start + 60_000 * minutes);
      context.mock.timers.enable({ apis: ['setTimeout'] });
      next.push('silent');
      const failed = failureOf('overloaded', () => client.open({ method: 'GET', key: 'files/file_1' }));
      while (count() === 0) await setImmediate();
      minutes = 1;
      context.mock.timers.tick(60_000);
      await failed;
      assert.equal(count(), 1);
    });
  });
});

describe('downloads of objects', { skip: WITHOUT_S3, timeout: 120_000 }, () => {
  it('continue where the connection was lost', async () => {
    await withFaultyStore(async ({ client, next, bucket, count }) => {
      const data = randomBytes(3_000_000);
      await bucket.client.send({ method: 'PUT', key: 'files/file_1', body: data });
      next.push({ cutAfter: 1_000_000 }, 'reset', { cutAfter: 500_000 });
      const whole = await buffer((await download(client, 'files/file_1'))!);
      assert.ok(whole.equals(data));
      assert.equal(count(), 4);
      next.push({ cutAfter: 100_000 });
      await client.send({ method: 'GET', key: 'files/file_1' }).catch(() => {});
      const part = await buffer((await download(client, 'files/file_1', { start: 10, end: 2_000_009 }))!);
      assert.ok(part.equals(data.subarray(10, 2_000_010)));
    });
  });

  it('do not continue with another object of the same key', async () => {
    await withFaultyStore(async ({ client, next, bucket }) => {
      const put = (byte: number) =>
        bucket.client.send({ method: 'PUT', key: 'files/file_1', body: Buffer.alloc(3_000_000, byte) });
      await put(1);
      next.push({ cutAfter: 1_000_000 });
      const stream = (await download(client, 'files/file_1'))!;
      await put(2);
      await assert.rejects(buffer(stream), S3Error);
    });
  });
});
