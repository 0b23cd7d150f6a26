/** Checks diffs with `git apply`. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileDiff } from '../../codemod/plan/diff.ts';
import { withFolder } from '../support/folder.ts';
import { Random } from '../support/random.ts';
import { skipWithout } from '../support/tool.ts';

async function assertDiffApplies(path: string, before: string, after: string): Promise<void> {
  await withFolder(async (folder) => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, before);
    const diff = fileDiff(path, before, after);
    await writeFile(join(folder, 'a.diff'), diff);
    execFileSync('git', ['apply', '-p1', 'a.diff'], {
      cwd: folder,
      env: { ...process.env, GIT_CEILING_DIRECTORIES: '/' },
    });
    assert.ok((await readFile(file)).equals(Buffer.from(after)), path);
  });
}

describe('a unified diff', { skip: skipWithout('git') }, () => {
  it('keeps line endings, byte order marks and a missing final newline', async () => {
    for (const [before, after] of [
      ['a\nb\nc\n', 'a\nB\nc\n'],
      ['a', 'b'],
      ['a\nb', 'a\nB'],
      ['a\nb\n', 'A\nb\n'],
      ['\ufeffa\r\nb\r\n', '\ufeffA\r\nb\r\n'],
      ['a\r\nb', 'a\r\nB'],
      ['a\rb\rc', 'a\rB\rc'],
      ['a\u2028b\nc\n', 'A\u2028b\nc\n'],
      ['\n\n\na\n\n', '\n\n\nb\n\n'],
    ] as const)
      await assertDiffApplies('file.txt', before, after);
  });

  it('names files like git', async () => {
    for (const path of [
      'a b/c d.html',
      'ž/é.md',
      'a"b.md',
      "it's.md",
      'a\\b.md',
      'a\tb.md',
      '[id]/(x)/$y.tsx',
      '-x.md',
    ])
      await assertDiffApplies(path, 'a\nb\n', 'a\nc\n');
  });

  it('is correct wherever the changes are', async () => {
    const random = new Random(5);
    for (let round = 0; round < 40; round += 1) {
      const lines = Array.from({ length: 1 + random.integer(40) }, (_, line) => `line ${line} ${random.integer(3)}`);
      const changed = lines.map((line) => (random.integer(6) === 0 ? `${line}!` : line));
      const end = random.integer(2) === 0 ? '' : '\n';
      if (changed.join() === lines.join()) assert.equal(fileDiff('x', lines.join('\n'), changed.join('\n')), '');
      else await assertDiffApplies('x', lines.join('\n') + end, changed.join('\n') + end);
    }
  });

  it('is short for a change of one line among many', () => {
    const lines = Array.from({ length: 1000 }, (_, line) => `line ${line}`);
    const diff = fileDiff('x', lines.join('\n'), lines.with(500, 'other').join('\n'));
    assert.equal(diff.split('\n').filter((line) => /^[-+ ]/.test(line)).length, 2 + 3 + 2 + 3);
  });
});
