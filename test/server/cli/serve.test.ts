import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { isWellFormed } from '../../../server/account/keys.ts';
import { withFolder } from '../../support/folder.ts';
import { withServer } from '../../support/http-server.ts';
import { startServing, withServed } from '../../support/served.ts';

describe('serve', { timeout: 120_000 }, () => {
  it('shows the first key once, works with it, and ends cleanly', async () => {
    await withFolder(async (dataDir) => {
      await withServed(dataDir, async ({ child, greeting, address }) => {
        const key = /ic_live_\w+/.exec(greeting)?.[0] ?? '';
        assert.ok(isWellFormed(key), greeting);
        assert.ok(greeting.includes(`Open ${address}/#key=${key} to try it.`), greeting);
        const answer = await fetch(`${address}/api/v1/files/file_none`, {
          headers: { authorization: `Bearer ${key}` },
        });
        assert.equal(answer.status, 404);
        await answer.arrayBuffer();
        child.kill('SIGTERM');
        assert.deepEqual(await once(child, 'exit'), [0, null]);
        await assert.rejects(fetch(`${address}/healthz`));
      });
      await withServed(dataDir, async ({ child, greeting }) => {
        assert.doesNotMatch(greeting, /ic_live_|#key/);
        child.kill('SIGINT');
        assert.deepEqual(await once(child, 'exit'), [0, null]);
      });
    });
  });

  it('waits for a request that is running, but not after a second signal', async () => {
    await withFolder(async (dataDir) => {
      await withServed(dataDir, async ({ child, greeting, address }) => {
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
          const child = startServing(dataDir, { IC_PORT: String(port) });
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
