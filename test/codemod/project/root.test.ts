import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { Failure } from '../../../base/failure.ts';
import { ProjectRoot } from '../../../codemod/project/root.ts';
import { failureOf } from '../../support/failure.ts';
import { withFolder } from '../../support/folder.ts';
import { verifies } from '../../support/verifies.ts';

/** Runs `work` with a project and a folder beside it, which the project must not reach. */
async function withProject(work: (root: ProjectRoot, folders: { inside: string; outside: string }) => Promise<void>) {
  await withFolder(async (folder) => {
    const inside = join(folder, 'project');
    const outside = join(folder, 'outside');
    await mkdir(join(inside, 'pages'), { recursive: true });
    await mkdir(outside);
    await writeFile(join(inside, 'pages', 'index.html'), 'inside');
    await writeFile(join(outside, 'index.html'), 'outside');
    await work(await ProjectRoot.open(inside), { inside, outside });
  });
}

describe('the root of a project', () => {
  it('must be a folder, and not /, a home folder or a parent of one', async () => {
    for (const folder of [
      '/',
      homedir(),
      dirname(homedir()),
      '/root',
      '/home/somebody/../somebody',
      '/nowhere',
      '/etc/passwd',
    ])
      assert.equal((await failureOf('invalid_parameter', () => ProjectRoot.open(folder))).param, 'root', folder);
    const home = process.env.HOME;
    await withFolder(async (folder) => {
      process.env.HOME = join(folder, 'users', 'me');
      try {
        await mkdir(join(folder, 'users', 'me', 'project'), { recursive: true });
        await failureOf('invalid_parameter', () => ProjectRoot.open(join(folder, 'users', 'me')));
        await failureOf('invalid_parameter', () => ProjectRoot.open(join(folder, 'users')));
        await symlink(join(folder, 'users', 'me'), join(folder, 'link'));
        await failureOf('invalid_parameter', () => ProjectRoot.open(join(folder, 'link')));
        await ProjectRoot.open(join(folder, 'users', 'me', 'project'));
      } finally {
        process.env.HOME = home;
      }
    });
  });

  it('may be a link, which is followed once', async () => {
    await withProject(async (_, { inside, outside }) => {
      const link = `${inside}-link`;
      await symlink(inside, link);
      const root = await ProjectRoot.open(link);
      assert.equal(root.path, await realpath(inside));
      await rm(link);
      await symlink(outside, link);
      assert.equal((await root.read('pages/index.html')).toString(), 'inside');
    });
  });

  it('contains the paths in it, also those that do not exist yet', async () => {
    verifies('mcp.local.root');
    await withProject(async (root, { inside }) => {
      const real = await realpath(inside);
      assert.equal(await root.resolve('pages/index.html'), join(real, 'pages', 'index.html'));
      assert.equal(await root.resolve('pages/new/a.webp'), join(real, 'pages', 'new', 'a.webp'));
      assert.equal((await root.read('pages/index.html')).toString(), 'inside');
      await writeFile(join(inside, 'two\nlines $(x) ü.html'), 'odd');
      assert.equal((await root.read('two\nlines $(x) ü.html')).toString(), 'odd');
    });
  });

  it('excludes paths that lead outside', async () => {
    verifies('mcp.local.root');
    await withProject(async (root, { outside }) => {
      const paths = [
        '..',
        '../outside/index.html',
        'pages/../../outside/index.html',
        '/etc/passwd',
        `${outside}/index.html`,
      ];
      for (const path of [...paths, '', '.', './pages', 'pages//index.html', 'pages/', 'pages/index.html\0.png']) {
        await failureOf('path_outside_root', () => root.resolve(path));
        await failureOf('path_outside_root', () => root.read(path));
      }
    });
  });

  it('excludes links that lead outside', async () => {
    verifies('mcp.local.root');
    await withProject(async (root, { inside, outside }) => {
      await symlink('/etc/passwd', join(inside, 'passwd.html'));
      await symlink(outside, join(inside, 'folder'));
      await symlink('../outside', join(inside, 'relative'));
      await symlink(join(outside, 'new'), join(inside, 'dangling'));
      await symlink('loop', join(inside, 'loop'));
      await symlink('.', join(inside, 'here'));
      for (const path of [
        'passwd.html',
        'folder/index.html',
        'folder/new.html',
        'relative/index.html',
        'dangling',
        'loop',
        'loop/a',
      ]) {
        await failureOf('path_outside_root', () => root.resolve(path));
        await failureOf('path_outside_root', () => root.read(path));
      }
      // A link that stays inside the project is followed.
      assert.equal(await root.resolve('here/here/pages/index.html'), join(root.path, 'pages', 'index.html'));
      assert.equal((await root.read('here/pages/index.html')).toString(), 'inside');
    });
  });

  it('does not read folders, FIFOs and devices, and does not wait for them', async () => {
    await withProject(async (root, { inside }) => {
      execFileSync('mkfifo', [join(inside, 'fifo.html')]);
      await symlink('/dev/zero', join(inside, 'zero.html'));
      await failureOf('not_found', () => root.read('fifo.html'));
      await failureOf('not_found', () => root.read('pages'));
      await failureOf('not_found', () => root.read('nothing.html'));
      await failureOf('not_found', () => root.read('pages/index.html/more'));
      await failureOf('path_outside_root', () => root.read('zero.html'));
    });
  });

  it('reads no more than requested', async () => {
    await withProject(async (root) => {
      assert.equal((await root.read('pages/index.html', 6)).length, 6);
      await failureOf('file_too_large', () => root.read('pages/index.html', 5));
    });
  });

  it('stays in its folder when the path becomes a link', { skip: process.platform !== 'linux' }, async () => {
    await withProject(async (root, { inside, outside }) => {
      await root.inFolder('pages', async (folder) => {
        await rename(join(inside, 'pages'), join(inside, 'moved'));
        await symlink(outside, join(inside, 'pages'));
        assert.equal((await readFile(join(folder, 'index.html'))).toString(), 'inside');
        await writeFile(join(folder, 'new.html'), 'new');
      });
      assert.equal((await readFile(join(inside, 'moved', 'new.html'))).toString(), 'new');
      await failureOf('path_outside_root', () => root.inFolder('pages', async () => {}));
    });
  });

  it('reads nothing outside while paths change', async () => {
    verifies('mcp.local.root');
    await withProject(async (root, { inside, outside }) => {
      let reading = true;
      const swap = async () => {
        while (reading) {
          await rename(join(inside, 'pages'), join(inside, 'moved'));
          await symlink(outside, join(inside, 'pages'));
          await rm(join(inside, 'pages'));
          await rename(join(inside, 'moved'), join(inside, 'pages'));
        }
      };
      const read = async () => {
        let refused = 0;
        for (let round = 0; round < 400; round++)
          try {
            assert.equal((await root.read('pages/index.html')).toString(), 'inside');
          } catch (error) {
            if (!(error instanceof Failure)) throw error;
            refused++;
          }
        reading = false;
        return refused;
      };
      const [refused] = await Promise.all([read(), swap()]);
      assert.ok(refused > 0, 'no name has changed in time');
    });
  });
});

it('accepts the folder of temporary files as a root', async () => {
  await ProjectRoot.open(tmpdir());
});
