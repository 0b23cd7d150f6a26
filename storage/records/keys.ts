export interface Key {
  id: string;
  accountId: string;
  name: string;
  mode: 'live' | 'test';
  /** The first characters of the key, to recognize it. */
  prefix: string;
  /** SHA-256 of the key in hex; the key itself is not stored. */
  hash: string;
  scopes: readonly string[];
  monthlyLimit: number | null;
  /** Ids of the limited keys that created it, directly or indirectly. Its usage counts against their limits too. */
  limitedBy: readonly string[];
  createdAt: string;
  /** Accurate to the minute. */
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
}

/** A key with the credits that it has used in a month, of both allowances. */
export interface UsedKey extends Key {
  used: number;
}
