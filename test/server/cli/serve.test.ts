import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isWellFormed } from '../../../server/account/keys.ts';
import { withFolder } from '../../support/folder.ts';
import { withServer } from '../../support/http-server.ts';

const MAIN = new URL('../../../server/cli/main.ts', import.meta.url);

interface Served {
  child: ChildProcessByStdio<null, Readable, Readable>;
  /** Everything on the standard output until it listened. */
  greeting: string;
  address: string;
}

function start(dataDir: string, env: Record<string, string> = {}) {
  const settings = { IC_DATA_DIR: dataDir, IC_PORT: '0', IC_WORKERS: '1', IC_LOG_LEVEL: 'silent', ...env };
  return spawn(process.execPath, ['--import', 'tsx', fileURLToPath(MAIN), 'serve'], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs `work` with a service in a process of its own, which is killed afterwards if it still runs. */
async function withService(dataDir: string, work: (served: Served) => Promise<void>): Promise<void> {
  const child = start(dataDir);
  try {
    let greeting = '';
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      greeting += String(chunk);
      if (greeting.includes('listens on')) break;
    }
    const address = /listens on (http:\S+)/.exec(greeting)?.[1];
    assert.ok(address, greeting);
    child.stdout.resume();
    await work({ child, greeting, address });
  } finally {
    child.kill('SIGKILL');
  }
}

describe('serve', { timeout: 120_000 }, () => {
  it('shows the first key once, works with it, and ends cleanly', async () => {
    await withFolder(async (dataDir) => {
      await withService(dataDir, async ({ child, greeting, address }) => {
        const key = /ic_live_\w+/.exec(greeting)?.[0] ?? '';
        assert.ok(isWellFormed(key), greeting);
        const answer = await fetch(`${address}/api/v1/files/file_none`, {
          headers: { authorization: `Bearer ${key}` },
        });
        assert.equal(answer.status, 404);
        await answer.arrayBuffer();
        child.kill('SIGTERM');
        assert.deepEqual(await once(child, 'exit'), [0, null]);
        await assert.rejects(fetch(`${address}/healthz`));
      });
      await withService(dataDir, async ({ child, greeting }) => {
        assert.doesNotMatch(greeting, /ic_live_/);
        child.kill('SIGINT');
        assert.deepEqual(await once(child, 'exit'), [0, null]);
      });
    });
  });

  it('waits for a request that is running, but not after a second signal', async () => {
    await withFolder(async (dataDir) => {
      await withService(dataDir, async ({ child, greeting, address }) => {
        const authorization = `Bearer ${/ic_live_\w+/.exec(greeting)?.[0]}`;
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
        child.kill('SIGTERM');
        assert.deepEqual(await once(child, 'exit'), [143, null]);
      });
    });
  });

  it('shows the key also when it cannot listen, and says why', async () => {
    await withFolder(async (dataDir) => {
      await withServer(
        () => {},
        async ({ port }) => {
          const child = start(dataDir, { IC_PORT: String(port) });
          const [out, err, [status]] = await Promise.all([
            child.stdout.setEncoding('utf8').toArray(),
            child.stderr.setEncoding('utf8').toArray(),
            once(child, 'exit'),
          ]);
          assert.equal(status, 1);
          assert.match(out.join(''), /ic_live_/);
          assert.match(err.join(''), /^Expected an address .+ but received "127[.]0[.]0[.]1:\d+ \(EADDRINUSE\)"[.]\n$/);
        },
      );
    });
  });
});
