/** Tests the program of the local MCP server that the service hands out, on its own in a folder. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageFiles, photo, zipped } from '../../codemod/desk.ts';
import { withLocalProcess } from '../../codemod/process.ts';
import { withFolder, writeFiles } from '../../support/folder.ts';
import { MCP_REVISIONS } from '../../support/mcp-revisions.ts';
import { repositoryFile } from '../../support/repository.ts';
import { withService } from '../../support/service.ts';
import { skipWithout } from '../../support/tool.ts';

const PATH = '/mcp-local.tgz';

describe('the program of the local MCP server', { timeout: 120_000 }, () => {
  it('is handed out without a key, and only once to who has it', async () => {
    await withService(async ({ origin }) => {
      const answer = await fetch(`${origin}${PATH}?version=any`);
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/gzip']);
      assert.equal(answer.headers.get('cache-control'), 'public, no-cache');
      const tag = answer.headers.get('etag')!;
      assert.equal((await fetch(`${origin}${PATH}`, { headers: { 'if-none-match': tag } })).status, 304);
      assert.equal((await fetch(`${origin}${PATH}`, { method: 'HEAD' })).headers.get('etag'), tag);
      assert.equal((await fetch(`${origin}${PATH}?other=1`)).status, 400);
    });
  });

  it('runs without any other package', { skip: skipWithout('tar') }, async () => {
    await withFolder(async (folder) => {
      const archive = await withService(async ({ origin }) => await (await fetch(`${origin}${PATH}`)).arrayBuffer());
      await writeFile(join(folder, 'mcp-local.tgz'), Buffer.from(archive));
      execFileSync('tar', ['-xzf', 'mcp-local.tgz'], { cwd: folder });
      const unpacked = join(folder, 'package');
      assert.deepEqual((await readdir(unpacked)).sort(), ['LICENSE', 'THIRD-PARTY-NOTICES', 'dist', 'package.json']);
      const { bin, version, ...rest } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
      assert.equal(version, JSON.parse(await readFile(repositoryFile('package.json'), 'utf8')).version);
      assert.deepEqual([rest.dependencies, Object.keys(bin).length], [undefined, 1]);
      const program = join(unpacked, String(Object.values(bin)[0]));
      assert.equal(execFileSync(process.execPath, [program, '--version'], { encoding: 'utf8' }).trim(), version);
      assert.match(await readFile(program, 'utf8'), /^#!\/usr\/bin\/env node\n/);

      const root = join(folder, 'project');
      await mkdir(root);
      const data = await photo(1);
      const content = await packageFiles([{ at: '/a.jpg', data }]);
      await writeFiles(root, { 'a.jpg': data, 'a.html': '<img src="/a.jpg">', 'p.zip': zipped(content) });
      for (const revision of MCP_REVISIONS)
        await withLocalProcess(
          root,
          async (local) => {
            await local.call('load_replacement_package', { path: 'p.zip' });
            const { diff } = await local.call('preview_replacements');
            assert.match(String(diff), /^\+<img src="\/a\.webp">$/m);
          },
          { command: [program, 'mcp'], revision },
        );
    });
  });
});
