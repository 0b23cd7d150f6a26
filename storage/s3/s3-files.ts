/** Stores files as objects of a bucket. Other processes may use the same one. */
import type { Readable } from 'node:stream';
import { type ByteRange, checkedId, type FileStore, isFileId, type NewFile, type SentAs } from '../ports/file-store.ts';
import type { StorageQuota } from '../quota.ts';
import { type FoundFile, StoredFiles, taking } from '../stored-files.ts';
import type { S3Client } from './client.ts';
import { download } from './download.ts';
import { listObjects, listUploads } from './listing.ts';
import { collectParts, type Part, partsOf } from './parts.ts';
import { abortUpload, upload } from './upload.ts';

/**
 * After this time an object without a record, or an upload that is not complete, was left by a crash: no request and no
 * step of a scan takes as long.
 */
const ABANDONED_MS = 24 * 3_600_000;

/** The files of other processes are counted this often. */
const COUNT_MS = 600_000;

export interface S3FilesOptions {
  client: S3Client;
  /** Kind of files, such as `jobs`. */
  name: string;
  quota: StorageQuota;
  /** The clock, in milliseconds. */
  now: () => number;
  /** Whether clients may read from the store itself. */
  redirects: boolean;
}

export class S3Files implements FileStore {
  readonly #client: S3Client;
  readonly #prefix: string;
  readonly #files: StoredFiles;
  readonly #now: () => number;
  /** When this process wrote a file. The store may date an object back to the beginning of its upload. */
  readonly #writtenAt = new Map<string, number>();
  /** Ids of uploads in parts of this process. */
  readonly #uploads = new Set<string>();
  #countedAt: number;
  readonly address?: (id: string, seconds: number, sentAs: SentAs) => Promise<string>;

  private constructor({ client, name, quota, now, redirects }: S3FilesOptions) {
    this.#client = client;
    this.#prefix = `${name}/`;
    this.#files = new StoredFiles(quota);
    this.#now = now;
    this.#countedAt = now();
    if (redirects)
      this.address = async (id, seconds, { contentType, contentDisposition, cacheControl }) =>
        await client.presign(this.#key(id), seconds, {
          'response-content-type': contentType,
          'response-content-disposition': contentDisposition,
          'response-cache-control': cacheControl,
        });
  }

  /** Counts the files that are there. */
  static async open(options: S3FilesOptions): Promise<S3Files> {
    const store = new S3Files(options);
    await store.#files.count(store.#list());
    return store;
  }

  get usedBytes(): number {
    return this.#files.usedBytes;
  }

  async put(id: string, data: Uint8Array, file?: NewFile): Promise<void> {
    await this.#write(id, file, (take) => {
      take(data.byteLength);
      return partsOf(data);
    });
  }

  async putStream(id: string, chunks: AsyncIterable<Uint8Array>, file?: NewFile): Promise<number> {
    return await this.#write(id, file, (take) => collectParts(taking(chunks, take)));
  }

  async open(id: string, range?: ByteRange): Promise<Readable | undefined> {
    return await download(this.#client, this.#key(id), range);
  }

  async remove(id: string): Promise<void> {
    await this.#client.send({ method: 'DELETE', key: this.#key(id) });
    this.#files.forget(id);
    this.#writtenAt.delete(id);
  }

  async *ids(prefix = ''): AsyncGenerator<string> {
    for await (const { name } of this.#list(prefix)) yield name;
  }

  async settledIds(): Promise<string[]> {
    const settled: string[] = [];
    const latest = this.#now() - ABANDONED_MS;
    for await (const { name, storedAt } of this.#list())
      if (Math.max(storedAt, this.#writtenAt.get(name) ?? 0) <= latest) settled.push(name);
    return settled;
  }

  /** Also counts the files again. */
  async removeLeftovers(now: number): Promise<void> {
    for (const [id, time] of this.#writtenAt) if (time <= now - ABANDONED_MS) this.#writtenAt.delete(id);
    for await (const { key, id, startedAt } of listUploads(this.#client, this.#prefix))
      if (startedAt <= now - ABANDONED_MS && !this.#uploads.has(id)) await abortUpload(this.#client, key, id);
    if (now < this.#countedAt + COUNT_MS) return;
    this.#countedAt = now;
    await this.#files.count(this.#list());
  }

  #key(id: string): string {
    return this.#prefix + checkedId(id);
  }

  /** Leaves out objects that are not of the service. */
  async *#list(prefix = ''): AsyncGenerator<FoundFile & { storedAt: number }> {
    for await (const { key, bytes, storedAt } of listObjects(this.#client, this.#prefix + prefix)) {
      const name = key.slice(this.#prefix.length);
      if (isFileId(name)) yield { name, bytes, storedAt };
    }
  }

  async #write(
    id: string,
    file: NewFile | undefined,
    partsWith: (take: (bytes: number) => void) => Iterable<Part> | AsyncIterable<Part>,
  ): Promise<number> {
    const key = this.#key(id);
    const bytes = await this.#files.write(id, file, (take) =>
      upload({ client: this.#client, key, parts: partsWith(take), running: this.#uploads }),
    );
    this.#writtenAt.set(id, this.#now());
    return bytes;
  }
}
