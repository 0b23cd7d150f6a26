import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { startCli, waitForCli } from '../../support/cli.ts';
import { withFolder } from '../../support/folder.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { jpeg, pattern } from '../../support/test-images.ts';

const IMAGE_COUNT = 60;

/** Starts a run over a folder and sends `signal` once the run has reported its first file. */
async function stopDuringRun(folder: string, signal: NodeJS.Signals) {
  const photo = await jpeg(pattern(1200, 900), 95);
  await mkdir(join(folder, 'in'));
  for (let index = 0; index < IMAGE_COUNT; index += 1) await writeFile(join(folder, 'in', `${index}.jpg`), photo);
  const child = startCli(['compress', 'in', '-o', 'out'], { cwd: folder });
  const end = waitForCli(child);
  await once(child.stdout, 'data');
  child.kill(signal);
  return { ...(await end), names: await readdir(join(folder, 'out')) };
}

/** Asserts that every file with the name of a result is a complete image. */
async function assertWhole(folder: string, names: readonly string[]): Promise<void> {
  assert.ok(names.length > 0 && names.length < IMAGE_COUNT);
  for (const name of names) {
    const bytes = await readFile(join(folder, 'out', name));
    const { info } = await sharp(bytes, { failOn: 'truncated' }).raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height], [1200, 900]);
  }
}

describe('an interrupted run over files', () => {
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    it(`exits with ${status} on ${signal} and leaves only complete files`, { skip: nightlyOnly }, async () => {
      await withFolder(async (folder) => {
        const run = await stopDuringRun(folder, signal);
        assert.deepEqual([run.status, run.err], [status, '']);
        await assertWhole(folder, run.names);
        // The output lists exactly the files that were written.
        assert.equal(run.out.match(/ -> out\/\d+[.]jpg: /g)?.length, run.names.length);
      });
    });
  }

  it('leaves no partial result under the final name when it is killed', { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      const run = await stopDuringRun(folder, 'SIGKILL');
      assert.equal(run.signal, 'SIGKILL');
      await assertWhole(
        folder,
        run.names.filter((name) => !/^[.]imagecrew-[0-9a-f]{12}[.]part$/.test(name)),
      );
    });
  });
});
