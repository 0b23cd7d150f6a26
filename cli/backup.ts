import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { expected, Failure } from '../base/failure.ts';
import { type Environment, loadConfig } from '../server/config.ts';
import { packageVersion } from '../server/version.ts';
import { makeBackup } from '../storage/backup/backup.ts';
import { restoreBackup } from '../storage/backup/restore.ts';
import { ExitStatus, signalExitStatus } from './exit-status.ts';
import { STDIO, unreadable } from './images/inputs.ts';
import { writeAtomically } from './images/write.ts';
import { type Io, printRecord } from './io.ts';
import { stoppable } from './stoppable.ts';

const BACKUP_ABOUT = `Writes the database, stored results, uploads of jobs, originals of scans, plans.json and first-key as one tar archive, also while the service runs. It holds what is secret in them. Models and IC_ settings are not in it.`;

const RESTORE_ABOUT = `Checks a backup, with the SHA-256 of each of its files, and puts it in the place of the data in IC_DATA_DIR. The service must be stopped. A backup of an older version is migrated. What fails, or is stopped, changes nothing.`;

export function addBackupCommands(admin: Command, io: Io): void {
  admin
    .command('backup')
    .summary('write all data to one file')
    .description(BACKUP_ABOUT)
    .argument('<file>', 'new file, such as backup.tar; - for the standard output')
    .option('--overwrite', 'write over what is there')
    .action(async (file: string, { overwrite = false }: { overwrite?: boolean }) => {
      await backup(io, file, overwrite);
    });

  admin
    .command('restore')
    .summary('put back what backup has written')
    .description(RESTORE_ABOUT)
    .argument('<file>', 'backup; - for the standard input')
    .option('--replace', 'replace data that are there; they are kept in a folder before-restore-TIME in IC_DATA_DIR')
    .action(async (file: string, { replace = false }: { replace?: boolean }) => {
      await restore(io, file, replace);
    });
}

/** Files with results, keys and secrets are for their owner only. */
const PRIVATE_FILE = 0o600;

/**
 * The data folder, which has the database.
 * @throws Failure when a server has it
 */
function dataFolderOf(env: Environment): string {
  const { dataDir, databaseUrl } = loadConfig(env);
  if (databaseUrl === undefined) return dataDir;
  throw new Failure('invalid_state', 'Expected a database in IC_DATA_DIR but IC_DATABASE_URL names a server.', {
    hint: 'Use pg_dump and pg_restore for it, and copy IC_DATA_DIR: docs/guides/postgresql.md, "Backup".',
  });
}

async function backup(io: Io, file: string, overwrite: boolean): Promise<void> {
  const dataDir = dataFolderOf(io.env);
  if (file === STDIO && io.isOutTerminal)
    throw new Failure('invalid_parameter', expected('a file or a pipe', '-', 'a terminal'));
  await stoppedBySignal(async (signal) => {
    const summary = await makeBackup(dataDir, { version: packageVersion(), signal }, async (chunks) => {
      if (file !== STDIO) await writeAtomically(file, chunks, { overwrite, mode: PRIVATE_FILE, durable: true });
      else if (io.output) await pipeline(chunks, io.output, { end: false, signal }).catch(endAsReaderDid);
    });
    if (file !== STDIO) printRecord(io, { file, ...summary });
  });
}

async function restore(io: Io, file: string, replace: boolean): Promise<void> {
  const dataDir = dataFolderOf(io.env);
  await stoppedBySignal(async (signal) => {
    const source = file === STDIO ? io.input : await openFile(file);
    if (!source) return;
    const chunks = addAbortSignal(signal, source);
    // It may be stopped while nothing reads it; the next read then fails.
    chunks.on('error', () => {});
    printRecord(io, await restoreBackup(dataDir, chunks, { file: file === STDIO ? 'the input' : file, replace }));
  });
}

/** @throws Failure `not_found` if the file cannot be read */
async function openFile(path: string): Promise<Readable> {
  try {
    const file = await open(path);
    if (!(await file.stat()).isDirectory()) return file.createReadStream();
    await file.close();
  } catch (error) {
    throw new Failure('not_found', unreadable('a backup', path, error as NodeJS.ErrnoException), { cause: error });
  }
  throw new Failure('not_found', expected('a file', 'the backup', path));
}

/** @throws ExitStatus as of other programs whose reader has closed the pipe */
function endAsReaderDid(error: NodeJS.ErrnoException): never {
  throw error.code === 'EPIPE' ? new ExitStatus(signalExitStatus('SIGPIPE')) : error;
}

/** Runs `work`. If a signal stops it, the process exits with the status of that signal. */
async function stoppedBySignal(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  await stoppable(async (signal) => {
    try {
      await work(signal);
    } catch (error) {
      throw signal.aborted ? new ExitStatus(signalExitStatus(signal.reason as NodeJS.Signals)) : error;
    }
  });
}
