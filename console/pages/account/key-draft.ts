/** A key as the form holds it. Numbers and dates are texts until the form is sent. */
import type { Key, Mode, Scope } from './records.ts';

export interface KeyDraft {
  name: string;
  mode: Mode;
  scopes: readonly Scope[];
  /** An empty text means no limit. */
  monthlyLimit: string;
  /** A day such as `2030-01-31` in the browser's time zone. An empty text means never. */
  expires: string;
}

export const NEW_KEY: KeyDraft = { name: '', mode: 'live', scopes: ['ai', 'sites'], monthlyLimit: '', expires: '' };

export const toDraft = ({ name, mode, scopes, monthly_limit }: Key): KeyDraft => ({
  ...{ name, mode, scopes: scopes as readonly Scope[], expires: '' },
  monthlyLimit: monthly_limit === null ? '' : String(monthly_limit),
});

/**
 * Returns the body that creates the key. A limit that is not a number is sent as it is, so that the service reports it.
 */
export const toCreateBody = ({ expires, mode, ...draft }: KeyDraft): object => ({
  ...toUpdateBody({ ...draft, mode, expires }),
  mode,
  expires_at: expires === '' ? null : endOfDay(expires),
});

/** Returns the body that changes the key. Its mode and its expiry cannot change. */
export const toUpdateBody = ({ name, mode, scopes, monthlyLimit }: KeyDraft): object => ({
  name: name.trim(),
  scopes,
  monthly_limit: mode === 'test' ? null : limitOf(monthlyLimit),
});

function limitOf(text: string): number | string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}

const endOfDay = (day: string): string => new Date(`${day}T23:59:59`).toISOString();

export type KeyState = 'active' | 'expired' | 'revoked';

export function keyState({ revoked_at, expires_at }: Pick<Key, 'revoked_at' | 'expires_at'>, now: number): KeyState {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active';
}
