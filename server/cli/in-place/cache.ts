/** What earlier runs have made of images, by the content of the images, in a folder that several runs may use at a time. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expected, Failure } from '../../../base/failure.ts';
import { isObject } from '../../../base/object.ts';
import { writeWhole } from '../images/write.ts';

/** A smaller file, or why there is none. */
export type CacheEntry = { data: ArrayBuffer } | { reason: string };

const DAY_MS = 24 * 60 * 60 * 1000;
/** An entry that no run has used for so long is removed. */
const UNUSED_MS = 30 * DAY_MS;

/** Only files with such names are read and removed: whoever names a folder of other files loses none. */
const PART = /^[0-9a-f]{2}$/;
const ENTRY = /^(?:[0-9a-f]{64}|[.]imagecrew-[0-9a-f]{12}[.]part)$/;

export class ResultCache {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws Failure `delivery_failed` where the folder cannot be made */
  static async open(folder: string): Promise<ResultCache> {
    try {
      const made = await mkdir(folder, { recursive: true });
      // A new folder keeps itself out of the repository; one that was there before is left as it is.
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

  /** @returns undefined where there is no entry, or a damaged one */
  async get(key: string): Promise<CacheEntry | undefined> {
    const path = this.#pathOf(key);
    const bytes = await readFile(path).catch(() => undefined);
    const entry = bytes && entryOf(bytes, key);
    if (entry) await keep(path);
    return entry;
  }

  /**
   * Writes an entry, in place of a damaged one too. Of two runs that write the same entry one comes last.
   * @throws Failure `storage_full` or `delivery_failed`
   */
  async put(key: string, entry: CacheEntry): Promise<void> {
    await writeWhole(this.#pathOf(key), bytesOf(entry, key), { overwrite: true });
  }

  /** Removes the entries that nothing has used for 30 days, and what killed runs have left as long ago. */
  async removeUnused(): Promise<void> {
    const oldest = Date.now() - UNUSED_MS;
    for (const part of (await readdir(this.#folder).catch(() => [])).filter((each) => PART.test(each)))
      for (const name of (await readdir(join(this.#folder, part)).catch(() => [])).filter((each) => ENTRY.test(each))) {
        const path = join(this.#folder, part, name);
        const facts = await stat(path).catch(() => undefined);
        if (facts?.isFile() && facts.mtimeMs < oldest) await rm(path, { force: true });
      }
  }
}

/** Says that an entry was used, once a day. */
async function keep(path: string): Promise<void> {
  const now = Date.now();
  const facts = await stat(path).catch(() => undefined);
  if (facts && now - facts.mtimeMs > DAY_MS) await utimes(path, now / 1000, now / 1000).catch(() => undefined);
}

/** SHA-256 of the key and of all that follows, in hex; then a line of JSON; then the bytes of the smaller file. */
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

/** 64 digits and the end of their line. */
const HASH_LENGTH = 65;

function entryOf(bytes: Buffer, key: string): CacheEntry | undefined {
  const rest = bytes.subarray(HASH_LENGTH);
  const hash = createHash('sha256').update(key).update(rest).digest('hex');
  if (bytes.toString('latin1', 0, HASH_LENGTH) !== `${hash}\n`) return undefined;
  const end = rest.indexOf('\n');
  const head: unknown = JSON.parse(rest.toString('utf8', 0, end));
  if (isObject(head) && typeof head.reason === 'string') return { reason: head.reason };
  // A copy of its own: the buffer of small files is shared.
  return { data: new Uint8Array(rest.subarray(end + 1)).buffer };
}
