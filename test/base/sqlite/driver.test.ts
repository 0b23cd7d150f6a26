/** The driver of this Node. The test suite runs with Node 20 (better-sqlite3) and with Node 22 (its own SQLite). */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readValue, type SqliteConnection, sqliteErrorName } from '../../../base/sqlite/connection.ts';
import { findNodeSqlite } from '../../../base/sqlite/node-sqlite.ts';
import { openSqlite, sqliteSource } from '../../../base/sqlite/open.ts';
import { withFolder } from '../../support/folder.ts';
import { LOADER, program } from '../../support/repository.ts';

function withTable<T>(work: (connection: SqliteConnection) => T): T {
  const connection = openSqlite(':memory:');
  try {
    connection.exec('create table t (id integer primary key, name text unique, bytes blob) strict');
    return work(connection);
  } finally {
    connection.close();
  }
}

/** Returns the name of the error of SQLite that `work` throws. */
function errorOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return sqliteErrorName(error);
  }
  return assert.fail('nothing was thrown');
}

describe('a connection', () => {
  it('keeps values of every type', () => {
    withTable((connection) => {
      const bytes = Uint8Array.of(0, 255);
      const { changes, lastInsertRowid } = connection.prepare('insert into t values (?, ?, ?)').run(7, 'é', bytes);
      assert.deepEqual([Number(changes), Number(lastInsertRowid)], [1, 7]);
      const row = connection.prepare('select id, name, bytes, null as empty from t').get() as Record<string, unknown>;
      assert.deepEqual([row.id, row.name, row.empty], [7, 'é', null]);
      assert.deepEqual([...(row.bytes as Uint8Array)], [0, 255]);
      assert.equal(connection.prepare('select id from t where id = ?').get(8), undefined);
    });
  });

  it('tells which statements return rows, and iterates over them', () => {
    withTable((connection) => {
      const insert = connection.prepare("insert into t (name) values ('a'), ('b') returning name");
      assert.deepEqual([insert.reader, insert.all().length], [true, 2]);
      assert.equal(connection.prepare("update t set name = 'c' where name = 'a'").reader, false);
      assert.equal(connection.prepare('with x as (select 1 as n) select n from x').reader, true);
      const names = [...connection.prepare('select name from t order by name').iterate()] as { name: string }[];
      assert.deepEqual(
        names.map(({ name }) => name),
        ['a', 'b'],
      );
    });
  });

  it('knows whether a transaction is open', () => {
    withTable((connection) => {
      assert.equal(connection.inTransaction, false);
      connection.exec('begin');
      assert.equal(connection.inTransaction, true);
      connection.exec('rollback');
      assert.equal(connection.inTransaction, false);
    });
  });

  it('calls its own functions', () => {
    withTable((connection) => {
      connection.define('twice', (value) => (typeof value === 'number' ? value * 2 : null));
      assert.equal(readValue(connection, 'select twice(21)'), 42);
      assert.equal(readValue(connection, "select twice('x')"), null);
    });
  });

  it('names the errors of SQLite', async () => {
    withTable((connection) => {
      connection.exec("insert into t values (1, 'a', null)");
      assert.equal(
        errorOf(() => connection.exec("insert into t values (2, 'a', null)")),
        'SQLITE_CONSTRAINT_UNIQUE',
      );
      const same = connection.prepare('insert into t (id) values (?)');
      assert.equal(
        errorOf(() => same.run(1)),
        'SQLITE_CONSTRAINT_PRIMARYKEY',
      );
      assert.equal(
        errorOf(() => connection.prepare('select * from none')),
        'SQLITE_ERROR',
      );
      connection.exec('pragma max_page_count = 3');
      assert.equal(
        errorOf(() => connection.exec('insert into t (bytes) values (zeroblob(100000))')),
        'SQLITE_FULL',
      );
    });
    await withFolder(async (folder) => {
      const path = join(folder, 'a.sqlite');
      await writeFile(
        path,
        'no database, but long enough to be one of SQLite, whose header has a hundred bytes '.repeat(9),
      );
      const damaged = openSqlite(path);
      assert.equal(
        errorOf(() => damaged.exec('create table t (a)')),
        'SQLITE_NOTADB',
      );
      damaged.close();
      assert.equal(errorOf(() => openSqlite(join(folder, 'none', 'b.sqlite'))) ?? 'SQLITE_CANTOPEN', 'SQLITE_CANTOPEN');
    });
    assert.equal(sqliteErrorName(new RangeError('x')), undefined);
  });

  it('waits for the lock of another one for its timeout, and reads without writing', async () => {
    await withFolder((folder) => {
      const path = join(folder, 'a.sqlite');
      const [one, other] = [openSqlite(path), openSqlite(path)];
      one.exec('create table t (a)');
      one.exec('begin immediate');
      assert.equal(
        errorOf(() => other.exec('begin immediate')),
        'SQLITE_BUSY',
      );
      one.exec('commit');
      const patient = openSqlite(path, { timeoutMs: 250 });
      assert.equal(Number(readValue(patient, 'pragma busy_timeout')), 250);
      const reader = openSqlite(path, { readonly: true });
      assert.equal(
        errorOf(() => reader.exec('insert into t values (1)')),
        'SQLITE_READONLY',
      );
      for (const connection of [one, other, patient, reader]) connection.close();
      return Promise.resolve();
    });
  });

  it('can be closed twice', () => {
    const connection = openSqlite(':memory:');
    connection.close();
    connection.close();
  });
});

describe('without any SQLite', () => {
  const skip = findNodeSqlite() ? 'this Node contains SQLite' : false;

  it('doctor and serve name both ways out', { skip }, async () => {
    await withFolder(async (folder) => {
      const hook = join(folder, 'hook.cjs');
      await writeFile(
        hook,
        "const m = require('node:module'); const r = m._resolveFilename; m._resolveFilename = (name, ...rest) => { if (name === 'better-sqlite3') throw new Error('hidden'); return r(name, ...rest); };",
      );
      const env = { ...process.env, IC_DATA_DIR: join(folder, 'data'), IC_MODELS_FETCH: 'false' };
      const run = promisify(execFile);
      const main = fileURLToPath(program('cli/main'));
      await assert.rejects(
        run(process.execPath, ['--require', hook, ...LOADER, main, 'doctor'], { env }),
        (error: { stdout: string }) => {
          assert.match(
            error.stdout,
            /\[fail\] SQLite: .*Use Node 22.13 or newer, or run npm install better-sqlite3 beside imagecrew/,
          );
          return true;
        },
      );
      await assert.rejects(
        run(process.execPath, ['--require', hook, ...LOADER, main, 'serve'], { env }),
        (error: { stderr: string }) => {
          assert.match(
            error.stderr,
            /^Expected Node 22.13 or newer.+ or run npm install better-sqlite3 beside imagecrew/,
          );
          return true;
        },
      );
    });
  });

  it('is not what runs here', () => {
    assert.match(sqliteSource(), findNodeSqlite() ? /^Node [0-9.]+$/ : /^better-sqlite3$/);
  });
});
