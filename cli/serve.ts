import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expected, Failure } from '../base/failure.ts';
import { createFirstAccount, type FirstAccount } from '../server/account/first-start.ts';
import { type Config, loadConfig } from '../server/config.ts';
import { createLog } from '../server/log.ts';
import { startFirstFetch } from '../server/models/first-fetch.ts';
import { endBySignal, signalExitStatus } from './exit-status.ts';
import type { Io } from './io.ts';
import { STOP_TIMEOUT_MS } from './stoppable.ts';

const ABOUT = `Runs the service until SIGTERM or Ctrl-C, on the address of IC_HOST and IC_PORT, with its data in IC_DATA_DIR. The first start makes an account and prints its key. imagecrew config lists all settings.`;

export function addServeCommand(program: Command, io: Io): void {
  program
    .command('serve')
    .summary('run the service until SIGTERM or Ctrl-C')
    .description(ABOUT)
    .action(async () => {
      const config = loadConfig(io.env);
      const handOver = endStartOnSignal();
      // Loaded only here: the engine and the web server take time to load, and other commands do not need them.
      const { startService } = await import('../server/service.ts');
      const log = createLog(config.logLevel);
      const keyFile = io.isOutTerminal ? undefined : join(config.dataDir, KEY_FILE);
      let first: FirstAccount | undefined;
      const service = await startService(config, log, async (database) => {
        first = await createFirstAccount(database, (key) =>
          keyFile === undefined ? undefined : writeKeyFile(keyFile, key),
        );
      }).catch((error: unknown) => {
        throw listenFailure(config, error) ?? error;
      });
      handOver();
      const stop = stopRequested();
      io.out(`Imagecrew listens on ${service.address}\n${first ? firstKeyText(service.address, first, keyFile) : ''}`);
      const fetching = startFirstFetch(config, io.env, log);
      await stop;
      await fetching.stop();
      io.out('Stopping: requests in progress may finish; a second signal ends them.\n');
      await service.close();
    });
}

/** File name in the data folder. */
const KEY_FILE = 'first-key';

/**
 * Writes the key to a file that only its owner can read. It must not get into a log, which many people can read, so it
 * is printed only on a terminal.
 */
async function writeKeyFile(path: string, key: string): Promise<void> {
  // A file that exists was left by a failed start: its key was never stored.
  await rm(path, { force: true });
  await writeFile(path, `${key}\n`, { mode: 0o600, flag: 'wx' });
}

/**
 * On a terminal, also prints a URL that opens the console. The key is in the fragment, which browsers do not send to
 * the server.
 */
function firstKeyText(address: string, { account, key }: FirstAccount, keyFile: string | undefined): string {
  const made = `First start: made the account "${account.name}".`;
  if (keyFile === undefined)
    return `${made} This is its key, shown only now:\n\n  ${key}\n\nOpen ${address}/#key=${key} to try it.\n`;
  return `${made} Its key is in ${keyFile}, which only its owner can read; delete the file when you have taken the key.\n`;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Signals of the same time are one request to stop: a terminal sends its signal to every process, and npm or a parent
 * of the service passes it on.
 */
const REPEATED_SIGNAL_MS = 500;

/**
 * During the start a signal ends the process at once, also while the file system does not answer. Only process 1 of a
 * container needs listeners: the kernel does not end it by a signal that has none.
 * @returns a function that removes the listeners
 */
function endStartOnSignal(): () => void {
  if (process.pid !== 1) return () => {};
  const exit = (name: NodeJS.Signals) => process.exit(signalExitStatus(name));
  for (const name of SIGNALS) process.on(name, exit);
  return () => {
    for (const name of SIGNALS) process.off(name, exit);
  };
}

/**
 * Resolves with the first signal to stop. A second signal ends the process at once, as does the timeout: calls of a
 * file system that does not answer never return.
 */
async function stopRequested(): Promise<void> {
  const [first] = await Promise.race(SIGNALS.map((name) => once(process, name) as Promise<[NodeJS.Signals]>));
  const stoppedAt = performance.now();
  const end = (name: NodeJS.Signals) => {
    endBySignal(name);
    process.exit(signalExitStatus(name));
  };
  for (const name of SIGNALS)
    process.on(name, () => {
      if (performance.now() - stoppedAt > REPEATED_SIGNAL_MS) end(name);
    });
  setTimeout(() => end(first), STOP_TIMEOUT_MS).unref();
}

const LISTEN_ERRORS = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND']);

function listenFailure({ host, port }: Config, error: unknown): Failure | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!LISTEN_ERRORS.has(code)) return undefined;
  const sentence = expected('an address and a port to listen on', 'IC_HOST and IC_PORT', `${host}:${port} (${code})`);
  return new Failure('internal_error', sentence, { cause: error });
}
