import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../base/id.ts';
import { type Database, openDatabase } from '../../storage/database.ts';
import type { ItemDone, Lease, NewJobItem } from '../../storage/job-queue.ts';
import type { Job, JobItem } from '../../storage/repositories/jobs.ts';
import { timestamp } from '../../storage/schema.ts';
import { withFolder } from '../support/folder.ts';

const START = Date.UTC(2026, 10, 21, 5, 20);
const MINUTE = 60_000;

interface Owner {
  accountId: string;
  keyId: string;
}

/** A queue on a real file, with a clock that is set by hand. */
class House {
  readonly dataDir: string;
  database: Database;
  now = START;
  runningJobs = 5;

  constructor(dataDir: string, database: Database) {
    this.dataDir = dataDir;
    this.database = database;
  }

  get time(): string {
    return timestamp(this.now);
  }

  async owner(name: string): Promise<Owner> {
    const { id: accountId } = await this.database.accounts.create({ name, email: null, plan: 'pro' });
    const { id: keyId } = await this.database.keys.create({
      accountId,
      name: 'k',
      mode: 'live',
      prefix: 'ic_live_',
      hash: name,
      scopes: [],
      monthlyLimit: null,
      expiresAt: null,
    });
    return { accountId, keyId };
  }

  async job(owner: Owner, items: number): Promise<string> {
    const id = newId('job');
    const pipeline = { pipelineName: null, pipelineVersion: null, outputName: null, steps: '[]' };
    await this.database.transaction(async ({ jobs, jobQueue }) => {
      await jobs.insert({ id, ...owner, ...pipeline, webhookUrl: null, createdAt: this.time });
      const source = (n: number): NewJobItem => ({ sourceKind: 'file', source: `${id}_${n}`, filename: `${n}.png` });
      await jobQueue.enqueue(
        id,
        Array.from({ length: items }, (_, n) => source(n)),
      );
    });
    return id;
  }

  async lease(until = this.now + MINUTE): Promise<{ job: Job; item: JobItem; started: boolean } | undefined> {
    const { time: now, runningJobs } = this;
    return await this.database.transaction(({ jobQueue }) =>
      jobQueue.lease({ now, until: timestamp(until), runningJobs }),
    );
  }

  /** Takes the next item up and says which: `<job>:<position>`. */
  async next(): Promise<string | undefined> {
    const leased = await this.lease();
    this.now += 1;
    return leased && `${leased.job.id}:${leased.item.position}`;
  }

  done(bytes = 10): ItemDone {
    const counts = { originalBytes: 100, bytes, requests: 1, ai: 0 };
    return { fileId: 'file_1', result: '{}', ...counts, finishedAt: this.time };
  }

  async complete(lease: Lease): Promise<boolean> {
    return await this.database.transaction(({ jobQueue }) => jobQueue.complete(lease, this.done()));
  }

  async recover(endedBefore?: string): Promise<Lease[]> {
    return await this.database.transaction(({ jobQueue }) => jobQueue.recover({ endedBefore, mostAttempts: 3 }));
  }

  async statuses(jobId: string): Promise<string[]> {
    return (await this.database.jobs.items([jobId])).map(({ status }) => status);
  }
}

async function withHouse(work: (house: House) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const house = new House(folder, await openDatabase(folder));
    try {
      await work(house);
    } finally {
      await house.database.close();
    }
  });
}

describe('the queue of items', () => {
  it('hands out each item once, in their order, and starts the job', async () => {
    await withHouse(async (house) => {
      const id = await house.job(await house.owner('anna'), 3);
      const first = await house.lease();
      assert.deepEqual([first?.job.status, first?.job.startedAt, first?.started], ['running', house.time, true]);
      assert.deepEqual([first?.item.status, first?.item.attempts], ['running', 1]);
      assert.equal(first?.item.leaseUntil, timestamp(house.now + MINUTE));
      house.now += 1000;
      const second = await house.lease();
      assert.deepEqual([second?.item.position, second?.started], [1, false]);
      assert.equal(second?.job.startedAt, timestamp(START));
      assert.equal(await house.next(), `${id}:2`);
      assert.equal(await house.next(), undefined);
      assert.deepEqual(await house.statuses(id), ['running', 'running', 'running']);
    });
  });

  it('keeps the end of an item only while its lease holds', async () => {
    await withHouse(async (house) => {
      const id = await house.job(await house.owner('anna'), 2);
      const { item: first } = (await house.lease())!;
      assert.equal(await house.complete(first), true);
      assert.equal(await house.complete(first), false);
      const { item: second } = (await house.lease())!;
      await house.recover();
      // Taken up again by somebody else: the first one's end comes too late.
      const { item: again } = (await house.lease())!;
      assert.deepEqual([again.position, again.attempts], [1, 2]);
      assert.equal(await house.complete(second), false);
      const failed = { errorCode: 'corrupt_image', errorMessage: 'No.', finishedAt: house.time };
      const fail = (lease: Lease) => house.database.transaction(({ jobQueue }) => jobQueue.fail(lease, failed));
      assert.equal(await fail(second), false);
      assert.equal(await fail(again), true);
      const [one, other] = await house.database.jobs.items([id]);
      assert.deepEqual([one?.status, one?.bytes, one?.fileId, one?.requests], ['done', 10, 'file_1', 1]);
      assert.deepEqual([other?.status, other?.errorCode, other?.leaseUntil], ['failed', 'corrupt_image', null]);
    });
  });

  it('takes an item back as if it had not been tried, at once or later', async () => {
    await withHouse(async (house) => {
      const id = await house.job(await house.owner('anna'), 2);
      const { item } = (await house.lease())!;
      await house.database.transaction(({ jobQueue }) => jobQueue.giveBack(item, timestamp(house.now + 5000)));
      assert.equal(await house.next(), `${id}:1`);
      assert.equal(await house.next(), undefined);
      house.now = START + 5000;
      const again = await house.lease();
      assert.deepEqual([again?.item.position, again?.item.attempts, again?.item.nextAttemptAt], [0, 1, null]);
      await house.database.transaction(({ jobQueue }) => jobQueue.giveBack(again!.item, null));
      assert.equal(await house.next(), `${id}:0`);
    });
  });

  it('takes back what has not been renewed, and leaves what has', async () => {
    await withHouse(async (house) => {
      const id = await house.job(await house.owner('anna'), 2);
      const { item: kept } = (await house.lease())!;
      const { item: lost } = (await house.lease())!;
      house.now += MINUTE - 1;
      assert.deepEqual(await house.recover(house.time), []);
      assert.deepEqual(await house.statuses(id), ['running', 'running']);
      const until = timestamp(house.now + MINUTE);
      assert.equal(await house.database.transaction(({ jobQueue }) => jobQueue.extend(kept, until)), true);
      house.now += 1;
      await house.recover(house.time);
      assert.deepEqual(await house.statuses(id), ['running', 'queued']);
      assert.equal(await house.database.transaction(({ jobQueue }) => jobQueue.extend(lost, until)), false);
      assert.equal((await house.database.jobs.find(id))?.status, 'running');
    });
  });

  it('goes on after the process has ended, and names what it has ended under three times', async () => {
    await withHouse(async (house) => {
      const id = await house.job(await house.owner('anna'), 3);
      await house.complete((await house.lease())!.item);
      const restart = async () => {
        await house.database.close();
        house.database = await openDatabase(house.dataDir);
        return await house.recover();
      };
      for (const attempts of [1, 2]) {
        assert.equal((await house.lease())?.item.attempts, attempts);
        assert.deepEqual(await restart(), []);
        assert.equal((await house.database.jobs.find(id))?.status, 'queued');
        assert.deepEqual(await house.statuses(id), ['done', 'queued', 'queued']);
      }
      assert.equal((await house.lease())?.item.attempts, 3);
      assert.deepEqual(await restart(), [{ jobId: id, position: 1, attempts: 3 }]);
    });
  });
});

describe('the order between accounts', () => {
  it('gives way to whoever has least in work, however many images another one has', async () => {
    await withHouse(async (house) => {
      const many = await house.job(await house.owner('anna'), 1000);
      for (const position of [0, 1, 2]) assert.equal(await house.next(), `${many}:${position}`);
      const one = await house.job(await house.owner('ben'), 1);
      assert.equal(await house.next(), `${one}:0`);
      assert.equal(await house.next(), `${many}:3`);
    });
  });

  it('lets those who have as much in work take turns', async () => {
    await withHouse(async (house) => {
      const ids: string[] = [];
      for (const name of ['anna', 'ben', 'cleo', 'dora']) ids.push(await house.job(await house.owner(name), 9));
      const served: string[] = [];
      for (let turn = 0; turn < 8; turn += 1) {
        const { job, item } = (await house.lease())!;
        served.push(job.id);
        house.now += 1;
        await house.complete(item);
      }
      assert.deepEqual(served, [...ids, ...ids]);
    });
  });

  it("takes an account's jobs in the order in which they came, not more at a time than may run", async () => {
    await withHouse(async (house) => {
      house.runningJobs = 2;
      const anna = await house.owner('anna');
      const ids: string[] = [];
      for (let n = 0; n < 3; n += 1) ids.push(await house.job(anna, 1));
      const first = (await house.lease())!;
      assert.equal(await house.next(), `${ids[1]}:0`);
      assert.equal(await house.next(), undefined);
      const other = await house.job(await house.owner('ben'), 1);
      assert.equal(await house.next(), `${other}:0`);
      await house.complete(first.item);
      assert.equal(await house.next(), undefined);
      const end = { status: 'done', errorCode: null, errorMessage: null, finishedAt: house.time } as const;
      await house.database.transaction(({ jobs }) => jobs.end(ids[0]!, end));
      assert.equal(await house.next(), `${ids[2]}:0`);
    });
  });

  it('passes over jobs that have nothing due', async () => {
    await withHouse(async (house) => {
      const anna = await house.owner('anna');
      const [delayed, ended, open] = [await house.job(anna, 1), await house.job(anna, 2), await house.job(anna, 1)];
      const { item } = (await house.lease())!;
      await house.database.transaction(({ jobQueue }) => jobQueue.giveBack(item, timestamp(house.now + MINUTE)));
      const end = { status: 'cancelled', errorCode: null, errorMessage: null, finishedAt: house.time } as const;
      await house.database.transaction(({ jobs }) => jobs.end(ended, end));
      assert.equal(await house.next(), `${open}:0`);
      assert.equal(await house.next(), undefined);
      house.now += MINUTE;
      assert.equal(await house.next(), `${delayed}:0`);
    });
  });
});
