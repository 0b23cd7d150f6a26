import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { folderWriteProbe } from '../../../storage/data-folder/write-probe.ts';
import { withFolder } from '../../support/folder.ts';
import { skipWithout } from '../../support/tool.ts';

describe('the probe of the data folder', () => {
  it('writes a file and removes it, and fails where there is no folder', async () => {
    await withFolder(async (folder) => {
      assert.equal(await folderWriteProbe(folder).read(), 'ok');
      assert.equal(existsSync(join(folder, 'write-probe')), false);
      assert.equal(await folderWriteProbe(join(folder, 'none')).read(), 'failed');
    });
  });

  it('fails in time while the disk does not answer, without a further attempt', {
    skip: skipWithout('mkfifo'),
  }, async (context) => {
    await withFolder(async (folder) => {
      const path = join(folder, 'write-probe');
      // Opening it for writing blocks until somebody reads.
      execFileSync('mkfifo', [path]);
      context.mock.timers.enable({ apis: ['setTimeout'] });
      let now = 10_000;
      const probe = folderWriteProbe(folder, () => now);
      // More than Node has threads for the file system: with an attempt for each, the last lines would wait for ever.
      for (let attempt = 0; attempt < 8; attempt += 1) {
        const found = probe.read();
        context.mock.timers.tick(3000);
        assert.equal(await found, 'failed');
        now += 10_000;
      }
      const reader = await open(path, 'r');
      await reader.close();
    });
  });
});
