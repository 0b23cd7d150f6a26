import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isWellFormed } from '../../server/account/keys.ts';
import { withFolder } from '../support/folder.ts';
import { withServer } from '../support/http-server.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { LOADER, program } from '../support/repository.ts';
import { startServing, withServed } from '../support/serve-process.ts';
import { skipWithout } from '../support/tool.ts';
import { waitUntil } from '../support/wait-until.ts';

describe('serve', { timeout: 120_000 }, () => {
  it('writes the first key to a file readable only by its owner, accepts it, and exits cleanly', async () => {
    await withFolder(async (dataDir) => {
      await withServed(dataDir, async ({ child, greeting, address, key }) => {
        assert.ok(isWellFormed(key), greeting);
        // The output is not a terminal and may end up in a log, so it must not contain the key.
        assert.doesNotMatch(greeting, /ic_live_|#key/);
        assert.equal(await readFile(join(dataDir, 'first-key'), 'utf8'), `${key}\n`);
        if (process.platform !== 'win32') assert.equal((await stat(join(dataDir, 'first-key'))).mode & 0o777, 0o600);
        const answer = await fetch(`${address}/api/v1/files/file_none`, {
          headers: { authorization: `Bearer ${key}` },
        });
        assert.equal(answer.status, 404);
        await answer.arrayBuffer();
        child.kill('SIGTERM');
        assert.deepEqual(await once(child, 'exit'), [0, null]);
        await assert.rejects(fetch(`${address}/healthz`));
      });
    });
  });

  it('says nothing of a key when there are accounts, and exits cleanly on Ctrl-C', { skip: nightlyOnly }, async () => {
    await withFolder(async (dataDir) => {
      await withServed(dataDir, async () => {});
      await withServed(dataDir, async ({ child, greeting }) => {
        assert.doesNotMatch(greeting, /ic_live_|key/);
        child.kill('SIGINT');
        assert.deepEqual(await once(child, 'exit'), [0, null]);
      });
    });
  });

  it('shows the first key once on a terminal, with a URL that opens the console', {
    skip: (spawnSync('script', ['--version']).status !== 0 && 'there is no program script') || nightlyOnly,
  }, async () => {
    await withFolder(async (dataDir) => {
      const command = [process.execPath, ...LOADER, fileURLToPath(program('cli/main')), 'serve'].join(' ');
      const settings = { IC_DATA_DIR: dataDir, IC_PORT: '0', IC_WORKERS: '1', IC_MODELS_FETCH: 'false' };
      const child = spawn('script', ['--quiet', '--flush', '--return', '--command', `exec ${command}`, '/dev/null'], {
        env: { ...process.env, ...settings, IC_LOG_LEVEL: 'silent' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = once(child, 'exit');
      try {
        let text = '';
        for await (const chunk of child.stdout) {
          text += String(chunk);
          if (text.includes('to try it.')) break;
        }
        const [key] = /ic_live_\w+/.exec(text) ?? [''];
        assert.ok(isWellFormed(key), text);
        const address = /listens on (http:\S+)/.exec(text)?.[1];
        assert.ok(text.includes(`Open ${address}/#key=${key} to try it.`), text);
        await assert.rejects(stat(join(dataDir, 'first-key')), { code: 'ENOENT' });
      } finally {
        child.kill('SIGTERM');
        await exited;
      }
    });
  });

  it('waits for a running request, unless it gets a second signal', { skip: nightlyOnly }, async () => {
    await withFolder(async (dataDir) => {
      await withServed(dataDir, async ({ child, address, key }) => {
        const authorization = `Bearer ${key}`;
        const upload = request(`${address}/api/v1/compress`, {
          method: 'POST',
          headers: { authorization, 'content-length': 1000, expect: '100-continue' },
        });
        upload.on('error', () => {});
        upload.flushHeaders();
        await once(upload, 'continue');
        child.kill('SIGTERM');
        for await (const chunk of child.stdout) if (String(chunk).includes('Stopping')) break;
        assert.equal(child.exitCode, null);
        const exited = once(child, 'exit');
        // Signals of the same time as the first are no second one.
        await waitUntil(() => {
          child.kill('SIGTERM');
          return child.signalCode !== null;
        });
        assert.deepEqual(await exited, [null, 'SIGTERM']);
      });
    });
  });

  it('does not start with a folder of models that is none, and names it', async () => {
    await withFolder(async (dataDir) => {
      const file = join(dataDir, 'plans.json');
      await writeFile(file, '{}');
      const child = startServing(dataDir, { IC_MODELS_DIR: file });
      // It would print that it listens.
      child.stdout.once('data', () => child.kill());
      const [err, [status]] = await Promise.all([child.stderr.setEncoding('utf8').toArray(), once(child, 'exit')]);
      assert.equal(status, 1);
      assert.equal(
        err.join(''),
        `Expected a folder that can be read (ENOTDIR) for IC_MODELS_DIR but received "${file}".\n`,
      );
    });
  });

  it('ends at once on a signal during the start, also while a file does not answer', {
    skip: skipWithout('mkfifo'),
  }, async () => {
    await withFolder(async (dataDir) => {
      // Opening it blocks until somebody writes.
      execFileSync('mkfifo', [join(dataDir, 'plans.json')]);
      const child = startServing(dataDir);
      const exited = once(child, 'exit');
      // The database is opened after the settings are read, and shortly before the plans.
      await waitUntil(() => existsSync(join(dataDir, 'imagecrew.sqlite')));
      child.kill('SIGTERM');
      assert.deepEqual(await exited, [null, 'SIGTERM']);
    });
  });

  it('creates no key if it cannot listen, and says why; the next start creates it', { skip: nightlyOnly }, async () => {
    await withFolder(async (dataDir) => {
      await withServer(
        () => {},
        async ({ port }) => {
          const child = startServing(dataDir, { IC_PORT: String(port) });
          const [out, err, [status]] = await Promise.all([
            child.stdout.setEncoding('utf8').toArray(),
            child.stderr.setEncoding('utf8').toArray(),
            once(child, 'exit'),
          ]);
          assert.equal(status, 1);
          assert.equal(out.join(''), '');
          await assert.rejects(stat(join(dataDir, 'first-key')), { code: 'ENOENT' });
          assert.match(err.join(''), /^Expected an address .+ but received "127[.]0[.]0[.]1:\d+ \(EADDRINUSE\)"[.]\n$/);
        },
      );
      await withServed(dataDir, async ({ key, greeting }) => assert.ok(isWellFormed(key), greeting));
    });
  });
});
