/**
 * The received bytes of a model's file: a folder next to the models with the bytes
 * and their ETag, so that both move together. A process renames it to work on it,
 * which only one of several can do. So a killed process leaves no lock behind.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const SUFFIX = '.part';
const BYTES = 'bytes';
const ETAG = 'etag';

/** A part in use is written to more often than this, in milliseconds. */
const ABANDONED_MS = 120_000;

export class PartialDownload {
  readonly #folder: string;
  readonly #id: string;
  readonly #own: string;
  readonly #file: FileHandle;
  #bytes: number;

  private constructor(folder: string, id: string, own: string, file: FileHandle, bytes: number) {
    this.#folder = folder;
    this.#id = id;
    this.#own = own;
    this.#file = file;
    this.#bytes = bytes;
  }

  /** Takes over what an earlier download has left, or creates a new part. Creates the folder if it does not exist. */
  static async claim(folder: string, id: string): Promise<PartialDownload> {
    await mkdir(folder, { recursive: true });
    const own = join(folder, `${id}.${randomUUID()}${SUFFIX}`);
    if (!(await claimExisting(folder, id, own))) await mkdir(own);
    const file = await open(join(own, BYTES), 'a+');
    return new PartialDownload(folder, id, own, file, (await file.stat()).size);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Path of the file with the bytes. */
  get path(): string {
    return join(this.#own, BYTES);
  }

  /** ETag of the response that the bytes are from, if it had one. */
  async etag(): Promise<string | undefined> {
    return await readFile(join(this.#own, ETAG), 'utf8').catch(() => undefined);
  }

  /** Discards the bytes, and stores the ETag of the next response. */
  async clear(etag?: string): Promise<void> {
    await this.#file.truncate(0);
    this.#bytes = 0;
    await rm(join(this.#own, ETAG), { force: true });
    if (etag !== undefined) await writeFile(join(this.#own, ETAG), etag);
  }

  async append(chunk: Uint8Array): Promise<void> {
    await this.#file.appendFile(chunk);
    this.#bytes += chunk.byteLength;
  }

  /** Moves the bytes to `path`, atomically and durably, and removes what other downloads of the model have left. */
  async place(path: string): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
    await rename(this.path, path);
    await rm(this.#own, { recursive: true });
    for (const name of await findUnused(this.#folder, this.#id))
      await rm(join(this.#folder, name), { recursive: true, force: true });
    await syncFolder(this.#folder);
  }

  /** Leaves the part to the next download. Removes it if it is empty, or if another download has left one too. */
  async release(): Promise<void> {
    await this.#file.close();
    const isKept =
      this.#bytes > 0 &&
      (await rename(this.#own, join(this.#folder, this.#id + SUFFIX)).then(
        () => true,
        () => false,
      ));
    if (!isKept) await rm(this.#own, { recursive: true, force: true });
  }
}

async function claimExisting(folder: string, id: string, own: string): Promise<boolean> {
  for (const name of await findUnused(folder, id)) {
    const taken = await claimed(join(folder, name), own).catch(() => false);
    if (taken) return true;
  }
  return false;
}

async function claimed(path: string, own: string): Promise<boolean> {
  const now = new Date();
  // Done before the rename: whoever finds it under its new name must see that it is in use.
  await utimes(join(path, BYTES), now, now);
  await rename(path, own);
  return true;
}

/** Lists the unused parts of the model: those left on purpose, and those of killed processes. */
async function findUnused(folder: string, id: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${id}.`) && name.endsWith(SUFFIX));
  const left = await Promise.all(
    names.map(async (name) => name === id + SUFFIX || (await isAbandoned(join(folder, name)))),
  );
  return names.filter((_, index) => left[index]);
}

async function isAbandoned(path: string): Promise<boolean> {
  const written = await stat(join(path, BYTES)).catch(() => undefined);
  return written !== undefined && Date.now() - written.mtimeMs > ABANDONED_MS;
}

/** Syncs a folder, because a rename is durable only then. Windows cannot open folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
