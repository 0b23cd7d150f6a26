/** The service as people start it: `imagecrew serve` in a process of its own. */
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { relative } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { LOADER, program, repositoryFile } from './repository.ts';

/** The command, as arguments of Node. */
const COMMAND: readonly string[] = [...LOADER, fileURLToPath(program('server/cli/main'))];

/**
 * Where the event loop is measured, the services come first: the test and every browser stand for others, which have machines of their own, and
 * waiting for a core that they use is no hold. The others run on core 0 when nothing else wants it (scripts/run-tests.mjs). It takes root.
 */
const MEASURED = process.env.IMAGECREW_TEST_HOLDS !== undefined;

const FIRST: readonly string[] = MEASURED
  ? ['taskset', '--cpu-list', `0-${cpus().length - 1}`, 'chrt', '--other', '0']
  : [];

const LOW_PRIORITY_BROWSER: Readonly<Record<string, string>> = MEASURED
  ? { IC_CHROMIUM: fileURLToPath(repositoryFile('test/support/low-priority-chromium.sh')) }
  : {};

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
    ...LOW_PRIORITY_BROWSER,
    ...env,
  };
  const [program, ...args] = [...FIRST, process.execPath, ...command, 'serve'];
  return spawn(program!, args, { env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] });
}

/**
 * Adds how long the event loop of the process was held at most, in seconds, and the running test to the file that IMAGECREW_TEST_HOLDS names, where it
 * is set (scripts/run-tests.mjs). A process that has ended, or keeps its metrics to itself, tells nothing.
 */
async function noteLongestHold({ exitCode, signalCode }: Served['child'], address: string): Promise<void> {
  const file = process.env.IMAGECREW_TEST_HOLDS;
  if (!file || exitCode !== null || signalCode !== null) return;
  const metrics = await fetch(`${address}/metrics`).then(
    (response) => response.text(),
    () => '',
  );
  const seconds = /^ic_event_loop_delay_max_seconds (\S+)$/m.exec(metrics)?.[1];
  if (seconds !== undefined) await appendFile(file, `${seconds} ${relative('', process.argv[1] ?? '')}\n`);
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
    await noteLongestHold(child, address);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}
