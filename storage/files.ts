/** Where the bytes of stored results lie. A local folder today; whatever keeps bytes under a name can stand behind it. */
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { accountStorageFull, storageFull } from './errors.ts';

/** Bytes from `start` to `end`, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** What is known of a file that is to be stored. */
export interface NewFile {
  /** Whose it is. Default: what its name says. */
  accountId?: string;
  /** Bytes of files of the same account that are removed when this one is kept. */
  replacedBytes?: number;
}

export interface FileStore {
  /** Bytes of all files. */
  readonly usedBytes: number;
  /**
   * Stores a file. It becomes visible as a whole or, when this throws, not at all.
   * @throws Failure `storage_full`
   */
  put(id: string, data: Uint8Array, file?: NewFile): Promise<void>;
  /**
   * The same for bytes that come one after another; room is taken as they come. What `chunks` throws is thrown.
   * @returns how many there were
   * @throws Failure `storage_full`
   */
  putStream(id: string, chunks: AsyncIterable<Uint8Array>, file?: NewFile): Promise<number>;
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

/** The account that a file belongs to, by its name; undefined if none is known. */
export type OwnerOf = (name: string) => Promise<string | undefined>;

/** The bytes that all stores of a data folder may take together, and each account of them. */
export class StorageRoom {
  readonly ownerOf: OwnerOf;
  readonly #limitBytes: number;
  #usedBytes = 0;
  /** Bytes of each account, if any. */
  readonly #usedByAccount = new Map<string, number>();

  constructor(limitBytes: number, ownerOf: OwnerOf = async () => undefined) {
    this.#limitBytes = limitBytes;
    this.ownerOf = ownerOf;
  }

  /** Counts bytes that are there, whether or not they fit. */
  add(bytes: number, accountId: string | undefined): void {
    this.#usedBytes += bytes;
    if (accountId === undefined) return;
    const used = this.#usedOf(accountId) + bytes;
    if (used > 0) this.#usedByAccount.set(accountId, used);
    else this.#usedByAccount.delete(accountId);
  }

  /**
   * The whole must fit, and an account may hold as much as it leaves free beside its first file (the rule of uploads in
   * memory): there is always room for another account.
   * @param takenBytes what the same file has taken before
   * @throws Failure `storage_full`
   */
  check(bytes: number, takenBytes: number, { accountId, replacedBytes = 0 }: NewFile): void {
    const more = bytes - replacedBytes;
    if (more <= 0) return;
    const free = this.#limitBytes - this.#usedBytes;
    if (more > free) throw storageFull();
    if (accountId === undefined) return;
    const used = this.#usedOf(accountId);
    const isFirst = used === takenBytes + replacedBytes;
    if (!isFirst && used + more > free) throw accountStorageFull();
  }

  #usedOf(accountId: string): number {
    return this.#usedByAccount.get(accountId) ?? 0;
  }
}

interface StoredFile {
  bytes: number;
  accountId: string | undefined;
}

export class LocalFiles implements FileStore {
  readonly #folder: string;
  readonly #room: StorageRoom;
  readonly #stored = new Map<string, StoredFile>();
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
      const { size: bytes } = await stat(join(folder, name));
      const accountId = await room.ownerOf(name);
      store.#add(bytes, accountId);
      store.#stored.set(name, { bytes, accountId });
    }
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

  ids(): Iterable<string> {
    return this.#stored.keys();
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
    file: NewFile | undefined,
    start: (take: (bytes: number) => void) => Uint8Array | AsyncIterable<Uint8Array>,
  ): Promise<number> {
    const path = this.#path(id);
    const part = join(this.#partsFolder, id);
    const accountId = file?.accountId ?? (await this.#room.ownerOf(id));
    let taken = 0;
    this.#writing.add(id);
    try {
      const data = start((bytes) => {
        this.#room.check(bytes, taken, { ...file, ...(accountId !== undefined && { accountId }) });
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
    this.#room.add(bytes, accountId);
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
