/** What is particular to files in a bucket, which other processes use too. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { StorageQuota } from '../../../storage/quota.ts';
import { listUploads } from '../../../storage/s3/listing.ts';
import { PART_BYTES } from '../../../storage/s3/parts.ts';
import { S3Files } from '../../../storage/s3/s3-files.ts';
import { LOADER, program } from '../../support/repository.ts';
import { type Bucket, makeBucket, WITHOUT_S3 } from '../../support/s3/s3-server.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

interface Fixture extends Bucket {
  clock: { now: number };
  /** Opens the files as another process does. */
  open(redirects?: boolean): Promise<S3Files>;
  /** Keys of uploads that are not complete. */
  uploads(): Promise<string[]>;
}

async function withFiles(work: (fixture: Fixture) => Promise<void>): Promise<void> {
  const bucket = await makeBucket();
  const { client } = bucket;
  const clock = { now: Date.now() };
  const uploads = async () => {
    const keys: string[] = [];
    for await (const { key } of listUploads(client, '')) keys.push(key);
    return keys;
  };
  const open = (redirects = false) =>
    S3Files.open({ client, name: 'files', quota: new StorageQuota(1e9), now: () => clock.now, redirects });
  await work({ ...bucket, clock, open, uploads });
}

describe('files in a bucket', { skip: WITHOUT_S3, timeout: 120_000 }, () => {
  it('are found by every process, and counted again every ten minutes', async () => {
    await withFiles(async ({ open, clock }) => {
      const [one, other] = [await open(), await open()];
      await one.put('file_1', Buffer.from('abc'));
      await one.put('file_2', Buffer.from('de'));
      assert.equal((await buffer((await other.open('file_1'))!)).toString(), 'abc');
      await other.remove('file_2');
      await other.put('file_3', Buffer.from('f'));
      assert.deepEqual([one.usedBytes, other.usedBytes], [5, 1]);
      for (const files of [one, other]) await files.removeLeftovers(clock.now + 10 * MINUTE - 1);
      assert.deepEqual([one.usedBytes, other.usedBytes], [5, 1]);
      for (const files of [one, other]) await files.removeLeftovers(clock.now + 10 * MINUTE);
      assert.deepEqual([one.usedBytes, other.usedBytes], [4, 4]);
    });
  });

  it('are settled after a day', async () => {
    await withFiles(async ({ open, clock }) => {
      const files = await open();
      await files.put('file_1', Buffer.from('abc'));
      clock.now += DAY - MINUTE;
      assert.deepEqual(await files.settledIds(), []);
      await files.put('file_2', Buffer.from('abc'));
      clock.now += 2 * MINUTE;
      // The store dates both a day ago. Only this process knows that it has just written the second one.
      assert.deepEqual(await files.settledIds(), ['file_1']);
      assert.deepEqual((await (await open()).settledIds()).sort(), ['file_1', 'file_2']);
    });
  });

  it('are not confused with what others keep in the bucket', async () => {
    await withFiles(async ({ open, client, keys, clock }) => {
      for (const key of ['files/not-of-the-service.txt', 'files/a/b', 'filesystem', 'jobs/job_1'])
        await client.send({ method: 'PUT', key, body: Buffer.from('abc') });
      clock.now += 2 * DAY;
      const files = await open();
      assert.equal(files.usedBytes, 0);
      assert.deepEqual(await files.settledIds(), []);
      for await (const _ of files.ids()) assert.fail();
      assert.equal((await keys()).length, 4);
    });
  });

  it('are listed in pages', async () => {
    await withFiles(async ({ open, client }) => {
      // The store of the tests lists 100 at a time.
      const names = Array.from({ length: 203 }, (_, at) => `file_${String(at).padStart(4, '0')}`);
      for (let at = 0; at < names.length; at += 50)
        await Promise.all(
          names
            .slice(at, at + 50)
            .map((name) => client.send({ method: 'PUT', key: `files/${name}`, body: Buffer.from('a') })),
        );
      const files = await open();
      assert.equal(files.usedBytes, 203);
      const listed: string[] = [];
      for await (const name of files.ids()) listed.push(name);
      assert.deepEqual(listed, names);
    });
  });

  it('do not exist until they are complete, also when the process is killed', async () => {
    await withFiles(async ({ open, env, keys, uploads, clock }) => {
      const child = fork(program('test/storage/s3/killed-upload'), [], {
        execArgv: [...LOADER],
        env: { ...process.env, ...env },
      });
      for (let parts = 0; parts < 3; parts += 1) await once(child, 'message');
      child.kill('SIGKILL');
      await once(child, 'exit');
      const files = await open();
      assert.equal(await files.open('file_endless'), undefined);
      assert.deepEqual([await keys(), files.usedBytes], [[], 0]);
      assert.deepEqual(await uploads(), ['files/file_endless']);
      await files.removeLeftovers(clock.now + DAY - MINUTE);
      assert.deepEqual(await uploads(), ['files/file_endless']);
      await files.removeLeftovers(clock.now + DAY + MINUTE);
      assert.deepEqual(await uploads(), []);
    });
  });

  it('are not given up while they are uploaded, however long that takes', async () => {
    await withFiles(async ({ open, clock, uploads }) => {
      const files = await open();
      const slow = async function* () {
        yield Buffer.alloc(2 * PART_BYTES);
        assert.equal((await uploads()).length, 1);
        await files.removeLeftovers(clock.now + 2 * DAY);
        yield Buffer.alloc(1);
      };
      assert.equal(await files.putStream('file_1', slow()), 2 * PART_BYTES + 1);
    });
  });

  it('have addresses for clients, which end', async () => {
    await withFiles(async ({ open, client }) => {
      assert.equal((await open()).address, undefined);
      const files = await open(true);
      await files.put('file_1', Buffer.from('0123456789'));
      const contentDisposition = 'inline; filename="a b+c.webp"; filename*=UTF-8\'\'a%20b%2Bc%C3%A4.webp';
      const sentAs = { contentType: 'image/webp', contentDisposition, cacheControl: 'private, max-age=9, immutable' };
      const address = await files.address!('file_1', 60, sentAs);
      // A plus sign is a space for some stores only.
      assert.ok(!address.includes('+'), address);
      const whole = await fetch(address);
      assert.equal(await whole.text(), '0123456789');
      assert.deepEqual(
        ['content-type', 'content-disposition', 'cache-control'].map((name) => whole.headers.get(name)),
        ['image/webp', contentDisposition, 'private, max-age=9, immutable'],
      );
      const part = await fetch(address, { headers: { range: 'bytes=2-4' } });
      assert.deepEqual([part.status, await part.text()], [206, '234']);
      const url = new URL(address);
      assert.equal(url.searchParams.get('X-Amz-Expires'), '60');
      url.searchParams.set('X-Amz-Expires', '6000');
      assert.equal((await fetch(url)).status, 403);
      // What is not signed is no request for S3.
      assert.equal((await fetch(`${client.settings.bucketUrl}/${client.settings.prefix}files/file_1`)).status, 400);
      await assert.rejects(files.address!('../file_1', 60, sentAs), TypeError);
    });
  });
});
