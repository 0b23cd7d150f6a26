/** Stores files in a folder of this machine. */

import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isOutOfSpace } from '../data-folder/out-of-space.ts';
import { writeDurably } from '../data-folder/write-durably.ts';
import { storageFull } from '../errors.ts';
import { type ByteRange, checkedId, type FileStore, type NewFile, type OpenFileStore } from '../ports/file-store.ts';
import type { StorageQuota } from '../quota.ts';
import { type FoundFile, StoredFiles, taking } from '../stored-files.ts';

/** A partial file last written this long ago was left by a crash. */
const MAX_WRITE_MS = 60_000;

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

export class LocalFiles implements FileStore {
  readonly #folder: string;
  readonly #files: StoredFiles;
  /** Files that were there before this process: it alone uses the folder, so nobody else records them any more. */
  #settled: string[] = [];

  private constructor(folder: string, quota: StorageQuota) {
    this.#folder = folder;
    this.#files = new StoredFiles(quota);
  }

  /** Opens a folder, creates it if needed, and counts the files in it. */
  static async open(folder: string, quota: StorageQuota): Promise<LocalFiles> {
    const store = new LocalFiles(folder, quota);
    await mkdir(store.#partsFolder, { recursive: true, mode: 0o700 });
    await store.#files.count(filesIn(folder));
    store.#settled = store.#files.names();
    return store;
  }

  get usedBytes(): number {
    return this.#files.usedBytes;
  }

  async put(id: string, data: Uint8Array, file?: NewFile): Promise<void> {
    await this.#write(id, file, (take) => {
      take(data.byteLength);
      return data;
    });
  }

  async putStream(id: string, chunks: AsyncIterable<Uint8Array>, file?: NewFile): Promise<number> {
    return await this.#write(id, file, (take) => taking(chunks, take));
  }

  async open(id: string, range?: ByteRange): Promise<Readable | undefined> {
    try {
      const file = await open(this.#path(id));
      return file.createReadStream(range);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
    this.#files.forget(id);
  }

  async *ids(prefix = ''): AsyncGenerator<string> {
    for (const id of this.#files.names()) if (id.startsWith(prefix)) yield id;
  }

  /** Each name once: what is recorded stays so. */
  async settledIds(): Promise<string[]> {
    return this.#settled.splice(0);
  }

  async removeLeftovers(now: number): Promise<void> {
    for (const name of await readdir(this.#partsFolder)) {
      if (this.#files.isWriting(name)) continue;
      const part = join(this.#partsFolder, name);
      const written = await stat(part).catch(() => undefined);
      if (written && written.mtimeMs <= now - MAX_WRITE_MS) await rm(part, { force: true });
    }
  }

  get #partsFolder(): string {
    return join(this.#folder, 'parts');
  }

  #path(id: string): string {
    return join(this.#folder, checkedId(id));
  }

  async #write(
    id: string,
    file: NewFile | undefined,
    dataOf: (take: (bytes: number) => void) => Uint8Array | AsyncIterable<Uint8Array>,
  ): Promise<number> {
    const path = this.#path(id);
    const part = join(this.#partsFolder, id);
    return await this.#files.write(id, file, async (take) => {
      try {
        await writeDurably(part, dataOf(take));
        await rename(part, path);
      } catch (error) {
        await rm(part, { force: true });
        throw isOutOfSpace(error) ? storageFull(error) : error;
      }
    });
  }
}

async function* filesIn(folder: string): AsyncGenerator<FoundFile> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const { name } of entries.filter((entry) => entry.isFile()))
    yield { name, bytes: (await stat(join(folder, name))).size };
}

/** The stores of a data folder, each in a folder of its own. */
export const localFileStores =
  (dataDir: string, quota: StorageQuota): OpenFileStore =>
  (name) =>
    LocalFiles.open(join(dataDir, name), quota);
