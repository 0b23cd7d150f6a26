/**
 * The uploads of jobs, in a private folder. Each is kept until its item has
 * ended, for at most one hour. No other uploads are written to the disk.
 */
import { decodeTime } from 'ulid';
import type { FileStore, OpenFileStore } from '../../storage/ports/file-store.ts';
import type { Jobs } from '../../storage/ports/jobs.ts';
import { receive } from '../http/response-body.ts';
import { sourceExpired } from './errors.ts';

/** How long an upload is kept at most. */
export const MAX_SOURCE_AGE_MS = 3_600_000;

/** The id of a job, followed by the role of the file. */
const NAME = /^job_(?<ulid>[0-9A-Z]{26})_/;

export class JobSources {
  readonly #files: FileStore;
  readonly #jobs: Pick<Jobs, 'openIds' | 'openSources'>;
  readonly #now: () => number;

  /** @param now returns the current time in milliseconds */
  constructor(files: FileStore, jobs: Pick<Jobs, 'openIds' | 'openSources'>, now: () => number = Date.now) {
    this.#files = files;
    this.#jobs = jobs;
    this.#now = now;
  }

  static async open(openFiles: OpenFileStore, jobs: Jobs, now?: () => number): Promise<JobSources> {
    return new JobSources(await openFiles('jobs'), jobs, now);
  }

  /** Returns the name of the upload of an item, which is the item's `source`. */
  static nameOf(jobId: string, position: number): string {
    return `${jobId}_${position}`;
  }

  /** Returns the name of the watermark image of a job. */
  static watermarkOf(jobId: string): string {
    return `${jobId}_watermark`;
  }

  /** @throws Failure `storage_full` */
  async put(name: string, data: ArrayBuffer, accountId: string): Promise<void> {
    await this.#files.put(name, new Uint8Array(data), { accountId });
  }

  /**
   * Reads an upload into memory.
   * @param reserve called with the new size before more is taken into memory; reading ends if it throws
   * @throws Failure `expired` if the upload no longer exists
   */
  async read(name: string, reserve: (bytes: number) => void): Promise<ArrayBuffer> {
    const stream = await this.#files.open(name);
    if (!stream) throw sourceExpired();
    return await receive(stream, Number.POSITIVE_INFINITY, undefined, reserve);
  }

  async remove(name: string): Promise<void> {
    await this.#files.remove(name);
  }

  /** Removes all uploads of a job. */
  async removeAll(jobId: string): Promise<void> {
    for await (const name of this.#files.ids(`${jobId}_`)) await this.remove(name);
  }

  /** Removes the uploads of items that have ended, and of jobs that were never accepted, left by a crash. */
  async removeOrphanFiles(): Promise<void> {
    const present = await this.#files.settledIds();
    if (present.length === 0) return;
    const watermarks = (await this.#jobs.openIds()).map(JobSources.watermarkOf);
    const needed = new Set([...(await this.#jobs.openSources()), ...watermarks]);
    for (const name of present.filter((name) => !needed.has(name))) await this.remove(name);
  }

  /** Removes uploads older than an hour, even if their items still wait. */
  async sweep(): Promise<void> {
    const now = this.#now();
    for await (const name of this.#files.ids())
      if (receivedAt(name) <= now - MAX_SOURCE_AGE_MS) await this.remove(name);
    await this.#files.removeLeftovers(now);
  }
}

/** Returns the time when the job of a file was created, in milliseconds. */
function receivedAt(name: string): number {
  const ulid = NAME.exec(name)?.groups?.ulid;
  return ulid === undefined ? 0 : decodeTime(ulid);
}
