import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openSqlite } from '../../base/sqlite/open.ts';
import { withFolder } from '../support/folder.ts';
import { LOADER, program, repositoryFile } from '../support/repository.ts';

const SCRIPT = fileURLToPath(repositoryFile('bin/supervise.sh'));
const skip = process.platform === 'win32' && 'there is no shell';

/** Runs a command with the script. Its output begins with the id of its process and the line `waits`. */
function supervise(limit: number, command: readonly string[]) {
  const child = spawn('/bin/sh', [SCRIPT, String(limit), ...command], { stdio: ['pipe', 'pipe', 'pipe'] });
  return Object.assign(child, { ended: once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]> });
}

const node = (code: string) => [process.execPath, '--eval', code];

async function untilOutput({ stdout }: ChildProcess, text: string): Promise<string> {
  let out = '';
  for await (const chunk of stdout!.iterator({ destroyOnReturn: false })) {
    out += String(chunk);
    if (out.includes(text)) return out;
  }
  throw new Error(`Expected ${text} but received ${out}.`);
}

describe('supervise.sh', { skip, timeout: 60_000 }, () => {
  it('kills a program that is blocked in SQLite after the limit, and ends by the signal to stop', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'database');
      const lock = openSqlite(path);
      lock.exec('BEGIN EXCLUSIVE');
      try {
        const blocked = fileURLToPath(program('test/support/blocked-by-sqlite'));
        const child = supervise(1, [process.execPath, ...LOADER, blocked, path]);
        await untilOutput(child, 'waits');
        const said = child.stderr.setEncoding('utf8').toArray();
        child.kill('SIGTERM');
        assert.deepEqual(await child.ended, [null, 'SIGTERM']);
        assert.match((await said).join(''), /^The service did not stop in 1 seconds and was killed[.]/);
      } finally {
        lock.close();
      }
    });
  });

  it('passes each signal on and ends as the program does', async () => {
    for (const [name, status] of [
      ['SIGTERM', 3],
      ['SIGINT', 4],
      ['SIGHUP', 5],
    ] as const) {
      const child = supervise(
        50,
        node(`process.on('${name}', () => process.exit(${status})); console.log('waits'); setInterval(() => {}, 1e6)`),
      );
      await untilOutput(child, 'waits');
      child.kill(name);
      assert.deepEqual(await child.ended, [status, null], name);
    }
  });

  it('ends by the signal that has ended the program, also if nobody has stopped it', async () => {
    for (const name of ['SIGTERM', 'SIGKILL', 'SIGABRT'] as const) {
      const child = supervise(50, node(`process.kill(process.pid, '${name}')`));
      assert.deepEqual(await child.ended, [null, name]);
    }
  });

  it('gives the program the input, output and arguments, and its own process id', async () => {
    const code = `process.stdin.pipe(process.stdout); console.log(process.env.IMAGECREW_PARENT, process.ppid, process.argv[1])`;
    const child = supervise(50, [...node(code), 'an "argument" of $several words']);
    child.stdin.end('from the input');
    const [out] = await Promise.all([child.stdout.setEncoding('utf8').toArray(), child.ended]);
    assert.equal(out.join(''), `${child.pid} ${child.pid} an "argument" of $several words\nfrom the input`);
  });
});
