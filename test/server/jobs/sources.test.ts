import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ulid } from 'ulid';
import { timestamp } from '../../../base/timestamp.ts';
import { JobSources } from '../../../server/jobs/sources.ts';
import { LocalFiles, localFileStores } from '../../../storage/local-files/local-files.ts';
import type { Database } from '../../../storage/ports/database.ts';
import type { NewJobItem } from '../../../storage/ports/job-queue.ts';
import { StorageQuota } from '../../../storage/quota.ts';
import { withDatabase } from '../../support/database.ts';
import { failureOf } from '../../support/failure.ts';

const START = Date.UTC(2026, 10, 21, 5, 20);
const HOUR = 3_600_000;
const OWNER = 'acct_1';

interface SourcesFixture {
  database: Database;
  dataDir: string;
  sources: JobSources;
  clock: { now: number };
  open(room?: StorageQuota): Promise<JobSources>;
}

async function withSources(work: (house: SourcesFixture) => Promise<void>): Promise<void> {
  await withDatabase(async (database, dataDir) => {
    const clock = { now: START };
    const open = (room = new StorageQuota(1000)) =>
      JobSources.open(localFileStores(dataDir, room), database.jobs, () => clock.now);
    await work({ database, dataDir, sources: await open(), clock, open });
  });
}

const bytes = (text: string) => new TextEncoder().encode(text).buffer;
const jobAt = (time: number) => `job_${ulid(time)}`;

async function namesIn(dataDir: string): Promise<string[]> {
  return (await readdir(join(dataDir, 'jobs'))).filter((name) => name !== 'parts').sort();
}

/** Records a job with the given number of uploads. */
async function recordJob(database: Database, id: string, uploads: number): Promise<void> {
  const { id: accountId } = await database.accounts.create({ name: id, email: null, plan: 'pro' });
  const key = { accountId, name: 'k', mode: 'live', prefix: 'p', hash: id, scopes: [] } as const;
  const { id: keyId } = await database.keys.create({ ...key, monthlyLimit: null, expiresAt: null });
  const pipeline = {
    pipelineName: null,
    pipelineVersion: null,
    outputName: null,
    outputs: null,
    steps: '[]',
    webhookUrl: null,
  };
  await database.transaction(async ({ jobs, jobQueue }) => {
    await jobs.insert({ id, accountId, keyId, ...pipeline, createdAt: timestamp(START) });
    const source = (n: number): NewJobItem => ({
      sourceKind: 'file',
      source: JobSources.nameOf(id, n),
      filename: null,
    });
    await jobQueue.enqueue(
      id,
      Array.from({ length: uploads }, (_, n) => source(n)),
    );
  });
}

describe('the sources of jobs', () => {
  it('are in a private folder until they are removed', async () => {
    await withSources(async ({ sources, dataDir }) => {
      const [id, other] = [jobAt(START), jobAt(START)];
      for (const name of [JobSources.nameOf(id, 0), JobSources.nameOf(id, 1), JobSources.watermarkOf(id)])
        await sources.put(name, bytes(name), OWNER);
      await sources.put(JobSources.nameOf(other, 0), bytes('other'), OWNER);
      assert.equal((await stat(join(dataDir, 'jobs'))).mode & 0o777, 0o700);
      assert.equal((await stat(join(dataDir, 'jobs', `${id}_0`))).mode & 0o777, 0o600);
      const sizes: number[] = [];
      const read = await sources.read(`${id}_0`, (size) => sizes.push(size));
      assert.equal(new TextDecoder().decode(read), `${id}_0`);
      assert.deepEqual(sizes, [32]);
      await sources.remove(`${id}_0`);
      await failureOf('expired', () => sources.read(`${id}_0`, () => {}));
      await sources.removeAll(id);
      assert.deepEqual(await namesIn(dataDir), [`${other}_0`]);
    });
  });

  it('are not read if there is no memory for them', async () => {
    await withSources(async ({ sources }) => {
      const name = JobSources.nameOf(jobAt(START), 0);
      await sources.put(name, bytes('abc'), OWNER);
      const full = new RangeError('full');
      await assert.rejects(
        sources.read(name, () => {
          throw full;
        }),
        full,
      );
    });
  });

  it('count against the disk quota that they share with the results', async () => {
    await withSources(async ({ dataDir, open }) => {
      const room = new StorageQuota(10);
      const results = await LocalFiles.open(join(dataDir, 'files'), room);
      const sources = await open(room);
      await results.put('file_1', new Uint8Array(6));
      const name = JobSources.nameOf(jobAt(START), 0);
      await failureOf('storage_full', () => sources.put(name, new ArrayBuffer(5), OWNER));
      await sources.put(name, new ArrayBuffer(4), OWNER);
      await failureOf('storage_full', () => results.put('file_2', new Uint8Array(1)));
      await sources.remove(name);
      await results.put('file_2', new Uint8Array(4));
      // Files that exist at the start are counted too.
      const after = new StorageQuota(11);
      await LocalFiles.open(join(dataDir, 'files'), after);
      const restarted = await open(after);
      await failureOf('storage_full', () => restarted.put(name, new ArrayBuffer(2), OWNER));
      await restarted.put(name, new ArrayBuffer(1), OWNER);
    });
  });

  it('are removed at the start if no open job needs them', async () => {
    await withSources(async ({ database, dataDir, sources, open }) => {
      const [job, ended, unknown] = [jobAt(START), jobAt(START), jobAt(START)];
      for (const id of [job, ended]) await recordJob(database, id, 2);
      for (const id of [job, ended, unknown])
        for (const name of [`${id}_0`, `${id}_1`, `${id}_watermark`]) await sources.put(name, bytes('x'), OWNER);
      const end = { status: 'cancelled', errorCode: null, errorMessage: null, finishedAt: timestamp(START) } as const;
      await database.transaction(async ({ jobs, jobQueue }) => {
        await jobs.end(ended, end);
        const now = timestamp(START);
        const { item } = (await jobQueue.lease({ now, until: now, runningJobs: 5 }))!;
        await jobQueue.fail(item, { errorCode: 'corrupt_image', errorMessage: '', finishedAt: now });
      });
      await (await open()).removeOrphanFiles();
      assert.deepEqual(await namesIn(dataDir), [`${job}_1`, `${job}_watermark`]);
    });
  });

  it('are kept for an hour at most, even while their job waits', async () => {
    await withSources(async ({ database, dataDir, sources, clock }) => {
      const [old, young] = [jobAt(START), jobAt(START + 1)];
      await recordJob(database, old, 1);
      await sources.put(`${old}_0`, bytes('x'), OWNER);
      await sources.put(`${young}_0`, bytes('x'), OWNER);
      clock.now = START + HOUR - 1;
      await sources.sweep();
      assert.deepEqual(await namesIn(dataDir), [`${old}_0`, `${young}_0`]);
      clock.now = START + HOUR;
      await sources.sweep();
      assert.deepEqual(await namesIn(dataDir), [`${young}_0`]);
    });
  });
});
