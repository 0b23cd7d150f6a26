import { once } from 'node:events';
import type { Command } from 'commander';
import { expected, Failure } from '../../base/failure.ts';
import { openDatabase } from '../../storage/database.ts';
import { firstStart } from '../account/firstStart.ts';
import { type Config, loadConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { startFirstFetch } from '../models/first-fetch.ts';
import { statusOfSignal } from './exit-status.ts';
import type { Io } from './io.ts';

export function addServeCommand(program: Command, io: Io): void {
  program
    .command('serve')
    .description('run the service until it is told to stop (SIGTERM or Ctrl-C)')
    .action(async () => {
      const config = loadConfig(io.env);
      const stop = stopRequested();
      const firstKey = await showFirstKey(config, io);
      // Only this command needs the engine and the web server, which take their time to load.
      const { startService } = await import('../service.ts');
      const log = createLog(config.logLevel);
      const service = await startService(config, log).catch((error: unknown) => {
        throw listenFailure(config, error) ?? error;
      });
      io.out(`Imagecrew listens on ${service.address}\n${firstKey ? startHint(service.address, firstKey) : ''}`);
      const fetching = startFirstFetch(config, io.env, log);
      await stop;
      await fetching.stop();
      io.out('Stopping: requests in progress may finish; a second signal ends them.\n');
      await service.close();
    });
}

/** Prints the key of the first account, before anything else can fail: it is not stored and cannot be shown again. */
async function showFirstKey(config: Config, io: Io): Promise<string | undefined> {
  const database = await openDatabase(config.dataDir);
  const first = await firstStart(database).finally(() => database.close());
  if (!first) return undefined;
  io.out(
    `First start: made the account "${first.account.name}". This is its key, shown only now:\n\n  ${first.key}\n\n`,
  );
  return first.key;
}

/** The console takes the key from the fragment, which a browser sends nowhere. */
function startHint(address: string, key: string): string {
  return `Open ${address}/#key=${key} to try it.\n`;
}

/**
 * Resolves with the first signal to stop, which during the start waits for its end; the next one ends the process with
 * the status of a killed one.
 */
async function stopRequested(): Promise<void> {
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => process.exit(statusOfSignal(name)));
}

const LISTEN_ERRORS = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND']);

function listenFailure({ host, port }: Config, error: unknown): Failure | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!LISTEN_ERRORS.has(code)) return undefined;
  const sentence = expected('an address and a port to listen on', 'IC_HOST and IC_PORT', `${host}:${port} (${code})`);
  return new Failure('internal_error', sentence, { cause: error });
}
