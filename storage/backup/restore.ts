/** Puts a backup in the place of the data of a folder. */
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DATABASE, RESTORE_FOLDER, STORES } from '../data-folder/entries.ts';
import { isOutOfSpace } from '../data-folder/out-of-space.ts';
import { giveToOwnerOf } from '../data-folder/permissions.ts';
import { dataIn, switchData } from '../data-folder/restore-switch.ts';
import { lockDataFolder } from '../data-folder/server-lock.ts';
import { writeDurably } from '../data-folder/write-durably.ts';
import { folderIsMountPoint, isStorageFull } from '../errors.ts';
import { isKnownMigration } from '../sql/migrate.ts';
import { checkDatabase, openDatabase } from '../sqlite/database.ts';
import { backupDamaged, backupNewer, folderHasData, restoreFull } from './errors.ts';
import {
  type BackupDescription,
  backupDescription,
  DESCRIPTION_ENTRY,
  isDataEntry,
  SUMS_ENTRY,
  sumLine,
} from './format.ts';
import { readTar, type TarEntry, TarError } from './tar.ts';

export interface RestoreOptions {
  /** Name of the backup in messages. */
  file: string;
  /** Whether data of the folder may be replaced. They are kept in a folder inside. */
  replace: boolean;
}

export interface RestoreSummary extends BackupDescription {
  entries: number;
  /** Folder with the data from before; null if there were none. */
  previous: string | null;
}

/**
 * Restores a backup. It is unpacked and verified beside the data, and its database is migrated there, before anything is
 * replaced.
 * @throws Failure if a service uses the folder, the folder has data that may not be replaced, or the backup is damaged
 * or newer; the data are then unchanged
 */
export async function restoreBackup(
  dataDir: string,
  chunks: AsyncIterable<Uint8Array>,
  { file, replace }: RestoreOptions,
): Promise<RestoreSummary> {
  const unlock = await lockDataFolder(dataDir);
  const folder = join(dataDir, RESTORE_FOLDER);
  try {
    const present = await dataIn(dataDir);
    if (present.length > 0 && !replace) throw folderHasData(dataDir, present);
    for (const name of present) await refuseMountPoint(dataDir, name);
    // A restore that was killed has left its own.
    await rm(folder, { recursive: true, force: true });
    for (const store of STORES) await mkdir(join(folder, store), { recursive: true, mode: 0o700 });
    const unpacked = await new Unpacker(file, folder).unpack(chunks);
    await checkUnpackedDatabase(folder, file);
    await (await openDatabase(folder)).close();
    for (const name of await readdir(folder, { recursive: true })) await giveToOwnerOf(dataDir, join(folder, name));
    return { ...unpacked, previous: (await switchData(dataDir, folder)) ?? null };
  } catch (error) {
    throw isOutOfSpace(error) || isStorageFull(error) ? restoreFull(dataDir, error) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
    unlock();
  }
}

async function checkUnpackedDatabase(folder: string, file: string): Promise<void> {
  try {
    await checkDatabase(folder);
  } catch (error) {
    throw isStorageFull(error) ? error : backupDamaged(file, 'has a database that cannot be used', error);
  }
}

async function refuseMountPoint(dataDir: string, name: string): Promise<void> {
  const path = join(dataDir, name);
  if ((await lstat(path)).dev !== (await lstat(dataDir)).dev) throw folderIsMountPoint(path);
}

/** The description of a backup is much smaller. */
const MAX_DESCRIPTION_BYTES = 65_536;
const MAX_SUM_LINE_BYTES = 256;

class Unpacker {
  readonly #file: string;
  readonly #folder: string;
  /** SHA-256 by the name of the entry. */
  readonly #sums = new Map<string, string>();

  constructor(file: string, folder: string) {
    this.#file = file;
    this.#folder = folder;
  }

  async unpack(chunks: AsyncIterable<Uint8Array>): Promise<Omit<RestoreSummary, 'previous'>> {
    let description: BackupDescription | undefined;
    let isListed = false;
    try {
      for await (const entry of readTar(chunks)) {
        if (isListed) throw new TarError(`has the entry "${entry.name}" after the list of its entries`);
        if (!description) description = await this.#readDescription(entry);
        else if (entry.name === SUMS_ENTRY) isListed = await this.#checkSums(entry);
        else await this.#write(entry);
      }
    } catch (error) {
      throw error instanceof TarError ? backupDamaged(this.#file, error.message, error) : error;
    }
    if (!description || !isListed) throw backupDamaged(this.#file, 'has no list of its entries');
    if (!this.#sums.has(DATABASE)) throw backupDamaged(this.#file, 'has no database');
    return { ...description, entries: this.#sums.size - 1 };
  }

  async #readDescription(entry: TarEntry): Promise<BackupDescription> {
    if (entry.name !== DESCRIPTION_ENTRY || entry.bytes > MAX_DESCRIPTION_BYTES)
      throw new TarError(`begins with "${entry.name}", not with ${DESCRIPTION_ENTRY}`);
    const parsed = backupDescription.safeParse(parseJson(await text(this.#hashed(entry))));
    if (!parsed.success) throw new TarError(`has a ${DESCRIPTION_ENTRY} that this version cannot read`);
    const { schema, version } = parsed.data;
    if (!isKnownMigration(schema)) throw backupNewer(this.#file, version);
    return parsed.data;
  }

  async #write(entry: TarEntry): Promise<void> {
    if (!isDataEntry(entry.name)) throw new TarError(`has the entry "${entry.name}", which no backup has`);
    if (this.#sums.has(entry.name)) throw new TarError(`has the entry "${entry.name}" twice`);
    await writeDurably(join(this.#folder, entry.name), this.#hashed(entry));
  }

  async *#hashed({ name, data }: TarEntry): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    for await (const chunk of data) {
      hash.update(chunk);
      yield chunk;
    }
    this.#sums.set(name, hash.digest('hex'));
  }

  /** The list has the entries in their order, so it must be equal to one made from what was read. */
  async #checkSums({ bytes, data }: TarEntry): Promise<true> {
    if (bytes > this.#sums.size * MAX_SUM_LINE_BYTES) throw new TarError('has a list of other entries');
    const listed = (await text(data)).split('\n');
    for (const [index, [name, sha256]] of [...this.#sums].entries()) {
      if (listed[index] !== sumLine(sha256, name).trimEnd())
        throw new TarError(`is damaged: "${name}" has another SHA-256 than listed`);
    }
    if (listed.length !== this.#sums.size + 1) throw new TarError('lacks entries of its list');
    return true;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
