/** Stored results: bytes in the file store and a record in the database. They expire after an hour. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { newId } from '../base/id.ts';
import { sha256 } from '../base/sha256.ts';
import { timestamp } from '../base/timestamp.ts';
import { fileExpired, fileNotFound } from './errors.ts';
import type { ByteRange, FileStore, SentAs } from './ports/file-store.ts';
import type { Files } from './ports/files.ts';
import type { FileRecord } from './records/files.ts';

/** Lifetime of a result requested as a link (docs/spec/interface.md, "Limits"). */
export const RESULT_SECONDS = 3600;

/** How long after that the response is `expired`. Afterwards the record is deleted (docs/spec/shapes.md, section 4). */
const EXPIRED_RECORD_MS = 24 * 3600 * 1000;

const SWEEP_BATCH = 500;

/** Of a store on S3, each is a connection. */
const REMOVALS_AT_ONCE = 25;

export interface ResultDescription {
  /** Suggested file name. */
  filename: string;
  contentType: string;
  format: string;
  /** In pixels; null when the result is not an image. */
  width: number | null;
  height: number | null;
}

export interface NewResult extends ResultDescription {
  data: ArrayBuffer;
  /** Bytes of the same account that are removed once this one is stored, such as those of its source. */
  replacedBytes?: number;
}

export interface ResultLifetime {
  /** How long it can be downloaded. */
  seconds?: number;
}

/** The result has no lifetime of its own: its owner, such as a scan, releases it. */
export const UNTIL_RELEASED: ResultLifetime = { seconds: Number.POSITIVE_INFINITY };

const MAX_TIMESTAMP_MS = Date.UTC(9999, 11, 31);

export class Results {
  readonly #records: Files;
  readonly #files: FileStore;
  readonly #now: () => number;

  /** @param now the clock, in milliseconds */
  constructor(records: Files, files: FileStore, now: () => number = Date.now) {
    this.#records = records;
    this.#files = files;
    this.#now = now;
  }

  /** Bytes of all stored results. */
  get usedBytes(): number {
    return this.#files.usedBytes;
  }

  /** @throws Failure `storage_full` */
  async put(accountId: string, result: NewResult): Promise<FileRecord> {
    const record = await this.write(accountId, result);
    try {
      await this.#records.insert(record);
    } catch (error) {
      await this.discard(record);
      throw error;
    }
    return record;
  }

  /**
   * Writes the bytes of a result whose record is inserted together with other changes. The bytes are written first:
   * after a crash in between, the next start removes the file because it has no record. If the record is not inserted,
   * the caller must discard the result.
   * @throws Failure `storage_full`
   */
  async write(
    accountId: string,
    { data, replacedBytes, ...description }: NewResult,
    life: ResultLifetime = {},
  ): Promise<FileRecord> {
    const record = this.#newRecord(accountId, description, life);
    const [bytes, hash] = [data.byteLength, await sha256(data)];
    await this.#files.put(record.id, new Uint8Array(data), {
      accountId,
      ...(replacedBytes !== undefined && { replacedBytes }),
    });
    return { ...record, bytes, sha256: hash };
  }

  /**
   * Writes a result from a stream without keeping it in memory. Errors of `chunks` are passed on.
   * @throws Failure `storage_full`
   */
  async writeStream(
    accountId: string,
    description: ResultDescription,
    chunks: AsyncIterable<Uint8Array>,
    life: ResultLifetime = {},
  ): Promise<FileRecord> {
    const record = this.#newRecord(accountId, description, life);
    const hash = createHash('sha256');
    const hashed = async function* () {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    };
    const bytes = await this.#files.putStream(record.id, hashed(), { accountId });
    return { ...record, bytes, sha256: hash.digest('hex') };
  }

  #newRecord(accountId: string, description: ResultDescription, { seconds = RESULT_SECONDS }: ResultLifetime) {
    const now = this.#now();
    return {
      id: newId('file'),
      accountId,
      ...description,
      createdAt: timestamp(now),
      expiresAt: timestamp(Math.min(now + seconds * 1000, MAX_TIMESTAMP_MS)),
      removedAt: null,
    };
  }

  /** Removes the bytes of a result whose record was not inserted. Those that cannot be removed now are orphans. */
  async discard({ id }: Pick<FileRecord, 'id'>): Promise<void> {
    await this.#files.remove(id).catch(() => {});
  }

  /**
   * The record of a result that can be downloaded.
   * @throws Failure `not_found`, also for another account's result; `expired` for a day after its expiry, whether or
   * not it has been removed
   */
  async find(accountId: string, id: string): Promise<FileRecord> {
    const record = await this.#records.find(id);
    const now = this.#now();
    if (record?.accountId !== accountId) throw fileNotFound(id);
    const expiredFor = now - Date.parse(record.expiresAt);
    if (expiredFor >= EXPIRED_RECORD_MS) throw fileNotFound(id);
    if (expiredFor >= 0) throw fileExpired();
    return record;
  }

  /** Opens the bytes of a result. The caller must consume or destroy the stream. */
  async open({ id }: Pick<FileRecord, 'id'>, range?: ByteRange): Promise<Readable> {
    const stream = await this.#files.open(id, range);
    if (!stream) throw fileNotFound(id);
    return stream;
  }

  /** An address with which anybody can read a result for some seconds; undefined where clients do not reach the store. */
  async address({ id }: Pick<FileRecord, 'id'>, seconds: number, sentAs: SentAs): Promise<string | undefined> {
    return await this.#files.address?.(id, seconds, sentAs);
  }

  /** Deletes a result before it expires. From then on it is not found. */
  async delete(accountId: string, id: string): Promise<void> {
    await this.find(accountId, id);
    // The file first: on a full disk this frees the space that the database needs. A result without its file is not
    // found.
    await this.#files.remove(id);
    await this.#records.delete(id);
  }

  /** Removes the bytes of expired results, and the records of those that expired a day ago. */
  async sweep(): Promise<void> {
    const now = this.#now();
    for (;;) {
      const ids = await this.#records.expiredIds(timestamp(now), SWEEP_BATCH);
      if (ids.length === 0) break;
      for (let at = 0; at < ids.length; at += REMOVALS_AT_ONCE)
        await Promise.all(ids.slice(at, at + REMOVALS_AT_ONCE).map((id) => this.#files.remove(id)));
      await this.#records.markRemoved(ids, timestamp(now));
    }
    await this.#records.forget(timestamp(now - EXPIRED_RECORD_MS));
    await this.#files.removeLeftovers(now);
  }

  /** Removes files without a record, left by a crash between the two steps. */
  async removeOrphanFiles(): Promise<void> {
    const present = await this.#files.settledIds();
    if (present.length === 0) return;
    const known = new Set(await this.#records.storedIds());
    for (const id of present.filter((id) => !known.has(id))) await this.#files.remove(id);
  }
}
