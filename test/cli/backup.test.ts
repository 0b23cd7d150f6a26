/** `imagecrew admin backup` and `restore`, in separate processes, on the folder of a service. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openSqlite } from '../../base/sqlite/open.ts';
import { type CliRun, jsonLines, runCliProcess, startCli, waitForCli } from '../support/cli.ts';
import { withFolder, writeFiles } from '../support/folder.ts';
import { withServed } from '../support/serve-process.ts';
import { pattern, png } from '../support/test-images.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Runs `imagecrew admin` on the data folder `data` of a folder, or on another one. */
const admin = (cwd: string, args: readonly string[], input?: Uint8Array, data = 'data'): Promise<CliRun> =>
  runCliProcess(['admin', ...args], { cwd, env: { IC_DATA_DIR: data }, ...(input && { input }) });

const createAccount = (cwd: string, name: string): Promise<CliRun> =>
  admin(cwd, ['account', 'create', '--name', name, '--plan', 'pro']);

const accountNames = async (cwd: string, data = 'data'): Promise<unknown[]> =>
  jsonLines((await admin(cwd, ['account', 'list'], undefined, data)).out).map(({ name }) => name);

const restoreLeftovers = async (dataDir: string): Promise<string[]> =>
  (await readdir(dataDir)).filter((name) => /^(backup-|restore|[.]imagecrew)/.test(name));

/** Runs `work` with a backup of a folder that has the account `anna` and a file larger than the buffer of a pipe. */
async function withBackup(work: (folder: string, archive: Buffer) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await createAccount(folder, 'anna');
    await writeFiles(folder, { 'data/files/file_large': Buffer.alloc(5_000_000, 'large') });
    const { status, bytes, err } = await admin(folder, ['backup', '-']);
    assert.deepEqual([status, err], [0, '']);
    await work(folder, bytes);
  });
}

describe('admin backup', { timeout: 120_000 }, () => {
  it('copies everything that has been answered, while the service goes on', async () => {
    await withFolder(async (folder) => {
      const image = await png(pattern(64, 64));
      let isDone = false;
      /** Ids of the results that the service has stored. */
      const stored: string[] = [];
      let before: string[] = [];
      await withServed(join(folder, 'data'), async ({ address, key }) => {
        const store = async () => {
          while (!isDone) {
            const response = await fetch(`${address}/api/v1/compress?format=webp&output=json`, {
              method: 'POST',
              headers: { authorization: `Bearer ${key}` },
              body: new Uint8Array(image),
            });
            assert.equal(response.status, 200);
            stored.push(((await response.json()) as { id: string }).id);
          }
        };
        const storing = Promise.all([store(), store()]);
        while (stored.length < 5) await setImmediate();
        before = [...stored];
        const { status, err, out } = await admin(folder, ['backup', 'a.tar']);
        assert.deepEqual([status, err], [0, '']);
        const during = stored.length - before.length;
        isDone = true;
        await storing;
        assert.ok(during > 0, 'nothing was stored meanwhile');
        assert.equal(jsonLines(out)[0]!.bytes, (await stat(join(folder, 'a.tar'))).size);
        const refused = await admin(folder, ['restore', 'a.tar', '--replace']);
        assert.equal(refused.status, 1);
        assert.match(refused.err, /^Expected a folder that no other server uses .+ Stop that server first/);
      });
      assert.equal((await admin(folder, ['restore', 'a.tar'], undefined, 'copy')).status, 0);
      const connection = openSqlite(join(folder, 'copy/imagecrew.sqlite'));
      const records = connection.prepare('select id, sha256 from files').all() as { id: string; sha256: string }[];
      connection.close();
      for (const id of before) assert.ok(records.some((record) => record.id === id));
      for (const { id, sha256 } of records) {
        const bytes = await readFile(join(folder, 'copy/files', id));
        assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256);
      }
      await withServed(join(folder, 'copy'), async ({ address, key }) => {
        // The account of the backup is there, so this is no first start.
        assert.equal(key, '');
        const ownKey = (await readFile(join(folder, 'copy/first-key'), 'utf8')).trim();
        const answer = await fetch(`${address}/api/v1/files/${before[0]}`, {
          headers: { authorization: `Bearer ${ownKey}` },
        });
        assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/webp']);
      });
    });
  });

  it('writes a private file, and replaces another one only with --overwrite', async () => {
    await withBackup(async (folder, archive) => {
      await writeFiles(folder, { 'a.tar': 'precious' });
      const refused = await admin(folder, ['backup', 'a.tar']);
      assert.deepEqual([refused.status, await readFile(join(folder, 'a.tar'), 'utf8')], [1, 'precious']);
      assert.match(refused.err, /a[.]tar is there already[.] Choose another one, or say --overwrite/);
      assert.equal((await admin(folder, ['backup', 'a.tar', '--overwrite'])).status, 0);
      assert.equal((await admin(folder, ['backup', 'new/b.tar'])).status, 0);
      assert.equal((await stat(join(folder, 'new/b.tar'))).size, archive.length);
      if (process.platform !== 'win32') assert.equal((await stat(join(folder, 'new/b.tar'))).mode & 0o777, 0o600);
      assert.deepEqual(await restoreLeftovers(folder), []);
    });
  });

  it('ends as other programs do when its reader has closed the pipe', async () => {
    await withBackup(async (folder) => {
      const child = startCli(['admin', 'backup', '-'], { cwd: folder, env: { IC_DATA_DIR: 'data' } });
      await once(child.stdout, 'readable');
      child.stdout.destroy();
      const [err, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      assert.deepEqual([status, err], [141, '']);
      assert.deepEqual(await restoreLeftovers(join(folder, 'data')), []);
    });
  });

  it('leaves nothing when it is stopped, and does not mind one that was killed', async () => {
    await withBackup(async (folder) => {
      for (const [signal, status] of [['SIGTERM', 143] as const, ['SIGKILL', null] as const]) {
        const child = startCli(['admin', 'backup', '-'], { cwd: folder, env: { IC_DATA_DIR: 'data' } });
        // It waits for its output to be read.
        await once(child.stdout, 'readable');
        child.kill(signal);
        assert.equal((await waitForCli(child)).status, status);
        if (signal === 'SIGTERM') assert.deepEqual(await restoreLeftovers(join(folder, 'data')), []);
      }
      assert.notDeepEqual(await restoreLeftovers(join(folder, 'data')), []);
      assert.equal((await admin(folder, ['backup', 'a.tar'])).status, 0);
      assert.deepEqual(await restoreLeftovers(join(folder, 'data')), []);
    });
  });
});

describe('admin restore', { timeout: 120_000 }, () => {
  it('reads the standard input, and says what it has done', async () => {
    await withBackup(async (folder, archive) => {
      await createAccount(folder, 'ben');
      const { status, out, err } = await admin(folder, ['restore', '-', '--replace'], archive);
      assert.deepEqual([status, err], [0, '']);
      const [{ previous }] = jsonLines(out) as [{ previous: string }];
      assert.deepEqual(await accountNames(folder), ['anna']);
      assert.deepEqual((await accountNames(folder, previous)).sort(), ['anna', 'ben']);
    });
  });

  it('changes nothing when it is stopped or killed, or its file is wrong', async () => {
    await withBackup(async (folder, archive) => {
      await createAccount(folder, 'ben');
      for (const [signal, status] of [['SIGTERM', 143] as const, ['SIGKILL', null] as const]) {
        const options = {
          cwd: folder,
          env: { IC_DATA_DIR: 'data' },
          input: archive.subarray(0, 4_000_000),
          isInputOpen: true,
        };
        const child = startCli(['admin', 'restore', '-', '--replace'], options);
        const unpacked = join(folder, 'data/restore-in-progress/files/file_large');
        await waitUntil(async () => (await stat(unpacked).catch(() => undefined))?.size !== undefined);
        child.kill(signal);
        assert.equal((await waitForCli(child)).status, status);
        const leftovers = await restoreLeftovers(join(folder, 'data'));
        assert.deepEqual(leftovers, signal === 'SIGTERM' ? [] : ['restore-in-progress']);
      }
      await writeFiles(folder, { 'wrong.tar': 'no tar', 'short.tar': archive.subarray(0, 1_000_000) });
      for (const [file, message] of [
        ['wrong.tar', /^Expected a backup of Imagecrew but wrong[.]tar ends early/],
        ['short.tar', /^Expected a backup of Imagecrew but short[.]tar ends early[.] The data folder is unchanged/],
        ['none.tar', /^Expected a backup that can be read \(ENOENT\)/],
        ['data', /^Expected a file for the backup but received "data"/],
      ] as const) {
        const { status, err } = await admin(folder, ['restore', file, '--replace']);
        assert.equal(status, 1);
        assert.match(err, message);
      }
      assert.deepEqual(await restoreLeftovers(join(folder, 'data')), []);
      assert.deepEqual((await accountNames(folder)).sort(), ['anna', 'ben']);
    });
  });

  const ownMounts = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
  it('and backup report a full disk, and change nothing', {
    skip: !ownMounts && 'cannot mount a small disk',
  }, async () => {
    await withBackup(async (folder, archive) => {
      await writeFiles(folder, { 'a.tar': archive, 'disk/x': '', 'run.sh': DISK_SCRIPT });
      const onDisk = async (dataDir: string, args: readonly string[]) => {
        const under = ['unshare', '-m', 'sh', join(folder, 'run.sh')];
        const { status, err } = await runCliProcess(['admin', ...args], {
          cwd: folder,
          under,
          env: { IC_DATA_DIR: dataDir },
        });
        const [message = '', ...files] = err.trimEnd().split('\n');
        return { status, message, files };
      };
      const written = await onDisk('data', ['backup', 'disk/b.tar']);
      assert.deepEqual(written, {
        status: 1,
        message: 'Expected room for b.tar but the disk is full.',
        files: ['database'],
      });
      const restored = await onDisk('disk', ['restore', 'a.tar']);
      assert.match(restored.message, /^Expected room for the backup in the data folder .+ but its disk is full[.]/);
      assert.deepEqual([restored.status, restored.files], [1, ['database', 'server.lock']]);
      const copied = await onDisk('disk/database', ['backup', 'c.tar']);
      assert.match(copied.message, /^Expected room on the disk of the data folder .+ but it is full[.]/);
      assert.equal(copied.status, 1);
    });
  });
});

/**
 * Mounts a disk of 1 MB that disappears with the process, with a data folder `database` that takes half of it, and lists
 * on standard error what is on it after the command.
 */
const DISK_SCRIPT = `
mount -t tmpfs -o size=700k none disk
mkdir disk/database
cp data/imagecrew.sqlite disk/database
"$@"
status=$?
ls disk >&2
exit $status
`;
