/** Where the bytes of stored results lie. A local folder today; whatever keeps bytes under a name can stand behind it. */
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { storageFull } from './errors.ts';

/** Bytes from `start` to `end`, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface FileStore {
  /** Bytes of all files. */
  readonly usedBytes: number;
  /**
   * Stores a file. It becomes visible as a whole or, when this throws, not at all.
   * @throws Failure `storage_full`
   */
  put(id: string, data: Uint8Array): Promise<void>;
  /** The bytes of a file as a stream, or undefined when there is no such file. Whoever takes it must end it. */
  open(id: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Removes a file; one that is not there is no error. */
  remove(id: string): Promise<void>;
  ids(): Iterable<string>;
  /** Removes what a crash has left of files that were being written at `time` (milliseconds). */
  removeLeftovers(time: number): Promise<void>;
}

/** Ids become file names; nothing that could leave the folder may pass. */
const ID = /^[A-Za-z0-9_]{1,64}$/;

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** The bytes that all stores of a data folder may take together. */
export class StorageRoom {
  readonly #limitBytes: number;
  #usedBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Counts bytes that are there, whether or not they fit. */
  add(bytes: number): void {
    this.#usedBytes += bytes;
  }

  has(bytes: number): boolean {
    return this.#usedBytes + bytes <= this.#limitBytes;
  }
}

export class LocalFiles implements FileStore {
  readonly #folder: string;
  readonly #room: StorageRoom;
  readonly #sizes = new Map<string, number>();
  #usedBytes = 0;

  private constructor(folder: string, room: StorageRoom) {
    this.#folder = folder;
    this.#room = room;
  }

  /** Opens a folder, which is made when it does not exist, and counts what lies in it. */
  static async open(folder: string, room: StorageRoom): Promise<LocalFiles> {
    const store = new LocalFiles(folder, room);
    await mkdir(store.#partsFolder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder, { withFileTypes: true });
    for (const { name } of names.filter((entry) => entry.isFile())) {
      store.#count(name, (await stat(join(folder, name))).size);
    }
    return store;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  async put(id: string, data: Uint8Array): Promise<void> {
    const path = this.#path(id);
    if (!this.#room.has(data.byteLength)) throw storageFull();
    // Counted before the first await, so that simultaneous files cannot pass the limit together.
    this.#count(id, data.byteLength);
    const part = join(this.#partsFolder, id);
    try {
      await writeDurably(part, data);
      await rename(part, path);
    } catch (error) {
      this.#forget(id);
      await rm(part, { force: true });
      throw NO_ROOM.has(codeOf(error) ?? '') ? storageFull(error) : error;
    }
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

  ids(): Iterable<string> {
    return this.#sizes.keys();
  }

  async removeLeftovers(time: number): Promise<void> {
    for (const name of await readdir(this.#partsFolder)) {
      const part = join(this.#partsFolder, name);
      const written = await stat(part).catch(() => undefined);
      if (written && written.mtimeMs <= time) await rm(part, { force: true });
    }
  }

  get #partsFolder(): string {
    return join(this.#folder, 'parts');
  }

  #path(id: string): string {
    if (!ID.test(id)) throw new TypeError(`Not the id of a file: ${id}`);
    return join(this.#folder, id);
  }

  #count(id: string, bytes: number): void {
    this.#sizes.set(id, bytes);
    this.#usedBytes += bytes;
    this.#room.add(bytes);
  }

  #forget(id: string): void {
    const bytes = this.#sizes.get(id) ?? 0;
    this.#sizes.delete(id);
    this.#usedBytes -= bytes;
    this.#room.add(-bytes);
  }
}

/** Writes a file whose bytes are on the disk when this returns: a rename must not become durable before them. */
async function writeDurably(path: string, data: Uint8Array): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(data);
    await file.datasync();
  } finally {
    await file.close();
  }
}
