import { accountStorageFull, storageFull } from './errors.ts';
import type { NewFile } from './ports/file-store.ts';

/** Finds the account that owns a file, by the file's name; undefined if unknown. */
export type OwnerOf = (name: string) => Promise<string | undefined>;

/** The quota that all file stores share, with a limit per account. */
export class StorageQuota {
  readonly ownerOf: OwnerOf;
  readonly #limitBytes: number;
  #usedBytes = 0;
  /** Used bytes by account. */
  readonly #usedByAccount = new Map<string, number>();

  constructor(limitBytes: number, ownerOf: OwnerOf = async () => undefined) {
    this.#limitBytes = limitBytes;
    this.ownerOf = ownerOf;
  }

  /** Counts stored bytes, whether or not they fit. */
  add(bytes: number, accountId: string | undefined): void {
    this.#usedBytes += bytes;
    if (accountId === undefined) return;
    const used = this.#usedOf(accountId) + bytes;
    if (used > 0) this.#usedByAccount.set(accountId, used);
    else this.#usedByAccount.delete(accountId);
  }

  /**
   * Checks that bytes fit into the quota. An account may hold at most as much as it leaves free, except for its first
   * file (the same rule as for uploads in memory), so that there is always space for another account.
   * @param takenBytes bytes already taken by the same file
   * @throws Failure `storage_full`
   */
  check(bytes: number, takenBytes: number, { accountId, replacedBytes = 0 }: NewFile): void {
    const more = bytes - replacedBytes;
    if (more <= 0) return;
    const free = this.#limitBytes - this.#usedBytes;
    if (more > free) throw storageFull();
    if (accountId === undefined) return;
    const used = this.#usedOf(accountId);
    const isFirst = used === takenBytes + replacedBytes;
    if (!isFirst && used + more > free) throw accountStorageFull();
  }

  #usedOf(accountId: string): number {
    return this.#usedByAccount.get(accountId) ?? 0;
  }
}
