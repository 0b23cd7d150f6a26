import type { NewFile } from './ports/file-store.ts';
import type { StorageQuota } from './quota.ts';

interface StoredFile {
  bytes: number;
  accountId: string | undefined;
}

export interface FoundFile {
  name: string;
  bytes: number;
}

/** The files of one store, with their sizes, which count against the quota. */
export class StoredFiles {
  readonly #quota: StorageQuota;
  readonly #files = new Map<string, StoredFile>();
  readonly #writing = new Set<string>();
  /** Names of the files that this process has written or removed while the store is being listed. */
  #changed: Set<string> | undefined;
  #usedBytes = 0;

  constructor(quota: StorageQuota) {
    this.#quota = quota;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Copied, so that files may be removed in between. */
  names(): string[] {
    return [...this.#files.keys()];
  }

  /** Whether a file is being written, however long that takes. */
  isWriting(name: string): boolean {
    return this.#writing.has(name);
  }

  /** Counts what is in the store according to a list of it, which may become old while it arrives. */
  async count(list: AsyncIterable<FoundFile>): Promise<void> {
    const changed = new Set<string>();
    this.#changed = changed;
    const found = new Set<string>();
    try {
      for await (const { name, bytes } of list) {
        found.add(name);
        if (this.#files.get(name)?.bytes === bytes) continue;
        const accountId = await this.#quota.ownerOf(name);
        if (!changed.has(name)) this.#set(name, { bytes, accountId });
      }
    } finally {
      this.#changed = undefined;
    }
    for (const name of this.names()) if (!found.has(name) && !changed.has(name)) this.forget(name);
  }

  /**
   * Writes a file with `store`. It calls `take` before the bytes are written, so that simultaneous files cannot exceed
   * the limit together.
   * @returns the number of bytes taken
   * @throws Failure `storage_full` from `take`
   */
  async write(
    name: string,
    file: NewFile | undefined,
    store: (take: (bytes: number) => void) => Promise<void>,
  ): Promise<number> {
    const accountId = file?.accountId ?? (await this.#quota.ownerOf(name));
    let taken = 0;
    this.#writing.add(name);
    try {
      await store((bytes) => {
        this.#quota.check(bytes, taken, { ...file, ...(accountId !== undefined && { accountId }) });
        taken += bytes;
        this.#add(bytes, accountId);
      });
    } finally {
      this.#add(-taken, accountId);
      this.#writing.delete(name);
    }
    this.#set(name, { bytes: taken, accountId });
    return taken;
  }

  /** Stops counting a file that has been removed. */
  forget(name: string): void {
    this.#changed?.add(name);
    const file = this.#files.get(name);
    if (file) this.#add(-file.bytes, file.accountId);
    this.#files.delete(name);
  }

  #set(name: string, file: StoredFile): void {
    this.forget(name);
    this.#files.set(name, file);
    this.#add(file.bytes, file.accountId);
  }

  #add(bytes: number, accountId: string | undefined): void {
    this.#usedBytes += bytes;
    this.#quota.add(bytes, accountId);
  }
}

/** Passes chunks on and takes the space for each before. */
export async function* taking(
  chunks: AsyncIterable<Uint8Array>,
  take: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    take(chunk.byteLength);
    yield chunk;
  }
}
