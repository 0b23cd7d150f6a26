import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../../base/id.ts';
import { timestamp } from '../../../../base/timestamp.ts';
import type { Database } from '../../../../storage/ports/database.ts';
import type { ItemDone, Lease, LeaseOptions, NewJobItem } from '../../../../storage/ports/job-queue.ts';
import type { Job, JobItem } from '../../../../storage/records/jobs.ts';
import { onEachDatabase } from '../../../support/database.ts';

const START = Date.UTC(2026, 10, 21, 5, 20);
const MINUTE = 60_000;

interface Owner {
  accountId: string;
  keyId: string;
}

/** A queue in a real database file, with a clock that the test sets. */
class QueueFixture {
  database: Database;
  /** Opens the database once more, as another process. */
  readonly open: () => Promise<Database>;
  now = START;
  runningJobs = 5;

  constructor(database: Database, open: () => Promise<Database>) {
    this.database = database;
    this.open = open;
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

  async job(owner: Owner, items: number, sourceKind: NewJobItem['sourceKind'] = 'file'): Promise<string> {
    const id = newId('job');
    const pipeline = { pipelineName: null, pipelineVersion: null, outputName: null, outputs: null, steps: '[]' };
    await this.database.transaction(async ({ jobs, jobQueue }) => {
      await jobs.insert({ id, ...owner, ...pipeline, webhookUrl: null, createdAt: this.time });
      const source = (n: number): NewJobItem => ({ sourceKind, source: `${id}_${n}`, filename: `${n}.png` });
      await jobQueue.enqueue(
        id,
        Array.from({ length: items }, (_, n) => source(n)),
      );
    });
    return id;
  }

  async lease(options: Partial<LeaseOptions> = {}): Promise<{ job: Job; item: JobItem; started: boolean } | undefined> {
    const { time: now, runningJobs } = this;
    const until = timestamp(this.now + MINUTE);
    return await this.database.transaction(({ jobQueue }) => jobQueue.lease({ now, until, runningJobs, ...options }));
  }

  /** Leases the next item and returns it as `<job>:<position>`. */
  async next(options?: Partial<LeaseOptions>): Promise<string | undefined> {
    const leased = await this.lease(options);
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

  async begin(lease: Lease): Promise<void> {
    await this.database.transaction(({ jobQueue }) => jobQueue.begin(lease));
  }

  async end(jobId: string): Promise<void> {
    const end = { status: 'done', errorCode: null, errorMessage: null, finishedAt: this.time } as const;
    await this.database.transaction(({ jobs }) => jobs.end(jobId, end));
  }

  async recover(endedBefore?: string): Promise<JobItem[]> {
    return await this.database.transaction(({ jobQueue }) => jobQueue.recover({ endedBefore, mostAttempts: 3 }));
  }

  async statuses(jobId: string): Promise<string[]> {
    return (await this.database.jobs.items([jobId])).map(({ status }) => status);
  }
}

onEachDatabase((withDatabase) => {
  const withQueue = (work: (house: QueueFixture) => Promise<void>): Promise<void> =>
    withDatabase(async (database, open) => {
      const house = new QueueFixture(database, open);
      try {
        await work(house);
      } finally {
        // It may have been opened again.
        await house.database.close();
      }
    });

  describe('the item queue', () => {
    it('leases each item once, in order, and starts the job', async () => {
      await withQueue(async (house) => {
        const id = await house.job(await house.owner('anna'), 3);
        const first = await house.lease();
        assert.deepEqual([first?.job.status, first?.job.startedAt, first?.started], ['running', house.time, true]);
        assert.deepEqual([first?.item.status, first?.item.attempts, first?.item.leases], ['running', 0, 1]);
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

    it('saves the result of an item only while its lease is valid', async () => {
      await withQueue(async (house) => {
        const id = await house.job(await house.owner('anna'), 2);
        const { item: first } = (await house.lease())!;
        assert.equal(await house.complete(first), true);
        assert.equal(await house.complete(first), false);
        const { item: second } = (await house.lease())!;
        await house.recover();
        // Another runner leases the item again, so the first one completes it too late.
        const { item: again } = (await house.lease())!;
        assert.deepEqual([again.position, again.attempts, again.leases], [1, 0, 2]);
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

    it('returns an item without counting the attempt, at once or later', async () => {
      await withQueue(async (house) => {
        const id = await house.job(await house.owner('anna'), 2);
        const { item } = (await house.lease())!;
        await house.database.transaction(({ jobQueue }) => jobQueue.giveBack(item, timestamp(house.now + 5000)));
        assert.equal(await house.next(), `${id}:1`);
        assert.equal(await house.next(), undefined);
        house.now = START + 5000;
        const again = await house.lease();
        assert.deepEqual([again?.item.position, again?.item.attempts, again?.item.nextAttemptAt], [0, 0, null]);
        await house.begin(again!.item);
        await house.database.transaction(({ jobQueue }) => jobQueue.giveBack(again!.item, null));
        assert.equal(await house.next(), `${id}:0`);
      });
    });

    it('returns items whose lease was not renewed, and keeps the others', async () => {
      await withQueue(async (house) => {
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

    it('continues after the process has ended, and reports items that workers began three times', async () => {
      await withQueue(async (house) => {
        const id = await house.job(await house.owner('anna'), 2);
        await house.complete((await house.lease())!.item);
        const restart = async () => {
          await house.database.close();
          house.database = await house.open();
          return await house.recover();
        };
        for (const attempts of [0, 1, 2]) {
          // A lease alone is not an attempt.
          assert.equal((await house.lease())?.item.attempts, attempts);
          assert.deepEqual(await restart(), []);
          const { item } = (await house.lease())!;
          await house.begin(item);
          await house.begin(item);
          const worn = await restart();
          assert.deepEqual(
            worn.map(({ jobId, position, attempts: times }) => [jobId, position, times]),
            attempts === 2 ? [[id, 1, 3]] : [],
          );
          assert.equal((await house.database.jobs.find(id))?.status, 'queued');
          assert.deepEqual(await house.statuses(id), ['done', attempts === 2 ? 'running' : 'queued']);
        }
      });
    });

    it('counts no attempt for items that are returned or whose lease is lost', async () => {
      await withQueue(async (house) => {
        const id = await house.job(await house.owner('anna'), 1);
        const attempts = async () => (await house.database.jobs.items([id]))[0]?.attempts;
        const { item } = (await house.lease())!;
        await house.begin(item);
        assert.equal(await attempts(), 1);
        await house.database.transaction(({ jobQueue }) => jobQueue.giveBack(item, null));
        assert.equal(await attempts(), 0);
        await house.begin(item);
        await house.lease();
        await house.begin(item);
        assert.equal(await attempts(), 0);
      });
    });

    it('leases interrupted items after the others', async () => {
      await withQueue(async (house) => {
        const id = await house.job(await house.owner('anna'), 4);
        for (const attempts of [1, 2]) {
          for (let taken = 0; taken < attempts; taken += 1) await house.begin((await house.lease())!.item);
          await house.recover();
        }
        // Item 0 was interrupted first, then items 1 and 2.
        const order: (string | undefined)[] = [];
        for (let n = 0; n < 4; n += 1) order.push(await house.next());
        assert.deepEqual(
          order,
          [3, 0, 1, 2].map((position) => `${id}:${position}`),
        );
      });
    });
  });

  describe('the order between accounts', () => {
    it('prefers the account with the fewest running items, however many images another one has', async () => {
      await withQueue(async (house) => {
        const many = await house.job(await house.owner('anna'), 1000);
        for (const position of [0, 1, 2]) assert.equal(await house.next(), `${many}:${position}`);
        const one = await house.job(await house.owner('ben'), 1);
        assert.equal(await house.next(), `${one}:0`);
        assert.equal(await house.next(), `${many}:3`);
      });
    });

    it('alternates between accounts with equally many running items', async () => {
      await withQueue(async (house) => {
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

    it('lets an account with a series of short jobs wait for its turn', async () => {
      await withQueue(async (house) => {
        const many = await house.job(await house.owner('anna'), 9);
        const ben = await house.owner('ben');
        const served: string[] = [];
        for (let turn = 0; turn < 6; turn += 1) {
          await house.job(ben, 1);
          house.now += 1;
          const { job, item } = (await house.lease())!;
          served.push(job.id === many ? 'anna' : 'ben');
          await house.complete(item);
          if (job.id !== many) await house.end(job.id);
          house.now += 1;
        }
        assert.deepEqual(served, ['anna', 'ben', 'anna', 'ben', 'anna', 'ben']);
      });
    });
  });

  describe('the order between the jobs of an account', () => {
    it('alternates by item: one image does not wait for a hundred', async () => {
      await withQueue(async (house) => {
        const anna = await house.owner('anna');
        const many = await house.job(anna, 100);
        for (const position of [0, 1, 2]) assert.equal(await house.next(), `${many}:${position}`);
        const one = await house.job(anna, 1);
        const few = await house.job(anna, 2);
        assert.equal(await house.next(), `${one}:0`);
        assert.equal(await house.next(), `${few}:0`);
        assert.equal(await house.next(), `${few}:1`);
        assert.equal(await house.next(), `${many}:3`);
      });
    });

    it('alternates between jobs with equally many running items, and new jobs do not delay old ones forever', async () => {
      await withQueue(async (house) => {
        const anna = await house.owner('anna');
        const many = await house.job(anna, 9);
        let turns = 0;
        for (let turn = 0; turn < 6; turn += 1) {
          await house.job(anna, 1);
          house.now += 1;
          const { job, item } = (await house.lease())!;
          if (job.id === many) turns += 1;
          await house.complete(item);
          if (job.id !== many) await house.end(job.id);
          house.now += 1;
        }
        assert.ok(turns >= 2, `${turns}`);
      });
    });

    it('does not count items that wait for slow sources, and takes no more items with URLs', async () => {
      await withQueue(async (house) => {
        const anna = await house.owner('anna');
        const slow = await house.job(anna, 5, 'url');
        const other = await house.job(anna, 5);
        const third = await house.job(await house.owner('ben'), 9);
        const { job } = (await house.lease())!;
        assert.equal(job.id, slow);
        house.now += 1;
        const stalled = [job];
        const noFetch = (id: string) => id !== slow;
        assert.equal(await house.next({ stalled }), `${third}:0`);
        assert.equal(await house.next({ stalled, mayFetch: noFetch }), `${other}:0`);
        assert.equal(await house.next({ stalled, mayFetch: noFetch }), `${third}:1`);
        assert.equal(await house.next({ stalled, mayFetch: noFetch }), `${other}:1`);
        assert.equal(await house.next({ stalled, mayFetch: () => false }), `${third}:2`);
        assert.equal(await house.next({ stalled }), `${slow}:1`);
      });
    });

    it('starts jobs in the order of arrival, up to the limit of running jobs', async () => {
      await withQueue(async (house) => {
        house.runningJobs = 2;
        const anna = await house.owner('anna');
        const ids: string[] = [];
        for (let n = 0; n < 3; n += 1) ids.push(await house.job(anna, 1));
        const first = (await house.lease())!;
        assert.equal(first.job.id, ids[0]);
        assert.equal(await house.next(), `${ids[1]}:0`);
        assert.equal(await house.next(), undefined);
        const other = await house.job(await house.owner('ben'), 1);
        assert.equal(await house.next(), `${other}:0`);
        await house.complete(first.item);
        assert.equal(await house.next(), undefined);
        await house.end(ids[0]!);
        assert.equal(await house.next(), `${ids[2]}:0`);
      });
    });

    it('continues after a restart with the jobs that had begun', async () => {
      await withQueue(async (house) => {
        house.runningJobs = 2;
        const anna = await house.owner('anna');
        const ids: string[] = [];
        for (let n = 0; n < 4; n += 1) ids.push(await house.job(anna, 3));
        await house.lease();
        await house.lease();
        await house.recover();
        house.now += 1;
        const order: (string | undefined)[] = [];
        for (let n = 0; n < 4; n += 1) order.push(await house.next());
        assert.deepEqual(order, [`${ids[0]}:0`, `${ids[1]}:0`, `${ids[0]}:1`, `${ids[1]}:1`]);
      });
    });

    it('skips jobs that have no item due', async () => {
      await withQueue(async (house) => {
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
});
