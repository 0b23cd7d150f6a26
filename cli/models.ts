import { Argument, type Command } from 'commander';
import { Failure } from '../base/failure.ts';
import { CATALOGUE, PURPOSES } from '../models/catalogue.ts';
import { pullModel } from '../models/download.ts';
import { listModels, rowOf, type VerifiedRow, verifyModels } from '../models/inventory.ts';
import { loadConfig } from '../server/config.ts';
import { type Io, printRecord } from './io.ts';
import { progressBar } from './progress.ts';
import { stoppable } from './stoppable.ts';

const MB = 1e6;
const IDS = CATALOGUE.map(({ id }) => id);
const DEFAULT_IDS = CATALOGUE.filter((model) => model.default).map(({ id }) => id);

export function addModelsCommands(program: Command, io: Io): void {
  const models = program
    .command('models')
    .description('list, fetch and check the models of the AI operations; works while the service runs');
  models
    .command('list')
    .description('list models: which are installed, and which can be fetched')
    .action(async () => {
      for (const row of await listModels(loadConfig(io.env).modelsDir)) printRecord(io, row);
    });
  models
    .command('pull')
    .description('fetch models that are missing, and check their size and SHA-256')
    .addArgument(
      new Argument('[id...]', 'ids of models, as imagecrew models list prints them').choices(IDS).default(DEFAULT_IDS),
    )
    .action(async (ids: string[]) => {
      await untilStopped((signal) => pull(io, new Set(ids), signal));
    });
  models
    .command('verify')
    .description('read and check every model; exit status 1 if one is damaged or an operation has none')
    .action(async () => {
      const rows = await verifyModels(loadConfig(io.env).modelsDir);
      for (const row of rows) printRecord(io, row);
      checkVerified(rows);
    });
}

async function pull(io: Io, ids: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  const { modelsDir: folder, modelsUrl: mirror } = loadConfig(io.env);
  for (const model of CATALOGUE.filter(({ id }) => ids.has(id))) {
    const present = await rowOf(model, folder);
    if (present.installed) {
      io.err(`${model.id} is installed already.\n`);
      printRecord(io, { ...present, fetched: false });
      continue;
    }
    if (model.notice !== undefined) io.err(`${model.id}: ${model.notice}\n`);
    const bar = progressBar(io, model.id, (bytes) => `${(bytes / MB).toFixed(1)} MB`);
    await pullModel(model, { folder, mirror, signal, onProgress: bar.show }).finally(bar.clear);
    printRecord(io, { ...(await rowOf(model, folder)), fetched: true });
  }
}

/** Like {@link stoppable}, with an error message that says how to continue. */
async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  await stoppable(async (signal) => {
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      const sentence =
        'Expected to fetch every model but received a signal to stop. The next pull goes on with what has come.';
      throw new Failure('internal_error', sentence, { cause: error });
    }
  });
}

function checkVerified(rows: readonly VerifiedRow[]): void {
  const damaged = rows.filter(({ state }) => state === 'damaged').map(({ id }) => id);
  if (damaged.length > 0) {
    throw new Failure('internal_error', `Expected whole files but these are damaged: ${damaged.join(', ')}.`);
  }
  const without = PURPOSES.filter((purpose) => !rows.some((row) => row.purpose === purpose && row.state === 'ok'));
  if (without.length > 0) {
    throw new Failure(
      'internal_error',
      `Expected a model for every purpose but these have none: ${without.join(', ')}.`,
    );
  }
}
