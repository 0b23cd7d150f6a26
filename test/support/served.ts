/** The service as people start it: `imagecrew serve` in a process of its own. */
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { LOADER, program } from './repository.ts';

/** The command, as arguments of Node. */
const COMMAND: readonly string[] = [...LOADER, fileURLToPath(program('server/cli/main'))];

export interface Served {
  child: ChildProcessByStdio<null, Readable, Readable>;
  /** Everything on the standard output until it listened. */
  greeting: string;
  address: string;
  /** Of the first account, when this start has made it; else empty. */
  key: string;
}

export function startServing(
  dataDir: string,
  env: Record<string, string> = {},
  command: readonly string[] = COMMAND,
): Served['child'] {
  const settings = {
    IC_DATA_DIR: dataDir,
    IC_PORT: '0',
    IC_WORKERS: '1',
    IC_LOG_LEVEL: 'silent',
    // A test that fetches models names its own mirror.
    IC_MODELS_FETCH: 'false',
    ...env,
  };
  return spawn(process.execPath, [...command, 'serve'], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs `work` with a service in a process of its own, which is killed afterwards if it still runs. */
export async function withServed(
  dataDir: string,
  work: (served: Served) => Promise<void>,
  env: Record<string, string> = {},
  command?: readonly string[],
): Promise<void> {
  const child = startServing(dataDir, env, command);
  const exited = once(child, 'exit');
  try {
    let greeting = '';
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      greeting += String(chunk);
      if (greeting.includes('listens on')) break;
    }
    const address = /listens on (http:\S+)/.exec(greeting)?.[1];
    assert.ok(address, greeting);
    child.stdout.resume();
    const keyFile = /Its key is in (.+), which only/.exec(greeting)?.[1];
    const key = keyFile === undefined ? '' : (await readFile(keyFile, 'utf8')).trim();
    await work({ child, greeting, address, key });
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}
