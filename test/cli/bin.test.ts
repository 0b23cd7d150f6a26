import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withFolder } from '../support/folder.ts';
import { repositoryFile } from '../support/repository.ts';

const BIN = fileURLToPath(repositoryFile('bin/imagecrew.mjs'));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('bin/imagecrew.mjs', () => {
  it('is executable and passes on arguments and exit status', () => {
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

  it('runs the build if there is one', async () => {
    await withFolder(async (folder) => {
      mkdirSync(join(folder, 'bin'));
      mkdirSync(join(folder, 'dist', 'cli'), { recursive: true });
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      writeFileSync(join(folder, 'dist', 'cli', 'main.js'), 'console.log(process.argv.slice(2).join());');
      const copy = join(folder, 'bin', 'imagecrew.mjs');
      copyFileSync(BIN, copy);
      assert.deepEqual(run(copy, 'config', '--help'), { status: 0, stdout: 'config,--help\n', stderr: '' });
    });
  });
});
