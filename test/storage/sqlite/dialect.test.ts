import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Kysely, Migrator, sql } from 'kysely';
import { openSqlite } from '../../../base/sqlite/open.ts';
import { migrations } from '../../../storage/sql/migrations/index.ts';
import { SqlSiteScans } from '../../../storage/sql/repositories/site-scans.ts';
import { SharedSqliteDialect } from '../../../storage/sqlite/dialect.ts';
import { failureOf } from '../../support/failure.ts';
import { withFolder } from '../../support/folder.ts';
import { stopGrowth, withKysely } from '../../support/kysely.ts';
import { LOADER, program } from '../../support/repository.ts';

const ACCOUNT = { email: null, plan: 'free', disabled: 0, createdAt: '2026-11-21T05:20:00.000Z' };

describe('a transaction', () => {
  it('has the write lock from its start, and releases it however it ends', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'one.sqlite');
      const connection = openSqlite(path);
      connection.exec('pragma journal_mode = WAL');
      await withKysely(async (db) => {
        const other = openSqlite(path, { timeoutMs: 0 });
        const write = () => other.exec("update accounts set plan = 'pro'");
        await db.transaction().execute(async () => {
          assert.throws(write, { code: 'SQLITE_BUSY' });
        });
        write();
        const broken = db.transaction().execute(async () => {
          assert.throws(write, { code: 'SQLITE_BUSY' });
          throw new RangeError('half way');
        });
        await assert.rejects(broken, RangeError);
        write();
        other.close();
      }, connection);
    });
  });

  it('contains a whole migration, so that none is left half done', async () => {
    await withKysely(async (db) => {
      const up = async (on: Kysely<unknown>) => {
        await sql`create table half (a text)`.execute(on);
        throw new RangeError('half way');
      };
      const getMigrations = async () => ({ ...(await migrations.getMigrations()), '9999_broken': { up } });
      const migrator = new Migrator({ db: db.withoutPlugins(), provider: { getMigrations } });
      const { error } = await migrator.migrateToLatest();
      assert.ok(error instanceof RangeError);
      await assert.rejects(sql`select * from half`.execute(db), /no such table/);
    });
  });
});

describe('a migration', () => {
  it('keeps the lists of waiting scans', async () => {
    const connection = openSqlite(':memory:');
    const db = new Kysely<unknown>({ dialect: new SharedSqliteDialect(connection) });
    const earlier = await new Migrator({ db, provider: migrations }).migrateTo('0007_scan_lists');
    assert.equal(earlier.error, undefined);
    const list = 'https://example.com/a\nhttps://example.com/b';
    connection.prepare('insert into site_scan_lists (scan_id, list) values (?, ?)').run('scan_1', list);
    await withKysely(async (tables) => {
      const part = await new SqlSiteScans(tables).nextListPart('scan_1');
      assert.deepEqual(part, { scanId: 'scan_1', part: 0, addresses: list });
    }, connection);
  });
});

describe('a database that cannot grow', () => {
  const insert = (name: string) => ({ id: name, name, ...ACCOUNT });
  /** Longer than a database page, so that it needs a new page. */
  const LONG = 'x'.repeat(10_000);

  it('returns storage_full and keeps its data', async () => {
    await withKysely(async (db, connection) => {
      await db.insertInto('accounts').values(insert('anna')).execute();
      stopGrowth(connection);
      const { status, message } = await failureOf('storage_full', () =>
        db.insertInto('accounts').values(insert(LONG)).execute(),
      );
      assert.equal(status, 507);
      assert.equal(message, 'Expected room on the disk to store this but the disk is full.');
      await failureOf('storage_full', () => db.insertInto('accounts').values(insert(LONG)).returning('id').execute());
      assert.deepEqual(await db.selectFrom('accounts').select('id').execute(), [{ id: 'anna' }]);
    });
  });

  it('rolls back a transaction with storage_full, and the next one works', async () => {
    await withKysely(async (db, connection) => {
      await db.insertInto('accounts').values(insert('anna')).execute();
      stopGrowth(connection);
      const update = (plan: string) =>
        db.transaction().execute(async (transaction) => {
          await transaction.updateTable('accounts').set({ plan }).execute();
          // When this does not fit, SQLite itself rolls back the whole transaction.
          if (plan === 'full') await transaction.insertInto('accounts').values(insert(LONG)).execute();
        });
      await failureOf('storage_full', () => update('full'));
      await failureOf('storage_full', () => update('full'));
      await update('pro');
      assert.deepEqual(await db.selectFrom('accounts').select(['id', 'plan']).execute(), [{ id: 'anna', plan: 'pro' }]);
    });
  });

  it('is distinguished from an error of our own', async () => {
    await withKysely(async (db) => {
      await db.insertInto('accounts').values(insert('anna')).execute();
      await assert.rejects(db.insertInto('accounts').values(insert('anna')).execute(), {
        code: 'SQLITE_CONSTRAINT_UNIQUE',
      });
    });
  });

  // With a file size limit the same system call fails as on a full disk.
  it('returns storage_full when the kernel refuses to write', { skip: process.platform === 'win32' }, async () => {
    await withFolder(async (folder) => {
      const file = fileURLToPath(program('test/storage/sqlite/fill-database'));
      const script = `ulimit -f 2000; trap '' XFSZ; exec "$0" "$@"`;
      const child = spawn('bash', ['-c', script, process.execPath, ...LOADER, file, folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [out, [code]] = await Promise.all([child.stdout.setEncoding('utf8').toArray(), once(child, 'exit')]);
      assert.equal(code, 0);
      assert.deepEqual(JSON.parse(out.join('')), { alone: 'storage_full', together: 'storage_full', answers: true });
    });
  });
});

describe('SQL statements', () => {
  it('may be more than the cache holds', async () => {
    await withKysely(async (db) => {
      for (let round = 0; round < 2; round += 1)
        for (let n = 0; n < 510; n += 1) {
          const { rows } = await sql<{ n: number }>`select ${sql.lit(n)} as n`.execute(db);
          assert.deepEqual(rows, [{ n }]);
        }
    });
  });
});
