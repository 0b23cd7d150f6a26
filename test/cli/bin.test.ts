import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withFolder } from '../support/folder.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { repositoryFile } from '../support/repository.ts';

const BIN = fileURLToPath(repositoryFile('bin/imagecrew.mjs'));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('bin/imagecrew.mjs', () => {
  it('runs the sources if there is no build, and passes on arguments and exit status', { skip: nightlyOnly }, () => {
    const { status, stdout, stderr } = spawnSync(BIN, ['frobnicate'], { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /frobnicate/);
  });

  it('says what is missing if nothing is built', async () => {
    await withFolder(async (folder) => {
      const copy = join(folder, 'bin', 'imagecrew.mjs');
      mkdirSync(join(folder, 'bin'));
      copyFileSync(BIN, copy);
      assert.deepEqual(run(copy), {
        status: 1,
        stdout: '',
        stderr: 'Expected dist/cli/main.js but found neither it nor its source. Run "npm run build" first.\n',
      });
      mkdirSync(join(folder, 'cli'));
      writeFileSync(join(folder, 'cli', 'main.ts'), '');
      assert.deepEqual(run(copy), {
        status: 1,
        stdout: '',
        stderr: 'Expected dist/cli/main.js, or tsx to run its source, but found neither. Run "npm run build" first.\n',
      });
    });
  });

  it('is executable, runs the build if there is one, and passes on arguments and exit status', async () => {
    await withFolder(async (folder) => {
      mkdirSync(join(folder, 'bin'));
      mkdirSync(join(folder, 'dist', 'cli'), { recursive: true });
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      writeFileSync(
        join(folder, 'dist', 'cli', 'main.js'),
        'console.log(process.argv.slice(2).join()); process.exitCode = 2;',
      );
      const copy = join(folder, 'bin', 'imagecrew.mjs');
      copyFileSync(BIN, copy);
      const { status, stdout, stderr } = spawnSync(copy, ['config', '--help'], { encoding: 'utf8' });
      assert.deepEqual([status, stdout, stderr], [2, 'config,--help\n', '']);
    });
  });
});
