/** Backup of a running service and its restoration, with the commands of the guide. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withFolder } from '../support/folder.ts';
import { nightlyOnly } from '../support/nightly.ts';
import { withServed } from '../support/serve-process.ts';
import { findProgram, skipWithout } from '../support/tool.ts';

const GUIDE = readFileSync('docs/guides/operating.md', 'utf8');

/** Reads a command from the guide and adapts its paths. @param start first words of the command */
function command(start: string, dataDir: string): string {
  const line = GUIDE.split('\n').find((one) => one.startsWith(start));
  assert.ok(line, start);
  return line.replaceAll('data/', `${dataDir}/`).replace("'backup.sqlite'", `'${dataDir}/backup.sqlite'`);
}

/**
 * Makes a backup while a new key is only in the write-ahead log.
 * Then checks that a service started on the backup accepts the key.
 * @param start first words of the backup command in the guide
 */
function restores(start: string): Promise<void> {
  return withFolder(async (folder) => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    let made = '';
    await withServed(first, async ({ address, key }) => {
      const answer = await fetch(`${address}/api/v1/keys`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: '{}',
      });
      made = ((await answer.json()) as { key: string }).key;
      execFileSync(findProgram('sh')!, ['-c', command(start, first)], { stdio: 'pipe' });
    });
    await mkdir(second);
    await copyFile(join(first, 'backup.sqlite'), join(second, 'imagecrew.sqlite'));
    await withServed(second, async ({ address, greeting }) => {
      assert.doesNotMatch(greeting, /key/);
      const usage = await fetch(`${address}/api/v1/usage`, { headers: { Authorization: `Bearer ${made}` } });
      assert.equal(usage.status, 200);
    });
  });
}

describe('a backup of a running service', () => {
  it('is made by Node alone, and restored', { skip: nightlyOnly }, () => restores('node -e'));
  it('is made by sqlite3, and restored', { skip: skipWithout('sqlite3') }, () => restores('sqlite3 data'));
});
