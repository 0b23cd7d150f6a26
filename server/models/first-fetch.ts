/**
 * Fetches the default models of a new service, by `imagecrew models pull` in a separate process. Nothing waits for it,
 * not even the end of the service: a DNS look-up cannot be cancelled and keeps its process running.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { CATALOGUE, type CatalogueModel } from '../../models/catalogue.ts';
import { findModel } from '../../models/installed.ts';
import type { Config, Environment } from '../config.ts';
import type { Log } from '../log.ts';

/** File in the data folder with the time of the last try. */
const LAST_TRY_FILE = 'models-fetch';
const DAY_MS = 24 * 60 * 60 * 1000;

const PROGRAM = fileURLToPath(new URL(`../../cli/main${extname(import.meta.url)}`, import.meta.url));

export interface FirstFetch {
  /** Stops the fetch without waiting for it. The next start resumes it. */
  stop(): Promise<void>;
}

/**
 * Fetches the default models that are missing and have no better one installed. Not repeated within a day: a service
 * without internet tries once and logs it once.
 * @param env environment that `config` was read from
 */
export function startFirstFetch(config: Config, env: Environment, log: Log): FirstFetch {
  const stopped = new AbortController();
  const mark = join(config.dataDir, LAST_TRY_FILE);
  let isRunning = false;

  const run = async () => {
    const ids = (await missing(config.modelsDir)).map(({ id }) => id);
    const reason = await reasonNotToFetch(ids, config, mark);
    if (reason !== undefined) log.debug({ models: ids, reason }, 'no models to fetch');
    if (reason !== undefined || stopped.signal.aborted) return;
    isRunning = true;
    await writeFile(mark, new Date().toISOString());
    const { status, said } = await pull(ids, env, stopped.signal);
    isRunning = false;
    if (status === 0) log.info({ models: ids }, 'default models installed');
    else log.info({ models: ids, reason: said }, 'default models not fetched; imagecrew models pull fetches them');
  };

  run().catch((error: unknown) => {
    if (!stopped.signal.aborted) log.info({ err: error }, 'default models not fetched');
  });
  return {
    async stop() {
      stopped.abort();
      if (isRunning) await rm(mark, { force: true });
    },
  };
}

async function reasonNotToFetch(ids: readonly string[], config: Config, mark: string): Promise<string | undefined> {
  if (!config.modelsFetch) return 'switched off by IC_MODELS_FETCH';
  if (ids.length === 0) return 'they are there';
  return (await isRecent(mark)) ? 'tried within the last day' : undefined;
}

async function missing(folder: string): Promise<CatalogueModel[]> {
  const found = await Promise.all(
    CATALOGUE.map(async (model) => model.default && (await findModel(model.purpose, folder)) === undefined),
  );
  return CATALOGUE.filter((_, index) => found[index]);
}

async function isRecent(mark: string): Promise<boolean> {
  const age = Date.now() - Date.parse(await readFile(mark, 'utf8').catch(() => ''));
  return age >= 0 && age < DAY_MS;
}

/** @throws the reason of the signal; the process then ends by itself */
async function pull(
  ids: readonly string[],
  env: Environment,
  signal: AbortSignal,
): Promise<{ status: number; said: string }> {
  const child = spawn(process.execPath, [...process.execArgv, PROGRAM, 'models', 'pull', ...ids], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  signal.addEventListener('abort', () => {
    child.kill();
    child.unref();
    child.stderr.destroy();
  });
  const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'exit', { signal })]);
  return { status: status ?? 1, said: said.trim() };
}
