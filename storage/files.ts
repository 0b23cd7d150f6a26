/** Where the bytes of stored results lie. A local folder today; whatever keeps bytes under a name can stand behind it. */
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
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
  /**
   * The same for bytes that come one after another; room is taken as they come. What `chunks` throws is thrown.
   * @returns how many there were
   * @throws Failure `storage_full`
   */
  putStream(id: string, chunks: AsyncIterable<Uint8Array>): Promise<number>;
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

/** Whether the system has refused to write because the disk or a quota is full. */
export function isOutOfSpace(error: unknown): boolean {
  return NO_ROOM.has(codeOf(error) ?? '');
}

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
  /** What is being written: no leftover, however long it takes. */
  readonly #writing = new Set<string>();
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
    await this.#write(id, (take) => {
      take(data.byteLength);
      return data;
    });
  }

  async putStream(id: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    return await this.#write(id, async function* (take) {
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

  ids(): Iterable<string> {
    return this.#sizes.keys();
  }

  async removeLeftovers(time: number): Promise<void> {
    for (const name of await readdir(this.#partsFolder)) {
      if (this.#writing.has(name)) continue;
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

  /**
   * Writes what `start` gives. It takes room by `take` before the bytes, so that simultaneous files cannot pass the limit
   * together.
   */
  async #write(
    id: string,
    start: (take: (bytes: number) => void) => Uint8Array | AsyncIterable<Uint8Array>,
  ): Promise<number> {
    const path = this.#path(id);
    const part = join(this.#partsFolder, id);
    let taken = 0;
    this.#writing.add(id);
    try {
      const data = start((bytes) => {
        if (!this.#room.has(bytes)) throw storageFull();
        taken += bytes;
        this.#add(bytes);
      });
      await writeDurably(part, data);
      await rename(part, path);
    } catch (error) {
      this.#add(-taken);
      await rm(part, { force: true });
      throw isOutOfSpace(error) ? storageFull(error) : error;
    } finally {
      this.#writing.delete(id);
    }
    this.#forget(id);
    this.#sizes.set(id, taken);
    return taken;
  }

  #count(id: string, bytes: number): void {
    this.#sizes.set(id, bytes);
    this.#add(bytes);
  }

  #forget(id: string): void {
    this.#add(-(this.#sizes.get(id) ?? 0));
    this.#sizes.delete(id);
  }

  #add(bytes: number): void {
    this.#usedBytes += bytes;
    this.#room.add(bytes);
  }
}

/** Writes a file whose bytes are on the disk when this returns: a rename must not become durable before them. */
async function writeDurably(path: string, data: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await writeFile(file, data);
    await file.datasync();
  } finally {
    await file.close();
  }
}
