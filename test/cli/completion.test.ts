import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runCli } from '../../cli/program.ts';
import { withFolder } from '../support/folder.ts';
import { skipWithout } from '../support/tool.ts';

async function scriptFor(shell: string): Promise<string> {
  let out = '';
  const status = await runCli(['completion', shell], {
    env: {},
    out: (text) => {
      out += text;
    },
    err: assert.fail,
  });
  assert.equal(status, 0);
  return out;
}

/** Returns the words that a shell offers to complete the last word of a command line, sorted. */
type Completions = (line: string) => string[];

/**
 * Runs `work` with the completion of a shell. The shell runs the completion script and then `script`, whose first
 * argument is the command line.
 */
async function inShell(
  shell: string,
  script: string,
  work: (offered: Completions) => void,
  before = '',
): Promise<void> {
  const ours = `${before}\n${await scriptFor(shell)}`;
  await withFolder(async (folder) => {
    const file = join(folder, `test.${shell}`);
    await writeFile(file, `${ours}\n${script}`);
    const bare: Record<string, string[]> = { bash: ['--norc'], zsh: ['-f'], fish: ['--no-config'] };
    work((line) => {
      const { status, stdout, stderr } = spawnSync(shell, [...bare[shell]!, file, line], {
        encoding: 'utf8',
        env: { ...process.env, HOME: folder },
      });
      assert.deepEqual([status, stderr], [0, '']);
      return stdout
        .split('\n')
        .filter((word) => word !== '')
        .map((word) => word.split('\t')[0]!)
        .sort();
    });
  });
}

function assertCompletions(offered: Completions): void {
  assert.deepEqual(offered('imagecrew comp'), ['completion', 'compress']);
  assert.deepEqual(offered('imagecrew models v'), ['verify']);
  assert.deepEqual(offered('imagecrew admin key l'), ['list']);
  assert.deepEqual(offered('imagecrew compress --format we'), ['webp']);
  assert.deepEqual(offered('imagecrew compress a.jpg --flip '), ['h', 'hv', 'none', 'v']);
  assert.deepEqual(offered('imagecrew compress a.jpg --tar'), ['--target-bytes']);
  assert.deepEqual(offered('imagecrew compress --no-en'), ['--no-enhance', '--no-enlarge']);
  assert.deepEqual(offered('imagecrew gif --colo'), ['--colours']);
  assert.deepEqual(offered('imagecrew completion '), ['bash', 'fish', 'zsh']);
  assert.deepEqual(offered('imagecrew pipeline --preset ema'), ['email']);
}

describe('completion', () => {
  it('works in bash', { skip: skipWithout('bash') }, async () => {
    const script = `IFS=' ' read -ra COMP_WORDS <<< "$1"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_imagecrew
printf '%s\\n' "\${COMPREPLY[@]}"`;
    await inShell('bash', script, (offered) => {
      assertCompletions(offered);
      // Bash treats `=` as a separate word.
      assert.deepEqual(offered('imagecrew compress --format = we'), ['webp']);
      assert.deepEqual(offered('imagecrew compress -o '), []);
    });
  });

  it('works in zsh', { skip: skipWithout('zsh') }, async () => {
    // Stubs for functions of zsh's completion system. `offer` filters by prefix, as zsh itself would.
    const editor = `function compdef() {}
function _describe() { local -a all=("\${(@P)argv[-1]}"); local each; for each in $all; offer "\${\${each//\\\\:/_}%%:*}" }
function compadd() { local each; for each in "\${@[2,-1]}"; offer $each }
function offer() { [[ $1 == \${words[CURRENT]}* ]] && print -r -- $1; return 0 }
function _files() { print FILES }`;
    const script = `words=("\${(@s: :)1}")
CURRENT=$#words
_imagecrew`;
    await inShell('zsh', script, assertCompletions, editor);
  });

  it('works in fish', { skip: skipWithout('fish') }, async () => {
    await inShell('fish', 'complete -C "$argv[1]"', (offered) => {
      assertCompletions(offered);
      assert.deepEqual(offered('imagecrew compress --format=we'), ['--format=webp']);
    });
  });
});
