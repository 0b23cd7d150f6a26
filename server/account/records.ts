/** Accounts and keys as the interface shows them (spec/shapes.md, section 15.1). */
import type { Account } from '../../storage/repositories/accounts.ts';
import type { Key } from '../../storage/repositories/keys.ts';

export interface AccountRecord {
  id: string;
  name: string;
  email: string | null;
  plan: string;
  disabled: boolean;
  created_at: string;
}

export function accountRecord({ id, name, email, plan, disabled, createdAt }: Account): AccountRecord {
  return { id, name, email, plan, disabled, created_at: createdAt };
}

export interface KeyRecord {
  id: string;
  name: string;
  mode: 'live' | 'test';
  prefix: string;
  scopes: readonly string[];
  monthly_limit: number | null;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

/** Without the hash. */
export function keyRecord(key: Key): KeyRecord {
  return {
    id: key.id,
    name: key.name,
    mode: key.mode,
    prefix: key.prefix,
    scopes: key.scopes,
    monthly_limit: key.monthlyLimit,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
  };
}
