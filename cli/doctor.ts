import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { Failure } from '../base/failure.ts';
import { sqliteSource } from '../base/sqlite/open.ts';
import { FORMATS, type FormatId, INPUT_FORMATS, OUTPUT_FORMATS } from '../codecs/formats/registry.ts';
import { PURPOSES, type Purpose } from '../models/catalogue.ts';
import { pullCommand } from '../models/errors.ts';
import { readPurposeState } from '../models/installed.ts';
import { type Config, loadConfig } from '../server/config.ts';
import { packageVersion } from '../server/version.ts';
import { freeSpace } from '../storage/data-folder/free-space.ts';
import { checkS3Store } from '../storage/s3/store.ts';
import { checkDatabase, databaseFile } from '../storage/sqlite/database.ts';
import {
  checkDisk,
  checkMemory,
  checkPort,
  type Finding,
  reportAllocator,
  reportOptional,
} from './environment-checks.ts';
import type { Io } from './io.ts';

export function addDoctorCommand(program: Command, io: Io): void {
  program
    .command('doctor')
    .description('check what the service needs and print what it has')
    .action(async () => {
      const config = loadConfig(io.env);
      const findings: Finding[] = [
        { name: 'versions', text: `imagecrew ${packageVersion()}, Node ${process.versions.node}, ${process.platform}` },
        { name: 'workers', text: `${config.workers} on ${availableParallelism()} cores` },
        { name: 'reads', text: namesOf(INPUT_FORMATS) },
        { name: 'writes', text: namesOf(OUTPUT_FORMATS) },
        ...(config.databaseUrl === undefined ? [checkSqlite()] : []),
        await checkPort(config),
        checkMemory(config),
        reportAllocator(io.env),
        await checkFolder(config.dataDir),
        await checkDisk(freeSpace(await nearestExisting(config.dataDir)), config),
        await checkData(config),
        await checkFiles(config),
        ...(await Promise.all(PURPOSES.map((purpose) => checkModel(purpose, config.modelsDir)))),
        ...reportOptional(io.env),
      ];
      for (const { name, ok, text } of findings) io.out(`${mark(ok)} ${name}: ${text}\n`);
      const failed = findings.filter(({ ok }) => ok === false).map(({ name }) => name);
      if (failed.length > 0) {
        throw new Failure('internal_error', `Expected every check to pass but these failed: ${failed.join(', ')}.`);
      }
    });
}

function mark(ok: boolean | undefined): string {
  if (ok === undefined) return '      ';
  return ok ? '[ok]  ' : '[fail]';
}

const namesOf = (formats: readonly FormatId[]): string => formats.map((format) => FORMATS[format].name).join(', ');

/** A missing model that can be downloaded is not a failure: the operations that need it say how to get it. */
async function checkModel(purpose: Purpose, folder: string): Promise<Finding> {
  const name = `model for ${purpose}`;
  const found = await readPurposeState(purpose, folder);
  if (found.state === 'ready') return { name, ok: true, text: found.ids.join(', ') };
  if (found.state === 'failed') return { name, ok: false, text: 'damaged (imagecrew models verify tells the file)' };
  if (purpose === 'ocr' || purpose === 'upscale') return { name, ok: false, text: 'missing in this package' };
  return { name, text: `missing (${pullCommand(purpose)} fetches it)` };
}

/** Checks the data folder without creating it. The service creates a missing folder when it starts. */
async function checkFolder(folder: string): Promise<Finding> {
  const name = 'data folder';
  try {
    const existing = await nearestExisting(folder);
    if (!(await stat(existing)).isDirectory()) return { name, ok: false, text: `${existing} is not a folder` };
    await access(existing, constants.W_OK | constants.X_OK);
    return { name, ok: true, text: existing === folder ? folder : `${folder} (the first start makes it)` };
  } catch {
    return { name, ok: false, text: `${folder} cannot be written` };
  }
}

function checkSqlite(): Finding {
  const name = 'SQLite';
  try {
    return { name, ok: true, text: `of ${sqliteSource()}` };
  } catch (error) {
    return { name, ok: false, text: messageOf(error) };
  }
}

/** Checks the whole database. The service itself checks only parts of it when it starts. */
async function checkData({ dataDir, databaseUrl }: Config): Promise<Finding> {
  const name = 'database';
  try {
    if (databaseUrl !== undefined) return { name, ok: true, text: await checkServer(databaseUrl) };
    const isThere = await checkDatabase(dataDir);
    return { name, ok: true, text: isThere ? databaseFile(dataDir) : 'none yet (the first start makes it)' };
  } catch (error) {
    return { name, ok: false, text: messageOf(error) };
  }
}

/** Tries all that the service does with the store of files, if it is not the data folder. */
async function checkFiles({ storageUrl, ...config }: Config): Promise<Finding> {
  const name = 'store of files';
  if (storageUrl === undefined) return { name, text: 'the data folder' };
  try {
    return { name, ok: true, text: await checkS3Store({ ...config, storageUrl }) };
  } catch (error) {
    return { name, ok: false, text: messageOf(error) };
  }
}

/** Checks a database on a server without changing anything. */
async function checkServer(url: string): Promise<string> {
  const { addressOf, checkPostgres } = await import('../storage/postgres/database.ts');
  return `PostgreSQL ${await checkPostgres(url)}, ${addressOf(url)}`;
}

const messageOf = (error: unknown): string => (error instanceof Failure ? error.message : String(error));

async function nearestExisting(path: string): Promise<string> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : await nearestExisting(dirname(path));
}
