/** Stores files in a folder of this machine. */

import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isOutOfSpace } from '../data-folder/out-of-space.ts';
import { writeDurably } from '../data-folder/write-durably.ts';
import { storageFull } from '../errors.ts';
import type { ByteRange, FileStore, NewFile, OpenFileStore } from '../ports/file-store.ts';
import type { StorageQuota } from '../quota.ts';

/** Ids become file names, so characters that could lead out of the folder are not allowed. */
const ID = /^[A-Za-z0-9_]{1,64}$/;

/** A partial file last written this long ago was left by a crash. */
const MAX_WRITE_MS = 60_000;

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

interface StoredFile {
  bytes: number;
  accountId: string | undefined;
}

export class LocalFiles implements FileStore {
  readonly #folder: string;
  readonly #quota: StorageQuota;
  readonly #stored = new Map<string, StoredFile>();
  /** Files that are being written. They are not leftovers, however long it takes. */
  readonly #writing = new Set<string>();
  /** Files that were there before this process: it alone uses the folder, so nobody else records them any more. */
  #settled: string[] = [];
  #usedBytes = 0;

  private constructor(folder: string, room: StorageQuota) {
    this.#folder = folder;
    this.#quota = room;
  }

  /** Opens a folder, creates it if needed, and counts the files in it. */
  static async open(folder: string, room: StorageQuota): Promise<LocalFiles> {
    const store = new LocalFiles(folder, room);
    await mkdir(store.#partsFolder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder, { withFileTypes: true });
    for (const { name } of names.filter((entry) => entry.isFile())) {
      const { size: bytes } = await stat(join(folder, name));
      const accountId = await room.ownerOf(name);
      store.#add(bytes, accountId);
      store.#stored.set(name, { bytes, accountId });
    }
    store.#settled = [...store.#stored.keys()];
    return store;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  async put(id: string, data: Uint8Array, file?: NewFile): Promise<void> {
    await this.#write(id, file, (take) => {
      take(data.byteLength);
      return data;
    });
  }

  async putStream(id: string, chunks: AsyncIterable<Uint8Array>, file?: NewFile): Promise<number> {
    return await this.#write(id, file, async function* (take) {
      for await (const chunk of chunks) {
        take(chunk.byteLength);
        yield chunk;
      }
    });
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
    this.#forget(id);
  }

  async *ids(prefix = ''): AsyncGenerator<string> {
    for (const id of [...this.#stored.keys()]) if (id.startsWith(prefix)) yield id;
  }

  /** Each name once: what is recorded stays so. */
  async settledIds(): Promise<string[]> {
    return this.#settled.splice(0);
  }

  async removeLeftovers(now: number): Promise<void> {
    for (const name of await readdir(this.#partsFolder)) {
      if (this.#writing.has(name)) continue;
      const part = join(this.#partsFolder, name);
      const written = await stat(part).catch(() => undefined);
      if (written && written.mtimeMs <= now - MAX_WRITE_MS) await rm(part, { force: true });
    }
  }

  get #partsFolder(): string {
    return join(this.#folder, 'parts');
  }

  #path(id: string): string {
    if (!ID.test(id)) throw new TypeError(`Not the id of a file: ${id}`);
    return join(this.#folder, id);
  }

  /**
   * Writes the data returned by `start`. It calls `take` before the bytes are written, so that simultaneous files
   * cannot exceed the limit together.
   */
  async #write(
    id: string,
    file: NewFile | undefined,
    start: (take: (bytes: number) => void) => Uint8Array | AsyncIterable<Uint8Array>,
  ): Promise<number> {
    const path = this.#path(id);
    const part = join(this.#partsFolder, id);
    const accountId = file?.accountId ?? (await this.#quota.ownerOf(id));
    let taken = 0;
    this.#writing.add(id);
    try {
      const data = start((bytes) => {
        this.#quota.check(bytes, taken, { ...file, ...(accountId !== undefined && { accountId }) });
        taken += bytes;
        this.#add(bytes, accountId);
      });
      await writeDurably(part, data);
      await rename(part, path);
    } catch (error) {
      this.#add(-taken, accountId);
      await rm(part, { force: true });
      throw isOutOfSpace(error) ? storageFull(error) : error;
    } finally {
      this.#writing.delete(id);
    }
    this.#forget(id);
    this.#stored.set(id, { bytes: taken, accountId });
    return taken;
  }

  #forget(id: string): void {
    const file = this.#stored.get(id);
    if (file) this.#add(-file.bytes, file.accountId);
    this.#stored.delete(id);
  }

  #add(bytes: number, accountId: string | undefined): void {
    this.#usedBytes += bytes;
    this.#quota.add(bytes, accountId);
  }
}

/** The stores of a data folder, each in a folder of its own. */
export const localFileStores =
  (dataDir: string, quota: StorageQuota): OpenFileStore =>
  (name) =>
    LocalFiles.open(join(dataDir, name), quota);
