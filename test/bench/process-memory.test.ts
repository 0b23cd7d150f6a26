import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { memoryOf, parseStatus, resetPeak } from '../../bench/process-memory.ts';
import { withFolder } from '../support/folder.ts';

const noProc = process.platform === 'linux' ? false : 'there is no /proc here';
const MiB = 2 ** 20;

describe('process memory', () => {
  test('reads resident and peak memory from a status file', () => {
    const status = 'Name:\tnode\nVmPeak:\t 9000 kB\nVmHWM:\t  300 kB\nVmRSS:\t  200 kB\nThreads:\t7\n';
    assert.deepEqual(parseStatus(status), { resident: 200 * 1024, peak: 300 * 1024 });
  });

  test('includes child processes, and resets the peak on request', { skip: noProc }, async () => {
    await withFolder(async (folder) => {
      const script = join(folder, 'child.mjs');
      // V8 frees buffers on another thread. The second collection waits until the first one has freed them.
      await writeFile(
        script,
        `let held = Buffer.alloc(${100 * MiB}, 1);
        process.send('holding');
        process.once('message', () => { held = undefined; gc(); gc(); process.send('free'); process.on('message', () => {}); });`,
      );
      const alone = memoryOf(process.pid)!;
      const child = fork(script, { execArgv: ['--expose-gc'] });
      try {
        await once(child, 'message');
        const together = memoryOf(process.pid)!;
        assert.ok(together.resident - alone.resident > 90 * MiB, 'the child holds 100 MiB');

        child.send('free');
        await once(child, 'message');
        assert.ok(memoryOf(child.pid!)!.peak > 100 * MiB);
        resetPeak(child.pid!);
        const { peak } = memoryOf(child.pid!)!;
        assert.ok(peak < 100 * MiB, `the peak starts again but is ${peak}`);
      } finally {
        child.kill();
      }
    });
  });
});
