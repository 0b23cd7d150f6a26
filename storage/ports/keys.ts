import type { Key, UsedKey } from '../records/keys.ts';

export type NewKey = Omit<Key, 'id' | 'limitedBy' | 'createdAt' | 'lastUsedAt' | 'revokedAt'> &
  Partial<Pick<Key, 'limitedBy'>>;

export type KeyChanges = Partial<Pick<Key, 'name' | 'scopes' | 'monthlyLimit'>>;

export interface Keys {
  create(key: NewKey): Promise<Key>;
  findByHash(hash: string): Promise<Key | undefined>;
  /** Those of the keys with these ids that exist. */
  some(ids: readonly string[]): Promise<Key[]>;
  /** Returns undefined when the account has no such key. */
  find(id: string, accountId: string): Promise<Key | undefined>;
  /**
   * The keys of one account or of all accounts, oldest first, including revoked ones.
   * @param month month of the usage, such as `2026-11`
   */
  list(month: string, accountId?: string): Promise<UsedKey[]>;
  /**
   * Those of the keys with these ids that exist, oldest first.
   * @param month month of the usage, such as `2026-11`
   */
  someWithUse(month: string, ids: readonly string[]): Promise<UsedKey[]>;
  /** Ids of the keys of an account that are neither revoked nor expired at `now`, in no particular order. */
  usableIds(accountId: string, now: string): Promise<string[]>;
  /** Ids of at most `max` keys of an account that were revoked or expired last, as of `now`. */
  lastEndedIds(accountId: string, now: string, max: number): Promise<string[]>;
  /** Returns undefined when the account has no such key or has revoked it. */
  update(id: string, accountId: string, changes: KeyChanges): Promise<Key | undefined>;
  /**
   * Revokes a key. A key that is already revoked keeps its time.
   * @param accountId the account that must own the key; undefined for any account
   * @returns undefined when there is no such key
   */
  revoke(id: string, accountId?: string): Promise<Key | undefined>;
  touch(id: string, lastUsedAt: string): Promise<void>;
}
