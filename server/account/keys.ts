/**
 * API keys: `ic_live_` or `ic_test_`, 32 random characters, 6 characters of checksum, all base62 (docs/spec/shapes.md,
 * section 15.1). The checksum lets this parser and scanners for leaked secrets reject a typing error without a look-up.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Keys, NewKey } from '../../storage/ports/keys.ts';
import type { Meters } from '../../storage/ports/meters.ts';
import type { Key, UsedKey } from '../../storage/records/keys.ts';
import { scopeRequired } from './errors.ts';
import { monthOf } from './period.ts';

export const SCOPES = ['ai', 'sites', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes of a new key by default. */
export const DEFAULT_SCOPES: readonly Scope[] = ['ai', 'sites'];

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
/** 62 to the power of 6 is the first power above 2^32. */
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = 12;
const WELL_FORMED = /^ic_(?:live|test)_[0-9A-Za-z]{38}$/;

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let n = 0; n < CHECKSUM_LENGTH; n += 1) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}

/** Generates a key. 32 base62 characters hold 190 bits. randomInt is unbiased. */
export function generateKey(mode: Key['mode']): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
  const body = `ic_${mode}_${random}`;
  return body + checksum(body);
}

/** True if the text has the form of a key and a correct checksum. */
export function isWellFormed(text: string): boolean {
  if (!WELL_FORMED.test(text)) return false;
  return text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** Returns SHA-256 in hex. Slow hashes are for guessable secrets; 190 random bits cannot be guessed. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Compares two hashes in a time that does not depend on where they differ. */
export const sameHash = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Creates a key and stores its hash. The key itself is only in the return value. */
export async function issueKey(
  keys: Keys,
  options: Omit<NewKey, 'hash' | 'prefix'>,
): Promise<{ record: Key; key: string }> {
  const key = generateKey(options.mode);
  const record = await keys.create({ ...options, hash: hashKey(key), prefix: key.slice(0, SHOWN_LENGTH) });
  return { record, key };
}

/** Adds to a key its use in the month of `now`, a time in milliseconds. */
export async function withUse(meters: Meters, key: Key, now: number): Promise<UsedKey> {
  const { requests, ai } = await meters.read({ subject: key.id, period: monthOf(now).id });
  return { ...key, used: requests + ai };
}

/** @throws Failure 403 `scope_required` when the key lacks the scope */
export function requireScope(key: Key, scope: Scope): void {
  if (!key.scopes.includes(scope)) throw scopeRequired(scope);
}
