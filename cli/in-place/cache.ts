/** Cache of results, by the content of the source image. Several runs may use the folder at the same time. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expected, Failure } from '../../base/failure.ts';
import { isObject } from '../../base/object.ts';
import { writeAtomically } from '../images/write.ts';

/** A smaller file, or the reason why there is none. */
export type CacheEntry = { data: ArrayBuffer } | { reason: string };

const DAY_MS = 24 * 60 * 60 * 1000;
/** Entries that no run has used for this time are removed. */
const UNUSED_MS = 30 * DAY_MS;

/** Only files with these names are read or removed, so that a folder with other files loses none of them. */
const FOLDER_NAME = /^[0-9a-f]{2}$/;
const ENTRY_NAME = /^(?:[0-9a-f]{64}|[.]imagecrew-[0-9a-f]{12}[.]part)$/;

export class ResultCache {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws Failure `delivery_failed` if the folder cannot be created */
  static async open(folder: string): Promise<ResultCache> {
    try {
      const made = await mkdir(folder, { recursive: true });
      // A new folder excludes itself from git. An existing folder is not changed.
      if (made !== undefined) await writeFile(join(folder, '.gitignore'), '*\n');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new Failure('delivery_failed', expected(`a folder that can be made (${code})`, 'the cache', folder), {
        cause: error,
      });
    }
    return new ResultCache(folder);
  }

  /** @param key SHA-256 in hex */
  #pathOf(key: string): string {
    return join(this.#folder, key.slice(0, 2), key);
  }

  /** @returns undefined if the entry is missing or damaged */
  async get(key: string): Promise<CacheEntry | undefined> {
    const path = this.#pathOf(key);
    const bytes = await readFile(path).catch(() => undefined);
    const entry = bytes && entryOf(bytes, key);
    if (entry) await markUsed(path);
    return entry;
  }

  /**
   * Writes an entry, replacing a damaged one. If two runs write the same entry, the later write wins.
   * @throws Failure `storage_full` or `delivery_failed`
   */
  async put(key: string, entry: CacheEntry): Promise<void> {
    await writeAtomically(this.#pathOf(key), bytesOf(entry, key), { overwrite: true });
  }

  /** Removes entries not used for 30 days, and temporary files of killed runs that are as old. */
  async removeUnused(): Promise<void> {
    const oldest = Date.now() - UNUSED_MS;
    for (const part of (await readdir(this.#folder).catch(() => [])).filter((each) => FOLDER_NAME.test(each)))
      for (const name of (await readdir(join(this.#folder, part)).catch(() => [])).filter((each) =>
        ENTRY_NAME.test(each),
      )) {
        const path = join(this.#folder, part, name);
        const facts = await stat(path).catch(() => undefined);
        if (facts?.isFile() && facts.mtimeMs < oldest) await rm(path, { force: true });
      }
  }
}

/** Marks an entry as used by updating its times, at most once a day. */
async function markUsed(path: string): Promise<void> {
  const now = Date.now();
  const facts = await stat(path).catch(() => undefined);
  if (facts && now - facts.mtimeMs > DAY_MS) await utimes(path, now / 1000, now / 1000).catch(() => undefined);
}

/**
 * Serializes an entry: the SHA-256, in hex, of the key and of everything that follows; a line of JSON; the bytes of the
 * smaller file.
 */
function bytesOf(entry: CacheEntry, key: string): ArrayBuffer {
  const isSmaller = 'data' in entry;
  const head = Buffer.from(`${JSON.stringify(isSmaller ? {} : { reason: entry.reason })}\n`);
  const body = isSmaller ? new Uint8Array(entry.data) : new Uint8Array(0);
  const hash = createHash('sha256').update(key).update(head).update(body).digest('hex');
  const bytes = new Uint8Array(HASH_LENGTH + head.length + body.length);
  bytes.set(Buffer.from(`${hash}\n`));
  bytes.set(head, HASH_LENGTH);
  bytes.set(body, HASH_LENGTH + head.length);
  return bytes.buffer;
}

/** 64 hex digits and a line end. */
const HASH_LENGTH = 65;

function entryOf(bytes: Buffer, key: string): CacheEntry | undefined {
  const rest = bytes.subarray(HASH_LENGTH);
  const hash = createHash('sha256').update(key).update(rest).digest('hex');
  if (bytes.toString('latin1', 0, HASH_LENGTH) !== `${hash}\n`) return undefined;
  const end = rest.indexOf('\n');
  const head: unknown = JSON.parse(rest.toString('utf8', 0, end));
  if (isObject(head) && typeof head.reason === 'string') return { reason: head.reason };
  // Copies the bytes: small Buffers share a pooled ArrayBuffer.
  return { data: new Uint8Array(rest.subarray(end + 1)).buffer };
}
