/** Tests that files in `.ic` that come with a repository cannot attack the server. */
import assert from 'node:assert/strict';
import { chmod, link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openSqlite } from '../../base/sqlite/open.ts';
import { Staging } from '../../codemod/files.ts';
import { withProjectLock } from '../../codemod/lock.ts';
import { ProjectRoot } from '../../codemod/project/root.ts';
import { failureOf } from '../support/failure.ts';
import { writeFiles } from '../support/folder.ts';
import { type LocalServerClient, sha256, snapshot, withProject, withServerOn } from './desk.ts';

const ROLLBACK = 'rollback';
const FORGED = `bak_${'0'.repeat(26)}`;

describe('the lock of a project', () => {
  const takeLock = async (folder: string): Promise<void> => {
    const { signal } = new AbortController();
    await withProjectLock(await ProjectRoot.open(folder), signal, async () => {});
  };

  it('ignores a journal that came with the project', async () => {
    await withProject({ 'a.html': '' }, async ({ folder }) => {
      const victim = join(folder, '..', 'victim');
      await writeFile(victim, 'precious');
      await writeFiles(folder, { '.ic/.gitignore': '*' });
      const lock = join(folder, '.ic/lock');
      const database = openSqlite(lock);
      database.exec('create table t (a)');
      database.close();
      await writeFile(`${lock}-journal`, hotJournal(victim, (await readFile(lock)).length));
      await failureOf('write_failed', () => takeLock(folder));
      assert.equal(await readFile(victim, 'utf8'), 'precious');
    });
  });

  it('ignores a journal of an empty lock file, whatever it holds', async () => {
    for (const ending of ['-journal', '-wal', '-shm'])
      await withProject({ '.ic/lock': '' }, async ({ folder }) => {
        const victim = join(folder, '..', 'victim');
        await writeFile(victim, 'precious');
        await writeFile(join(folder, `.ic/lock${ending}`), hotJournal(victim, 0));
        await takeLock(folder);
        await takeLock(folder);
        assert.equal(await readFile(victim, 'utf8'), 'precious');
      });
  });

  it('must be an empty regular file', async () => {
    await withProject({ '.ic/lock': 'x' }, async ({ folder }) => {
      await failureOf('write_failed', () => takeLock(folder));
      assert.equal(await readFile(join(folder, '.ic/lock'), 'utf8'), 'x');
      await rm(join(folder, '.ic/lock'));
      await takeLock(folder);
      await takeLock(folder);
    });
    await withProject({ '.ic/lock': '' }, async ({ folder }) => {
      await takeLock(folder);
      await link(join(folder, '.ic/lock'), join(folder, 'second'));
      await failureOf('write_failed', () => takeLock(folder));
    });
  });
});

/**
 * Builds an SQLite rollback journal without pages (sqlite.org/fileformat2.html, section 3) that names a
 * super-journal.
 */
function hotJournal(superJournal: string, databaseBytes: number): Buffer {
  const sector = 512;
  const page = 4096;
  const header = Buffer.alloc(sector);
  header.write('d9d505f920a163d7', 'hex');
  for (const [index, value] of [0, 1, databaseBytes / page, sector, page].entries())
    header.writeUInt32BE(value, 8 + 4 * index);
  const name = Buffer.from(superJournal);
  const numbers = Buffer.alloc(12);
  // The number of the lock-byte page, then the length of the name and the sum of its bytes.
  numbers.writeUInt32BE(2 ** 30 / page + 1, 0);
  numbers.writeUInt32BE(name.length, 4);
  numbers.writeUInt32BE(
    name.reduce((sum, byte) => sum + byte, 0),
    8,
  );
  const end = Buffer.from('d9d505f920a163d7', 'hex');
  return Buffer.concat([header, numbers.subarray(0, 4), name, numbers.subarray(4), end]);
}

interface Forgery {
  restores?: { path: string; data: string; mode?: number }[];
  removes?: string[];
}

/** Writes a backup of an interrupted change that no apply has made. */
async function forge(
  { folder }: LocalServerClient,
  { restores = [], removes = [] }: Forgery,
  id = FORGED,
): Promise<void> {
  const at = (path: string) => `.ic/backups/${FORGED}/${path}`;
  const files = [];
  for (const [index, { path, data, mode = 0o644 }] of restores.entries()) {
    const now = await readFile(join(folder, path)).catch(() => undefined);
    const before = { sha256: sha256(data), bytes: data.length, mode };
    files.push({ path, before, after_sha256: now ? sha256(now) : null, stored: `${index}` });
    await writeFiles(folder, { [at(`files/${index}`)]: data });
  }
  const created = await Promise.all(
    removes.map(async (path) => ({ path, sha256: sha256(await readFile(join(folder, path))) })),
  );
  const facts = { version: 1, backup_id: id, kind: 'apply', plan_id: null, package_id: null, status: 'applying' };
  const manifest = { ...facts, created_at: '2026-11-20T10:00:00.000Z', files, created };
  await writeFiles(folder, { [at('manifest.json')]: JSON.stringify(manifest) });
}

describe('rollback of a forged backup in the project', () => {
  it('changes no file that apply would not change', async () => {
    const data = '#!/bin/sh\n';
    const forgeries: Forgery[] = [
      ...['.git/hooks/pre-commit', '.git/a.html', 'NODE_MODULES/a.js', 'b/dist/a.js', 'public/build/a.js'].map(
        (path) => ({ restores: [{ path, data }] }),
      ),
      ...['run.sh', 'Makefile', '.env.json', 'package-lock.json'].map((path) => ({ restores: [{ path, data }] })),
      { removes: ['.env'] },
      { removes: ['vendor/a.html'] },
      { restores: [{ path: 'a.html', data }], removes: ['notes.txt'] },
    ];
    const files = { 'a.html': 'a', '.env': 'KEY=1', 'vendor/a.html': '', 'notes.txt': '', '.git/HEAD': 'ref' };
    for (const forgery of forgeries)
      await withProject(files, async (desk) => {
        await forge(desk, forgery);
        const before = await snapshot(desk.folder);
        await desk.fails('backup_not_found', ROLLBACK, { approved: true, force: true });
        await desk.fails('backup_not_found', ROLLBACK, { approved: true, backup_id: FORGED });
        assert.deepEqual(await snapshot(desk.folder), before);
        assert.deepEqual(await readdir(join(desk.folder, '.git')), ['HEAD']);
      });
  });

  it('requires that the id is the name of its folder', async () => {
    const asked: string[] = [];
    await withProject({ 'a.html': 'a' }, async (desk) => {
      await forge(desk, { restores: [{ path: 'a.html', data: 'b' }] }, `bak_${'1'.repeat(26)}`);
      await withServerOn(desk.folder, (other) => other.fails('backup_not_found', ROLLBACK, { approved: true }), {
        answer: (question) => {
          asked.push(question);
          return 'accept';
        },
      });
      assert.deepEqual(asked, []);
    });
  });

  it('makes no file executable', async () => {
    await withProject({ 'a.js': 'a', 'run.js': 'a' }, async (desk) => {
      await chmod(join(desk.folder, 'run.js'), 0o700);
      const restores = ['a.js', 'run.js', 'new.js'].map((path) => ({ path, data: 'b', mode: 0o4755 }));
      await forge(desk, { restores });
      await desk.call(ROLLBACK, { approved: true });
      const modes = Object.values(await snapshot(desk.folder)).map((facts) => facts.split(' ')[1]);
      assert.deepEqual(modes, ['644', '644', '744']);
    });
  });

  it('lists each file for the user to approve', async () => {
    await withProject({ 'a.html': 'a', 'b.webp': 'b' }, async (desk) => {
      const many = Array.from({ length: 12 }, (_, n) => ({ path: `new\n${n}.html`, data: 'x' }));
      await forge(desk, { restores: [{ path: 'a.html', data: 'x' }, ...many], removes: ['b.webp'] });
      const asked: string[] = [];
      await withServerOn(desk.folder, (other) => other.fails('approval_required', ROLLBACK, { approved: true }), {
        answer: (question) => {
          asked.push(question);
          return 'decline';
        },
      });
      assert.equal(asked.length, 1);
      assert.match(
        asked[0]!,
        /13 files get .*: "a\.html", "new\\n0\.html", .* and 3 more\. 1 files are removed: "b\.webp"\./,
      );
    });
  });
});

describe('Staging', () => {
  it('returns the result even if the cleanup fails', async () => {
    await withProject({}, async ({ folder }) => {
      const done = await Staging.use(await ProjectRoot.open(folder), async () => {
        await rename(join(folder, '.ic/tmp'), join(folder, '.ic/gone'));
        return 'done';
      });
      assert.equal(done, 'done');
    });
  });
});
