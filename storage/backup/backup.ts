/** Makes a backup of a data folder, also while the service runs. */
import { createHash } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '../../base/file-lock.ts';
import { timestamp } from '../../base/timestamp.ts';
import { BACKUP_FOLDER, BACKUP_LOCK, DATABASE, SMALL_FILES, STORES } from '../data-folder/entries.ts';
import { folderFailure } from '../data-folder/folder-failure.ts';
import { isOutOfSpace } from '../data-folder/out-of-space.ts';
import { ensurePrivateFile } from '../data-folder/permissions.ts';
import { databaseMissing, dataFolderFull } from '../errors.ts';
import { copyDatabase } from '../sqlite/database.ts';
import { backupRunning, dataUnreadable } from './errors.ts';
import {
  BACKUP_FORMAT,
  type BackupDescription,
  DESCRIPTION_ENTRY,
  isDataEntry,
  SUMS_ENTRY,
  sumLine,
} from './format.ts';
import { TAR_END, tarHeader, tarPadding } from './tar.ts';

export interface BackupOptions {
  /** Of the program. */
  version: string;
  signal: AbortSignal;
}

export interface BackupSummary extends BackupDescription {
  /** Files in the backup, without its description and its list. */
  entries: number;
  bytes: number;
}

/**
 * Makes a backup.
 * @param write takes its bytes; what it throws is passed on
 * @throws Failure if there is no usable database, another backup is in progress, or the disk has no room for a copy of
 * the database
 */
export async function makeBackup(
  dataDir: string,
  { version, signal }: BackupOptions,
  write: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<BackupSummary> {
  return await withBackupFolder(dataDir, async (folder) => {
    const { files, schema } = await collect(dataDir, folder);
    const description = { format: BACKUP_FORMAT, version, schema, created_at: timestamp(Date.now()) } as const;
    const archive = new ArchiveWriter(Date.parse(description.created_at));
    await write(archive.chunks(description, files, signal));
    return { ...description, entries: archive.entries, bytes: archive.bytes };
  });
}

/** Runs `work` with an empty folder in the data folder, which one backup at a time may use. */
async function withBackupFolder<T>(dataDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(dataDir, BACKUP_FOLDER);
  const unlock = await lockBackup(dataDir);
  try {
    await makeEmpty(folder).catch((error: unknown) => {
      throw folderFailure(dataDir, error);
    });
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    unlock();
  }
}

async function makeEmpty(folder: string): Promise<void> {
  // A backup that was killed has left its own.
  await rm(folder, { recursive: true, force: true });
  // Not recursive: Node then tells ENOENT of a disk that is mounted read-only.
  for (const path of ['', ...STORES]) await mkdir(join(folder, path), { mode: 0o700 });
}

async function lockBackup(dataDir: string): Promise<() => void> {
  const lock = join(dataDir, BACKUP_LOCK);
  let unlock: (() => void) | undefined;
  try {
    await ensurePrivateFile(lock);
    unlock = lockFile(lock);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? databaseMissing(dataDir) : folderFailure(dataDir, error);
  }
  if (!unlock) throw backupRunning(dataDir);
  return unlock;
}

/** Paths of the files to read, by the names of their entries. */
type Files = Map<string, string>;

/**
 * Copies the database, and links the files of the stores, which the service may remove at any time. Files are linked
 * before and after the copy: those that the database refers to were there at one of these times.
 */
async function collect(dataDir: string, folder: string): Promise<{ files: Files; schema: string }> {
  const database = join(folder, DATABASE);
  const files: Files = new Map([[DATABASE, database]]);
  await linkStoredFiles(dataDir, folder, files);
  const schema = await copyDatabase(dataDir, database);
  await linkStoredFiles(dataDir, folder, files);
  for (const name of SMALL_FILES) files.set(name, join(dataDir, name));
  return { files, schema };
}

async function linkStoredFiles(dataDir: string, folder: string, files: Files): Promise<void> {
  for (const store of STORES) {
    for (const stored of await readdir(join(dataDir, store), { withFileTypes: true }).catch(() => [])) {
      const name = `${store}/${stored.name}`;
      if (!stored.isFile() || !isDataEntry(name) || files.has(name)) continue;
      const [source, linked] = [join(dataDir, name), join(folder, name)];
      await link(source, linked).then(
        () => files.set(name, linked),
        (error: NodeJS.ErrnoException) => {
          if (isOutOfSpace(error)) throw dataFolderFull(dataDir, error);
          // The disk has no links. The file itself is read, if it is still there then.
          if (error.code !== 'ENOENT') files.set(name, source);
        },
      );
    }
  }
}

class ArchiveWriter {
  readonly #modifiedAt: number;
  readonly #sums: string[] = [];
  entries = 0;
  bytes = 0;

  /** @param modifiedAt of all entries, in milliseconds */
  constructor(modifiedAt: number) {
    this.#modifiedAt = modifiedAt;
  }

  async *chunks(description: BackupDescription, files: Files, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    yield* this.#textEntry(DESCRIPTION_ENTRY, `${JSON.stringify(description, null, 2)}\n`);
    for (const [name, path] of files) yield* this.#fileEntry(name, path, signal);
    yield* this.#textEntry(SUMS_ENTRY, this.#sums.join(''));
    this.bytes += TAR_END.byteLength;
    yield TAR_END;
  }

  async *#textEntry(name: string, text: string): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(text);
    yield* this.#entry(name, bytes.byteLength, [bytes]);
  }

  /** Yields nothing if the file does not exist. */
  async *#fileEntry(name: string, path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const file = await openIfThere(path);
    if (!file) return;
    try {
      const { size } = await file.stat();
      const end = size - 1;
      yield* this.#entry(
        name,
        size,
        size === 0 ? [] : stoppable(file.createReadStream({ end, autoClose: false }), signal),
      );
      this.entries += 1;
    } catch (error) {
      throw signal.aborted ? error : dataUnreadable(path, error);
    } finally {
      await file.close();
    }
  }

  async *#entry(
    name: string,
    bytes: number,
    data: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    const header = tarHeader(name, bytes, this.#modifiedAt);
    yield header;
    let written = 0;
    for await (const chunk of data) {
      hash.update(chunk);
      written += chunk.byteLength;
      yield chunk;
    }
    // Files of the stores never change; only the operator changes plans.json.
    if (written !== bytes) throw new Error(`${name} became shorter while it was read`);
    const padding = tarPadding(bytes);
    yield padding;
    this.bytes += header.byteLength + bytes + padding.byteLength;
    this.#sums.push(sumLine(hash.digest('hex'), name));
  }
}

/** A signal of the stream itself would emit an error also while nothing reads it. */
async function* stoppable(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw dataUnreadable(path, error);
  }
}
