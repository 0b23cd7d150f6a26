/**
 * The uploads of jobs: in a private folder, each until its item has ended and never longer than one hour. The only uploads
 * that touch the disk.
 */
import { join } from 'node:path';
import { decodeTime } from 'ulid';
import { type FileStore, LocalFiles, type StorageRoom } from '../../storage/files.ts';
import type { Jobs } from '../../storage/repositories/jobs.ts';
import { receive } from '../http/received.ts';
import { sourceExpired } from './errors.ts';

/** The longest time that an upload is kept. */
export const SOURCE_KEPT_MS = 3_600_000;

/** A file that is still being written after this long was left by a crash. */
const WRITING_MS = 60_000;

/** An id of a job and what the file is to it. */
const NAME = /^job_(?<ulid>[0-9A-Z]{26})_/;

export class JobSources {
  readonly #files: FileStore;
  readonly #jobs: Pick<Jobs, 'openIds' | 'openSources'>;
  readonly #now: () => number;

  /** @param now the clock, in milliseconds */
  constructor(files: FileStore, jobs: Pick<Jobs, 'openIds' | 'openSources'>, now: () => number = Date.now) {
    this.#files = files;
    this.#jobs = jobs;
    this.#now = now;
  }

  static async open(dataDir: string, room: StorageRoom, jobs: Jobs, now?: () => number): Promise<JobSources> {
    return new JobSources(await LocalFiles.open(join(dataDir, 'jobs'), room), jobs, now);
  }

  /** Name of the upload for an item, as its `source` has it. */
  static nameOf(jobId: string, position: number): string {
    return `${jobId}_${position}`;
  }

  /** Name of the image that a job draws into all others. */
  static watermarkOf(jobId: string): string {
    return `${jobId}_watermark`;
  }

  /** @throws Failure `storage_full` */
  async put(name: string, data: ArrayBuffer, accountId: string): Promise<void> {
    await this.#files.put(name, new Uint8Array(data), { accountId });
  }

  /**
   * @param reserve called with the size so far before it is taken into memory; what it throws ends the reading
   * @throws Failure `expired` when it is no more
   */
  async read(name: string, reserve: (bytes: number) => void): Promise<ArrayBuffer> {
    const stream = await this.#files.open(name);
    if (!stream) throw sourceExpired();
    return await receive(stream, Number.POSITIVE_INFINITY, undefined, reserve);
  }

  async remove(name: string): Promise<void> {
    await this.#files.remove(name);
  }

  /** Removes all that is there of a job. */
  async removeAll(jobId: string): Promise<void> {
    for (const name of [...this.#files.ids()]) if (name.startsWith(`${jobId}_`)) await this.remove(name);
  }

  /** At the start: removes the uploads of items that have ended, and of jobs that were never accepted. */
  async removeOrphans(): Promise<void> {
    const watermarks = (await this.#jobs.openIds()).map(JobSources.watermarkOf);
    const needed = new Set([...(await this.#jobs.openSources()), ...watermarks]);
    for (const name of [...this.#files.ids()]) if (!needed.has(name)) await this.remove(name);
  }

  /** Removes what is an hour old, whoever still waits for it. */
  async sweep(): Promise<void> {
    const now = this.#now();
    for (const name of [...this.#files.ids()]) if (receivedAt(name) <= now - SOURCE_KEPT_MS) await this.remove(name);
    await this.#files.removeLeftovers(now - WRITING_MS);
  }
}

/** When the job of a file was made, in milliseconds. */
function receivedAt(name: string): number {
  const ulid = NAME.exec(name)?.groups?.ulid;
  return ulid === undefined ? 0 : decodeTime(ulid);
}
