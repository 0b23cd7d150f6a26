import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ALLOCATOR_VARIABLES, NODE_OPTIONS, restartWithSettings, usesGlibc } from '../../cli/memory-settings.ts';
import { withFolder } from '../support/folder.ts';
import { withServer } from '../support/http-server.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { LOADER, program } from '../support/repository.ts';
import { type ServeProcess, startServing, withServed } from '../support/serve-process.ts';

const COMMAND = [...LOADER, fileURLToPath(program('cli/main'))];
const WITHOUT_SETTINGS = Object.fromEntries(Object.keys(ALLOCATOR_VARIABLES).map((name) => [name, undefined]));

const skip = !usesGlibc() && 'this system has no glibc';

/** Runs `work` with a service that was started without the settings. */
const withBareServe = (dataDir: string, work: (served: ServeProcess) => Promise<void>) =>
  withServed(dataDir, work, WITHOUT_SETTINGS, COMMAND);

/** Returns the process that is the service: the started one, or the child in which it runs. */
function servicePid({ pid }: ChildProcess): number {
  const tasks = `/proc/${pid}/task`;
  const children = readdirSync(tasks).flatMap((task) =>
    readFileSync(`${tasks}/${task}/children`, 'utf8').match(/\d+/g),
  );
  return Number(children.find((found) => found !== null) ?? pid);
}

const listOf = (pid: number, file: string): string[] => readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');

describe('the memory settings of serve', { timeout: 120_000 }, () => {
  const bare = { argv: ['node', 'main.js', 'serve'], execArgv: ['--import', 'tsx'], env: { HOME: '/root' } };

  it('are added where they are missing, and leave everything else as it is', () => {
    assert.deepEqual(restartWithSettings(bare, true), {
      args: [...NODE_OPTIONS, '--import', 'tsx', 'main.js', 'serve'],
      env: { HOME: '/root', ...ALLOCATOR_VARIABLES },
    });
    assert.equal(restartWithSettings(bare, false), undefined, 'another allocator');
  });

  it('are those of the operator where there are any', () => {
    const env = { ...ALLOCATOR_VARIABLES, MALLOC_ARENA_MAX: '7' };
    assert.deepEqual(restartWithSettings({ ...bare, env }, true)?.env, env);
    assert.equal(restartWithSettings({ ...bare, env, execArgv: ['--max_semi_space_size=8'] }, true), undefined);
    const inEnvironment = { ...env, NODE_OPTIONS: '--max-semi-space-size=8' };
    assert.equal(restartWithSettings({ ...bare, env: inEnvironment }, true), undefined);
  });

  it('are those of the process that serves, which stops for a signal of its group as for one', { skip }, async () => {
    await withFolder(async (dataDir) => {
      await withBareServe(dataDir, async ({ child, address, key }) => {
        const pid = servicePid(child);
        assert.ok(listOf(pid, 'cmdline').includes(NODE_OPTIONS[0]!));
        for (const [name, value] of Object.entries(ALLOCATOR_VARIABLES))
          assert.ok(listOf(pid, 'environ').includes(`${name}=${value}`), name);
        const upload = request(`${address}/api/v1/inspect`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-length': 3, expect: '100-continue' },
        });
        upload.flushHeaders();
        await once(upload, 'continue');
        // As systemd and terminals do. A parent passes the signal on, too.
        process.kill(pid, 'SIGTERM');
        if (pid !== child.pid) child.kill('SIGTERM');
        for await (const chunk of child.stdout) if (String(chunk).includes('Stopping')) break;
        upload.end('abc');
        const [answer] = (await once(upload, 'response')) as [{ statusCode: number; resume(): void }];
        answer.resume();
        assert.equal(answer.statusCode, 415);
        assert.deepEqual(await once(child, 'exit'), [0, null]);
      });
    });
  });

  it('end the service with the process that was started, when that is killed', { skip }, async () => {
    await withFolder(async (dataDir) => {
      await withBareServe(dataDir, async ({ child, address }) => {
        child.stderr.resume();
        // Comes when no process holds its output any more.
        const closed = once(child, 'close');
        child.kill('SIGKILL');
        assert.deepEqual(await closed, [null, 'SIGKILL']);
        await assert.rejects(fetch(`${address}/healthz`));
      });
      // The data folder is free again.
      await withBareServe(dataDir, async () => {});
    });
  });

  it('kill a service that does not react to SIGTERM, after its own time to stop', {
    skip: skip || nightlyOnly,
  }, async () => {
    await withFolder(async (dataDir) => {
      await withBareServe(dataDir, async ({ child }) => {
        const said = child.stderr.setEncoding('utf8').toArray();
        const pid = servicePid(child);
        assert.notEqual(pid, child.pid);
        // As if the main thread were blocked in a call of a file system.
        process.kill(pid, 'SIGSTOP');
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        assert.deepEqual(await exited, [null, 'SIGTERM']);
        assert.match((await said).join(''), /did not stop in 40 seconds and was killed/);
      });
    });
  });

  it('keep the exit status, the error and the empty output of a start that fails', { skip }, async () => {
    await withFolder(async (dataDir) => {
      await withServer(
        () => {},
        async ({ port }) => {
          const child = startServing(dataDir, { ...WITHOUT_SETTINGS, IC_PORT: String(port) }, COMMAND);
          const [out, err, status] = await Promise.all([
            child.stdout.setEncoding('utf8').toArray(),
            child.stderr.setEncoding('utf8').toArray(),
            once(child, 'exit'),
          ]);
          assert.deepEqual([out.join(''), status], ['', [1, null]]);
          assert.match(err.join(''), /^Expected an address .+EADDRINUSE/);
        },
      );
    });
  });

  it('are left alone in a process that another parent has a channel to, which may close it', { skip }, async () => {
    await withFolder(async (dataDir) => {
      const settings = { IC_DATA_DIR: dataDir, IC_PORT: '0', IC_WORKERS: '1', IC_MODELS_FETCH: 'false' };
      const child = spawn(process.execPath, [...COMMAND, 'serve'], {
        env: { ...process.env, ...WITHOUT_SETTINGS, ...settings },
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      });
      const exited = once(child, 'exit');
      let address = '';
      for await (const chunk of child.stdout!) {
        address = /listens on (\S+)/.exec(String(chunk))?.[1] ?? '';
        if (address) break;
      }
      assert.equal(servicePid(child), child.pid);
      assert.ok(!listOf(child.pid!, 'cmdline').includes(NODE_OPTIONS[0]!));
      child.disconnect();
      assert.equal((await fetch(`${address}/healthz`)).status, 200);
      child.kill('SIGTERM');
      assert.deepEqual(await exited, [0, null]);
    });
  });
});
