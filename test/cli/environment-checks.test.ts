import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkDisk, checkMemory, checkPort, reportAllocator, reportOptional } from '../../cli/environment-checks.ts';
import { ALLOCATOR_VARIABLES } from '../../cli/memory-settings.ts';
import { freeSpace } from '../../storage/data-folder/free-space.ts';
import { withFolder } from '../support/folder.ts';
import { withServer } from '../support/http-server.ts';
import { withServed } from '../support/serve-process.ts';

const host = '127.0.0.1';

/** Whether this process may mount a file system of one megabyte. */
function mountSmall(folder: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0;
}

describe('the checks of the environment', () => {
  it('try the port: free, used by another program, by this service', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, host, () => resolve((server.address() as { port: number }).port));
    });
    await new Promise((resolve) => server.close(resolve));
    assert.deepEqual(await checkPort({ host, port }), { name: 'port', ok: true, text: `${host}:${port} is free` });
    assert.equal((await checkPort({ host, port: 0 })).ok, undefined);
    await withServer(
      (_request, response) => response.end('{"status":"ok"}'),
      async ({ port: used }) => {
        const { ok, text } = await checkPort({ host, port: used });
        assert.deepEqual([ok, text.includes('used by another program')], [false, true]);
      },
    );
    await withFolder((dataDir) =>
      withServed(dataDir, async ({ address }) => {
        const found = await checkPort({ host, port: Number(new URL(address).port) });
        assert.deepEqual([found.ok, /running Imagecrew answers/.test(found.text)], [true, true]);
      }),
    );
  });

  it('say why an address cannot be used', async () => {
    const { ok, text } = await checkPort({ host: '192.0.2.1', port: 8080 });
    assert.deepEqual([ok, text], [false, '192.0.2.1:8080 cannot be used (EADDRNOTAVAIL)']);
  });

  it('compare the memory with what the workers need', () => {
    assert.equal(checkMemory({ workers: 2 }, 9.5e8).ok, true);
    const few = checkMemory({ workers: 3 }, 9.5e8);
    assert.deepEqual([few.ok, few.text], [false, '950.0 MB, for 3 workers 1.3 GB are needed: lower IC_WORKERS']);
  });

  it('name settings of the allocator that differ', () => {
    assert.match(reportAllocator({}, true).text, /serve sets what it needs/);
    assert.match(reportAllocator(ALLOCATOR_VARIABLES, true).text, /serve sets what it needs/);
    assert.match(reportAllocator({ MALLOC_ARENA_MAX: '8' }, true).text, /: MALLOC_ARENA_MAX=8 instead of 2$/);
    assert.match(reportAllocator({}, false).text, /not that of glibc/);
  });

  it('find a disk that is too small', async (context) => {
    await withFolder(async (folder) => {
      const config = { storageBytes: 1e10 };
      const small = join(folder, 'small');
      mkdirSync(small);
      if (!mountSmall(small)) {
        context.skip('only root may mount a file system');
        return;
      }
      try {
        const { ok, text } = await checkDisk(freeSpace(small), config);
        assert.equal(ok, false);
        assert.match(text, /^1[.]0 MB are free, 1[.]0 GB are needed; results may take 10[.]0 GB/);
      } finally {
        spawnSync('umount', [small]);
      }
    });
  });

  it('list optional packages, and Chromium where there is one', () => {
    const found = reportOptional({ PATH: '' });
    assert.match(found[0]!.text, /noto-color-emoji/);
    assert.match(found.at(-1)!.text, /not found/);
    assert.equal(reportOptional({ IC_CHROMIUM: process.execPath }).at(-1)!.text, process.execPath);
  });
});
