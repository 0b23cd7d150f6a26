import type { FileRecord } from '../records/files.ts';

export interface Files {
  insert(file: FileRecord): Promise<void>;
  find(id: string): Promise<FileRecord | undefined>;
  /**
   * Finds the account that owns a file in a store.
   * @param name the id of a result, or that of a job or scan followed by a suffix
   */
  ownerOf(name: string): Promise<string | undefined>;
  delete(id: string): Promise<void>;
  /** Ids of all files whose bytes should be in the store. */
  storedIds(): Promise<string[]>;
  /** Ids of at most `limit` expired files whose bytes have not been removed yet. */
  expiredIds(now: string, limit: number): Promise<string[]>;
  markRemoved(ids: readonly string[], removedAt: string): Promise<void>;
  /** Deletes the records of files that expired at or before `time` and whose bytes have been removed. */
  forget(time: string): Promise<void>;
}
