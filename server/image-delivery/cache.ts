/**
 * The cache of delivered images: files in a store, records in the database, and the files in use in memory. It is
 * bounded by bytes: what was not used for the longest time is removed first.
 *
 * A file is written before its record and removed after it. So a killed process leaves at most a file without a record,
 * which the next start removes, and a record never leads to a part of a file.
 */
import type { Readable } from 'node:stream';
import { CoalescingTask } from '../../base/coalescing-task.ts';
import { newId } from '../../base/id.ts';
import { timestamp } from '../../base/timestamp.ts';
import { isStorageFull } from '../../storage/errors.ts';
import type { DeliveredImages, ImagesOf } from '../../storage/ports/delivered-images.ts';
import type { ByteRange, FileStore } from '../../storage/ports/file-store.ts';
import type { CachedFile, DeliveredImage } from '../../storage/records/delivered-images.ts';
import type { Log } from '../log.ts';

/** Bytes of the files in memory. */
const MAX_MEMORY_BYTES = 32 * 2 ** 20;
/** Larger files are read from the store each time. */
const MAX_FILE_IN_MEMORY_BYTES = 2 ** 18;
const MAX_IMAGES_IN_MEMORY = 10_000;

/** How often uses are recorded, and what other processes have removed is forgotten. */
const SYNCHRONIZE_EVERY_MS = 60_000;
/** Images removed at a time. */
const BATCH_SIZE = 200;
/** Share of the limit that is left after images were removed, so that not every new image removes another one. */
const LEFT_AFTER_EVICTION = 0.95;

export interface CachedImage extends DeliveredImage {
  /** Undefined for a large file, which is in the store only. */
  data?: Uint8Array;
}

/** An image that has no file yet. */
export type NewImage = Omit<DeliveredImage, 'fileId' | 'usedAt'> & { data: Uint8Array };

/** Whether an image is one of those of an account. */
export function isOneOf(
  image: Pick<DeliveredImage, 'accountId' | 'source' | 'tag'>,
  accountId: string,
  which: ImagesOf,
): boolean {
  if (image.accountId !== accountId) return false;
  if ('source' in which) return image.source === which.source;
  if ('prefix' in which) return image.source.startsWith(which.prefix);
  return 'all' in which || image.tag === which.tag;
}

export interface ImageCacheOptions {
  records: DeliveredImages;
  files: FileStore;
  maxBytes: number;
  /** The current time in milliseconds. */
  now: () => number;
  log: Pick<Log, 'error'>;
}

export class ImageCache {
  readonly #options: ImageCacheOptions;
  /** In the order of their last use. */
  readonly #memory = new Map<string, CachedImage>();
  #memoryBytes = 0;
  /** Files of images that are only in memory, because the disk is full. */
  readonly #unrecorded = new Set<string>();
  #touched = new Set<string>();
  #bytes = 0;
  #images = 0;
  #evictions = 0;
  /** Grows with each removal: what was read before one may be what it removed. */
  #removals = 0;
  readonly #eviction: CoalescingTask;
  readonly #timer: NodeJS.Timeout;

  private constructor(options: ImageCacheOptions) {
    this.#options = options;
    const { log } = options;
    const report = (error: unknown) => log.error({ err: error }, 'removing images from the cache failed');
    this.#eviction = new CoalescingTask(() => this.#evict(), report);
    this.#timer = setInterval(() => void this.synchronize().catch(report), SYNCHRONIZE_EVERY_MS).unref();
  }

  /** Counts what is stored, and removes files that a killed process left without a record. */
  static async open(options: ImageCacheOptions): Promise<ImageCache> {
    const cache = new ImageCache(options);
    const { records, files, now } = options;
    const ids = await files.settledIds();
    for (let start = 0; start < ids.length; start += BATCH_SIZE)
      for (const id of await records.unknownFiles(ids.slice(start, start + BATCH_SIZE))) await files.remove(id);
    await files.removeLeftovers(now());
    const { images, bytes } = await records.total();
    cache.#images = images;
    cache.#bytes = bytes;
    void cache.#eviction.ask();
    return cache;
  }

  get stats(): { images: number; bytes: number; evictions: number } {
    return { images: this.#images, bytes: this.#bytes, evictions: this.#evictions };
  }

  /** Finds an image, also one that has expired. */
  async find(key: string): Promise<CachedImage | undefined> {
    const known = this.#memory.get(key);
    if (known) {
      this.#touched.add(key);
      this.#remember(known);
      return known;
    }
    const removals = this.#removals;
    const record = await this.#options.records.find(key);
    if (!record) return undefined;
    const isSmall = record.bytes <= MAX_FILE_IN_MEMORY_BYTES;
    const data = isSmall ? await this.#read(record) : undefined;
    if (isSmall && !data) {
      await this.#remove([record]);
      return undefined;
    }
    const image = { ...record, ...(data && { data }) };
    this.#touched.add(key);
    if (removals === this.#removals) this.#remember(image);
    return image;
  }

  /** Undefined if the file is not there, or is not the one of the record. */
  async #read({ fileId, bytes }: DeliveredImage): Promise<Uint8Array | undefined> {
    const stream = await this.#options.files.open(fileId);
    if (!stream) return undefined;
    const chunks = await stream.toArray();
    const data = Buffer.concat(chunks as Uint8Array[]);
    return data.byteLength === bytes ? data : undefined;
  }

  /** Stores an image. On a full disk a small one is only kept in memory, and a large one is not kept. */
  async put({ data, ...image }: NewImage): Promise<void> {
    const { records, files, now } = this.#options;
    const { bytes } = image;
    const record = { ...image, fileId: newId('file'), usedAt: timestamp(now()) };
    const isSmall = bytes <= MAX_FILE_IN_MEMORY_BYTES;
    if (isSmall) this.#remember({ ...record, data });
    try {
      await files.put(record.fileId, data, { accountId: image.accountId });
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      void this.#eviction.ask();
      this.#unrecorded.add(record.fileId);
      return;
    }
    const replaced = await records.put(record).catch(async (error: unknown) => {
      await files.remove(record.fileId);
      if (!isStorageFull(error)) throw error;
      return 'not stored' as const;
    });
    if (replaced === 'not stored') {
      this.#unrecorded.add(record.fileId);
      return;
    }
    // Not before: without its file, a large image cannot be sent.
    if (!isSmall) this.#remember(record);
    this.#count(1, bytes);
    if (replaced) await this.#removeFile(replaced);
    if (this.#bytes > this.#options.maxBytes) void this.#eviction.ask();
  }

  /** Opens a large file. Undefined if it is not there, as after a restored backup, which has no cache. */
  async open(image: CachedFile, range?: ByteRange): Promise<Readable | undefined> {
    const stream = await this.#options.files.open(image.fileId, range);
    if (!stream) await this.#remove([image]);
    return stream;
  }

  /** Removes images of an account. Returns how many. */
  async purge(accountId: string, which: ImagesOf): Promise<number> {
    const { records } = this.#options;
    this.#removals += 1;
    // On a full disk there are images without a record.
    for (const [key, image] of this.#memory) if (isOneOf(image, accountId, which)) this.#forget(key);
    let removed = 0;
    for (;;) {
      const images = await records.some(accountId, which, BATCH_SIZE);
      if (images.length === 0) return removed;
      removed += await this.#remove(images);
    }
  }

  /** Images and bytes of an account. */
  total(accountId: string): Promise<{ images: number; bytes: number }> {
    return this.#options.records.total(accountId);
  }

  /** Records the last uses, and forgets images that another process on the same database has removed or replaced. */
  async synchronize(): Promise<void> {
    await this.#writeTouched();
    const images = [...this.#memory.values()].filter(({ fileId }) => !this.#unrecorded.has(fileId));
    for (let start = 0; start < images.length; start += BATCH_SIZE) {
      const batch = images.slice(start, start + BATCH_SIZE);
      const gone = new Set(await this.#options.records.unknownFiles(batch.map(({ fileId }) => fileId)));
      for (const { key, fileId } of batch)
        if (gone.has(fileId) && this.#memory.get(key)?.fileId === fileId) this.#forget(key);
    }
  }

  /** Records the last uses. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#eviction.end();
    // On a full disk the order of the next removals is less exact.
    await this.#writeTouched().catch(() => {});
  }

  async #writeTouched(): Promise<void> {
    const keys = [...this.#touched];
    this.#touched = new Set();
    const usedAt = timestamp(this.#options.now());
    for (let start = 0; start < keys.length; start += BATCH_SIZE)
      await this.#options.records.touch(keys.slice(start, start + BATCH_SIZE), usedAt);
  }

  async #evict(): Promise<void> {
    const { records, maxBytes } = this.#options;
    if (this.#bytes <= maxBytes) return;
    await this.#writeTouched();
    while (this.#bytes > maxBytes * LEFT_AFTER_EVICTION) {
      const images = await records.leastUsed(BATCH_SIZE);
      const surplus = this.#bytes - maxBytes * LEFT_AFTER_EVICTION;
      let freed = 0;
      const least = images.filter(({ bytes }) => {
        if (freed >= surplus) return false;
        freed += bytes;
        return true;
      });
      const removed = await this.#remove(least);
      this.#evictions += removed;
      if (removed === 0) return;
    }
  }

  async #remove(images: readonly CachedFile[]): Promise<number> {
    const removed = await this.#options.records.remove(images);
    for (const image of removed) await this.#removeFile(image);
    return removed.length;
  }

  async #removeFile({ key, fileId, bytes }: CachedFile): Promise<void> {
    this.#removals += 1;
    if (this.#memory.get(key)?.fileId === fileId) this.#forget(key);
    this.#count(-1, -bytes);
    await this.#options.files.remove(fileId);
  }

  #count(images: number, bytes: number): void {
    this.#images += images;
    this.#bytes += bytes;
  }

  #remember(image: CachedImage): void {
    this.#forget(image.key);
    this.#memory.set(image.key, image);
    this.#memoryBytes += image.data?.byteLength ?? 0;
    for (const [key] of this.#memory) {
      if (this.#memoryBytes <= MAX_MEMORY_BYTES && this.#memory.size <= MAX_IMAGES_IN_MEMORY) return;
      this.#forget(key);
    }
  }

  #forget(key: string): void {
    const known = this.#memory.get(key);
    if (!known) return;
    this.#memoryBytes -= known.data?.byteLength ?? 0;
    this.#unrecorded.delete(known.fileId);
    this.#memory.delete(key);
  }
}
