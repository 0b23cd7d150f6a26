import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Failure } from '../../base/failure.ts';
import { startExpiry } from '../../storage/expiry.ts';
import { LocalFiles } from '../../storage/local-files/local-files.ts';
import type { Database } from '../../storage/ports/database.ts';
import { StorageQuota } from '../../storage/quota.ts';
import { type NewResult, Results } from '../../storage/results.ts';
import { openDatabase } from '../../storage/sqlite/database.ts';
import { failureOf } from '../support/failure.ts';
import { withFolder } from '../support/folder.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 21, 5, 20);

interface ResultsFixture {
  database: Database;
  files: LocalFiles;
  results: Results;
  accountId: string;
  folder: string;
  clock: { now: number };
}

/** Runs `work` with results in a real database and folder, and a clock that only the test sets. */
async function withResults(work: (house: ResultsFixture) => Promise<void>, limitBytes = 1_000_000): Promise<void> {
  await withFolder(async (dataDir) => {
    const folder = join(dataDir, 'files');
    const database = await openDatabase(dataDir);
    const files = await LocalFiles.open(folder, new StorageQuota(limitBytes));
    const { id: accountId } = await database.accounts.create({ name: 'anna', email: null, plan: 'free' });
    const clock = { now: START };
    const results = new Results(database.files, files, () => clock.now);
    try {
      await work({ database, files, results, accountId, folder, clock });
    } finally {
      await database.close();
    }
  });
}

function result(text: string): NewResult {
  const data = new TextEncoder().encode(text).buffer;
  return { data, filename: 'photo.webp', contentType: 'image/webp', format: 'webp', width: 4, height: 3 };
}

/** Yields the chunks of a stream. An error among them ends the stream. */
async function* arriving(chunks: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    if (chunk instanceof Error) throw chunk;
    yield Buffer.from(chunk);
  }
}

/** Lists the stored files, without the folder of incomplete files. */
async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== 'parts').sort();
}

describe('put and open', () => {
  it('return the bytes, whole and in part', async () => {
    await withResults(async ({ results, accountId, folder }) => {
      const record = await results.put(accountId, result('0123456789'));
      assert.match(record.id, /^file_[0-9A-HJKMNP-TV-Z]{26}$/);
      assert.equal(record.bytes, 10);
      assert.equal(record.sha256, createHash('sha256').update('0123456789').digest('hex'));
      assert.equal(record.createdAt, '2026-11-21T05:20:00.000Z');
      assert.equal(record.expiresAt, '2026-11-21T06:20:00.000Z');
      assert.deepEqual(await results.find(accountId, record.id), record);
      assert.equal((await buffer(await results.open(record))).toString(), '0123456789');
      assert.equal((await buffer(await results.open(record, { start: 2, end: 4 }))).toString(), '234');
      assert.deepEqual(await readdir(join(folder, 'parts')), []);
      assert.equal((await stat(join(folder, record.id))).mode & 0o777, 0o600);
    });
  });

  it("do not return another account's result", async () => {
    await withResults(async ({ results, accountId }) => {
      const { id } = await results.put(accountId, result('a'));
      await failureOf('not_found', () => results.find('acct_other', id));
      await failureOf('not_found', () => results.delete('acct_other', id));
      await failureOf('not_found', () => results.find(accountId, 'file_none'));
      await results.find(accountId, id);
    });
  });

  it('leave no bytes behind when the record cannot be written', async () => {
    await withResults(async ({ results, folder, files }) => {
      await assert.rejects(results.put('acct_none', result('abc')), { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' });
      assert.deepEqual(await namesIn(folder), []);
      assert.equal(files.usedBytes, 0);
    });
  });

  it('write the bytes of a result separately from its record, for a larger transaction', async () => {
    await withResults(async ({ results, accountId, folder, files, database }) => {
      const [kept, discarded] = [
        await results.write(accountId, result('abc')),
        await results.write(accountId, result('d')),
      ];
      assert.deepEqual(await namesIn(folder), [kept.id, discarded.id].sort());
      await failureOf('not_found', () => results.find(accountId, kept.id));
      await database.transaction((repositories) => repositories.files.insert(kept));
      assert.deepEqual(await results.find(accountId, kept.id), kept);
      await results.discard(discarded);
      assert.deepEqual(await namesIn(folder), [kept.id]);
      assert.equal(files.usedBytes, 3);
    });
  });

  it('write a stream as it arrives, hash it, and give the result its lifetime', async () => {
    await withResults(async ({ results, accountId, folder, files, database, clock }) => {
      const { data: _, ...description } = result('');
      const chunks = ['012', '', '3456789'];
      const record = await results.writeStream(accountId, description, arriving(chunks), { seconds: 86_400 });
      assert.deepEqual(record, {
        id: record.id,
        accountId,
        ...description,
        bytes: 10,
        sha256: createHash('sha256').update('0123456789').digest('hex'),
        createdAt: '2026-11-21T05:20:00.000Z',
        expiresAt: '2026-11-22T05:20:00.000Z',
        removedAt: null,
      });
      assert.equal((await stat(join(folder, record.id))).mode & 0o777, 0o600);
      assert.equal(files.usedBytes, 10);
      await database.files.insert(record);
      clock.now = START + 24 * HOUR - 1;
      await results.sweep();
      assert.equal(
        (await buffer(await results.open(await results.find(accountId, record.id)))).toString(),
        '0123456789',
      );
      const short = await results.write(accountId, result('a'), { seconds: 60 });
      assert.equal(Date.parse(short.expiresAt) - clock.now, 60_000);
      assert.equal((await results.writeStream(accountId, description, arriving([]))).bytes, 0);
    });
  });

  it('leave nothing of an interrupted stream', async () => {
    await withResults(async ({ results, accountId, folder, files }) => {
      const { data: _, ...description } = result('');
      const broken = arriving(['abc', new RangeError('gone')]);
      await assert.rejects(results.writeStream(accountId, description, broken), RangeError);
      assert.deepEqual(await readdir(folder), ['parts']);
      assert.deepEqual(await readdir(join(folder, 'parts')), []);
      assert.equal(files.usedBytes, 0);
    });
  });

  it('delete no partial file that is still being written, however slowly', async () => {
    await withResults(async ({ results, accountId, clock }) => {
      const { data: _, ...description } = result('');
      const slow = async function* () {
        yield Buffer.from('abc');
        clock.now = Date.now() + 2 * HOUR;
        await results.sweep();
        yield Buffer.from('def');
      };
      assert.equal((await results.writeStream(accountId, description, slow())).bytes, 6);
    });
  });

  it('remove a result before it expires', async () => {
    await withResults(async ({ results, accountId, folder }) => {
      const { id } = await results.put(accountId, result('abc'));
      await results.delete(accountId, id);
      await failureOf('not_found', () => results.find(accountId, id));
      assert.deepEqual(await namesIn(folder), []);
    });
  });
});

describe('the storage limit', () => {
  it('is reached exactly, also by concurrent results, and freed by removing', async () => {
    await withResults(async ({ results, database, files, folder }) => {
      const put = async (name: string, text: string) => {
        const { id } = await database.accounts.create({ name, email: null, plan: 'free' });
        return await results.put(id, result(text));
      };
      const first = await put('one', '1234567');
      const both = await Promise.allSettled([put('two', 'abc'), put('three', 'def')]);
      assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      assert.equal(files.usedBytes, 10);
      await failureOf('storage_full', () => put('four', 'x'));
      assert.equal((await namesIn(folder)).length, 2);
      await results.delete(first.accountId, first.id);
      await put('five', '7654321');
    }, 10);
  });
});

describe('the share of an account', () => {
  interface Stored {
    clock: { now: number };
    files: LocalFiles;
    results: Results;
    owners: { anna: string; ben: string };
    /** Opens the same folder and database again, as after a restart. */
    restarted(): Promise<Results>;
  }

  /** Runs `work` with storage of 100 bytes for two accounts. */
  async function withTwoAccounts(work: (stored: Stored) => Promise<void>): Promise<void> {
    await withFolder(async (dataDir) => {
      const folder = join(dataDir, 'files');
      const database = await openDatabase(dataDir);
      const clock = { now: START };
      const createAccount = async (name: string) =>
        (await database.accounts.create({ name, email: null, plan: 'free' })).id;
      const open = () => LocalFiles.open(folder, new StorageQuota(100, (name) => database.files.ownerOf(name)));
      const resultsOn = (files: LocalFiles) => new Results(database.files, files, () => clock.now);
      try {
        const owners = { anna: await createAccount('anna'), ben: await createAccount('ben') };
        const files = await open();
        const restarted = async () => resultsOn(await open());
        await work({ clock, files, results: resultsOn(files), owners, restarted });
      } finally {
        await database.close();
      }
    });
  }

  /** Stores results of `bytes` bytes until the storage is full; returns their ids. */
  async function fill(results: Results, accountId: string, bytes: number): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      try {
        ids.push((await results.put(accountId, result('x'.repeat(bytes)))).id);
      } catch (error) {
        assert.equal((error as Failure).code, 'storage_full');
        return ids;
      }
    }
  }

  it('is limited by what is free, so that another account always has room', async () => {
    await withTwoAccounts(async ({ results, owners }) => {
      assert.equal((await fill(results, owners.anna, 10)).length, 5);
      const { message } = await failureOf('storage_full', () => results.put(owners.anna, result('x')));
      assert.match(message, /this account/);
      assert.equal((await fill(results, owners.ben, 5)).length, 5);
      assert.equal((await fill(results, owners.anna, 1)).length, 0);
    });
  });

  it('grows again when its results are removed or expire', async () => {
    await withTwoAccounts(async ({ results, owners, clock }) => {
      const [first] = await fill(results, owners.anna, 10);
      await results.delete(owners.anna, first!);
      assert.equal((await fill(results, owners.anna, 10)).length, 1);
      await assert.rejects(results.put('acct_none', result('abc')));
      clock.now = START + HOUR;
      await results.sweep();
      assert.equal((await fill(results, owners.anna, 10)).length, 5);
    });
  });

  it('is the same after a restart', async () => {
    await withTwoAccounts(async ({ results, owners, restarted }) => {
      await fill(results, owners.anna, 10);
      const again = await restarted();
      assert.equal((await fill(again, owners.anna, 1)).length, 0);
      assert.equal((await fill(again, owners.ben, 5)).length, 5);
    });
  });

  it('allows the first file to be larger, and a replacement to be as large as what it replaces', async () => {
    await withTwoAccounts(async ({ results, files, owners }) => {
      await files.put('first', new Uint8Array(80), { accountId: owners.anna });
      await failureOf('storage_full', () => results.put(owners.anna, result('x')));
      const whole = await results.put(owners.anna, { ...result('x'.repeat(80)), replacedBytes: 80 });
      assert.deepEqual([whole.bytes, files.usedBytes], [80, 160]);
      await files.remove('first');
      await failureOf('storage_full', () => results.put(owners.anna, { ...result('x'.repeat(10)), replacedBytes: 9 }));
      await results.put(owners.ben, result('x'.repeat(20)));
    });
  });
});

describe('expiry', () => {
  it('depends on time, whether or not the files were deleted', async () => {
    await withResults(async ({ results, accountId, clock }) => {
      const { id } = await results.put(accountId, result('abc'));
      clock.now = START + HOUR - 1;
      await results.find(accountId, id);
      clock.now = START + HOUR;
      await failureOf('expired', () => results.find(accountId, id));
      await failureOf('not_found', () => results.find('acct_other', id));
      clock.now = START + 25 * HOUR - 1;
      await failureOf('expired', () => results.find(accountId, id));
      clock.now = START + 25 * HOUR;
      await failureOf('not_found', () => results.find(accountId, id));
    });
  });

  it('removes the bytes after an hour and the record a day later', async () => {
    await withResults(async ({ results, accountId, clock, folder, database }) => {
      const old = await results.put(accountId, result('old'));
      clock.now = START + HOUR / 2;
      const young = await results.put(accountId, result('young'));

      clock.now = START + HOUR;
      await results.sweep();
      assert.deepEqual(await namesIn(folder), [young.id]);
      assert.equal(results.usedBytes, 5);
      await failureOf('expired', () => results.find(accountId, old.id));
      assert.equal((await database.files.find(old.id))?.removedAt, '2026-11-21T06:20:00.000Z');

      clock.now = START + 25 * HOUR;
      await results.sweep();
      assert.equal(await database.files.find(old.id), undefined);
      assert.deepEqual(await namesIn(folder), []);
      await failureOf('expired', () => results.find(accountId, young.id));
    });
  });

  it('deletes more files than fit into one batch', async () => {
    await withResults(async ({ results, accountId, clock, folder, database }) => {
      const { id: _, ...template } = await results.put(accountId, result('abc'));
      for (let n = 0; n < 501; n += 1) await database.files.insert({ ...template, id: `file_${n}` });
      clock.now = START + HOUR;
      await results.sweep();
      assert.deepEqual(await namesIn(folder), []);
      assert.deepEqual(await database.files.storedIds(), []);
    });
  });

  it('cleans up at the start after a crash', async () => {
    await withResults(async ({ results, accountId, folder, database, clock }) => {
      const kept = await results.put(accountId, result('kept'));
      await writeFile(join(folder, 'file_without_record'), 'abc');
      for (const [name, age] of [
        ['file_half', 61_000],
        ['file_being_written', 59_000],
      ] as const) {
        const path = join(folder, 'parts', name);
        await writeFile(path, 'ab');
        await utimes(path, new Date(START - age), new Date(START - age));
      }
      const files = await LocalFiles.open(folder, new StorageQuota(1000));
      const restarted = new Results(database.files, files, () => clock.now);
      const expiry = await startExpiry([restarted], assert.ifError);
      await expiry.stop();
      assert.deepEqual(await namesIn(folder), [kept.id]);
      assert.deepEqual(await readdir(join(folder, 'parts')), ['file_being_written']);
      assert.equal(files.usedBytes, 4);
      assert.equal(await readFile(join(folder, kept.id), 'utf8'), 'kept');
    });
  });

  it('runs every minute, also after a failure', async (t) => {
    await withResults(async ({ results }) => {
      t.mock.timers.enable({ apis: ['setInterval'] });
      const sweep = t.mock.method(results, 'sweep');
      const errors: unknown[] = [];
      const expiry = await startExpiry([results], (error) => errors.push(error));
      assert.equal(sweep.mock.callCount(), 1);
      sweep.mock.mockImplementationOnce(() => Promise.reject(new RangeError('disk')));
      t.mock.timers.tick(60_000);
      await setImmediate();
      assert.equal(errors.length, 1);
      t.mock.timers.tick(60_000);
      await expiry.stop();
      assert.equal(sweep.mock.callCount(), 3);
      t.mock.timers.tick(60_000);
      assert.equal(sweep.mock.callCount(), 3);
    });
  });

  it('deletes everything it can, whatever fails', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const swept: string[] = [];
    let broken = false;
    const expiring = ['first', 'second'].map((name) => ({
      removeOrphans: async () => void swept.push(`orphans of ${name}`),
      removeOrphanFiles: async () => void swept.push(`files of ${name}`),
      sweep: async () => {
        if (broken && name === 'first') throw new RangeError('disk');
        swept.push(name);
      },
    }));
    const errors: unknown[] = [];
    const expiry = await startExpiry(expiring, (error) => errors.push(error));
    const first = ['orphans of first', 'files of first', 'first'];
    assert.deepEqual(swept.splice(0), [...first, 'orphans of second', 'files of second', 'second']);
    broken = true;
    t.mock.timers.tick(60_000);
    await expiry.stop();
    assert.deepEqual([swept, errors.length], [['second'], 1]);
  });

  it('looks for files without a record again every hour', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const events: string[] = [];
    const store = {
      removeOrphans: async () => void events.push('orphans'),
      removeOrphanFiles: async () => void events.push('files'),
      sweep: async () => void events.push('sweep'),
    };
    const expiry = await startExpiry([store], assert.ifError);
    assert.deepEqual(events.splice(0), ['orphans', 'files', 'sweep']);
    for (let minute = 0; minute < 120; minute += 1) {
      t.mock.timers.tick(60_000);
      await setImmediate();
    }
    await expiry.stop();
    assert.equal(events.filter((event) => event === 'sweep').length, 120);
    assert.deepEqual(
      events.filter((event) => event !== 'sweep'),
      ['files', 'files'],
    );
  });
});
