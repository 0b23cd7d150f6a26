/** Runs the service as people start it: `imagecrew serve` in a separate process. */
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { relative } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ALLOCATOR_VARIABLES, NODE_OPTIONS } from '../../cli/memory-settings.ts';
import { LOADER, program, repositoryFile } from './repository.ts';

/** The command, as arguments of Node. With its settings already there, the service is this process and no child of it. */
const COMMAND: readonly string[] = [...NODE_OPTIONS, ...LOADER, fileURLToPath(program('cli/main'))];

/**
 * When the event loop is measured, the services get priority. The test and every browser stand for clients, which
 * have their own machines, so waiting for a core that they use must not count as a delay. They run on core 0 when
 * nothing else wants it (scripts/run-tests.mjs). This needs root.
 */
const IS_MEASURED = process.env.IMAGECREW_TEST_HOLDS !== undefined;

const PRIORITY_COMMAND: readonly string[] = IS_MEASURED
  ? ['taskset', '--cpu-list', `0-${cpus().length - 1}`, 'chrt', '--other', '0']
  : [];

const LOW_PRIORITY_BROWSER: Readonly<Record<string, string>> = IS_MEASURED
  ? { IC_CHROMIUM: fileURLToPath(repositoryFile('test/support/low-priority-chromium.sh')) }
  : {};

export interface ServeProcess {
  child: ChildProcessByStdio<null, Readable, Readable>;
  /** Everything on the standard output until the service listens. */
  greeting: string;
  address: string;
  /** Key of the first account if this start has created it, otherwise empty. */
  key: string;
}

export function startServing(
  dataDir: string,
  env: Readonly<Record<string, string | undefined>> = {},
  command: readonly string[] = COMMAND,
): ServeProcess['child'] {
  const settings = {
    ...ALLOCATOR_VARIABLES,
    IC_DATA_DIR: dataDir,
    IC_PORT: '0',
    IC_WORKERS: '1',
    IC_LOG_LEVEL: 'silent',
    // A test that fetches models sets its own mirror.
    IC_MODELS_FETCH: 'false',
    ...LOW_PRIORITY_BROWSER,
    ...env,
  };
  const [program, ...args] = [...PRIORITY_COMMAND, process.execPath, ...command, 'serve'];
  return spawn(program!, args, { env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] });
}

/**
 * Appends the maximum event loop delay of the process in seconds, with the running test, to the file that
 * IMAGECREW_TEST_HOLDS names, if it is set (scripts/run-tests.mjs). Skips processes that have ended or do not publish
 * metrics.
 */
async function recordMaxLoopDelay({ exitCode, signalCode }: ServeProcess['child'], address: string): Promise<void> {
  const file = process.env.IMAGECREW_TEST_HOLDS;
  if (!file || exitCode !== null || signalCode !== null) return;
  const metrics = await fetch(`${address}/metrics`).then(
    (response) => response.text(),
    () => '',
  );
  const seconds = /^ic_event_loop_delay_max_seconds (\S+)$/m.exec(metrics)?.[1];
  if (seconds !== undefined) await appendFile(file, `${seconds} ${relative('', process.argv[1] ?? '')}\n`);
}

/** Starts a service in a separate process. `close` kills it if it is still running. */
export async function openServed(
  dataDir: string,
  env: Readonly<Record<string, string | undefined>> = {},
  command?: readonly string[],
): Promise<ServeProcess & { close(): Promise<void> }> {
  const child = startServing(dataDir, env, command);
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
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
    const close = () => recordMaxLoopDelay(child, address).finally(kill);
    return { child, greeting, address, key, close };
  } catch (error) {
    await kill();
    throw error;
  }
}

/** Runs `work` with a service in a separate process, which is killed afterwards if it is still running. */
export async function withServed(
  dataDir: string,
  work: (served: ServeProcess) => Promise<void>,
  env?: Readonly<Record<string, string | undefined>>,
  command?: readonly string[],
): Promise<void> {
  const { close, ...served } = await openServed(dataDir, env, command);
  try {
    await work(served);
  } finally {
    await close();
  }
}
