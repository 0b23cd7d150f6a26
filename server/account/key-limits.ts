/**
 * What a key may grant to other keys: never more than it has. Its monthly limit applies to itself and all keys created
 * with it together. Their use counts against it too (`limitedBy`): ten keys of ten requests each may send ten in total.
 */
import { invalidParameter } from '../../base/failure.ts';
import type { Key } from '../../storage/records/keys.ts';
import { requireScope, type Scope } from './keys.ts';

/**
 * Maximum length of a chain of limited keys, each created with the
 * one before. A request with the last one counts on all of them.
 */
const MAX_LIMITED_BY = 8;

/** @throws Failure 403 `scope_required` with a scope that `maker` lacks */
export function checkGrantedScopes(maker: Key, granted: readonly Scope[]): void {
  for (const scope of granted) requireScope(maker, scope);
}

/**
 * Returns the expiry of a new key. Default: the expiry of the key that creates it.
 * @throws Failure 400 if it would expire later than that key
 */
export function resolveExpiry(maker: Key, asked: string | null | undefined): string | null {
  if (asked === undefined) return maker.expiresAt;
  const isLater = maker.expiresAt !== null && (asked === null || asked > maker.expiresAt);
  if (isLater)
    throw invalidParameter(`a time up to ${maker.expiresAt}, when the key of this request ends,`, 'expires_at', asked);
  return asked;
}

/**
 * Returns the monthly limit of a new key. Default: the limit of the key that creates it.
 * @throws Failure 400 if it is higher than that limit
 */
export function resolveMonthlyLimit(maker: Key, asked: number | null | undefined): number | null {
  if (asked === undefined) return maker.monthlyLimit;
  if (maker.monthlyLimit !== null && (asked === null || asked > maker.monthlyLimit))
    throw invalidParameter(
      `at most ${maker.monthlyLimit}, the limit of the key of this request,`,
      'monthly_limit',
      asked,
    );
  return asked;
}

/** Returns the ids of the limited keys that requests with `maker` count against. */
const limitsOf = (maker: Key): readonly string[] =>
  maker.monthlyLimit === null ? maker.limitedBy : [...maker.limitedBy, maker.id];

/**
 * Returns the ids of the limited keys that created a new key, directly or indirectly.
 * @throws Failure 400 if there are too many
 */
export function limitingKeys(maker: Key): readonly string[] {
  const makers = limitsOf(maker);
  if (makers.length > MAX_LIMITED_BY)
    throw invalidParameter(
      `at most ${MAX_LIMITED_BY} keys with limits above a new one`,
      'the key of this request',
      makers.length,
    );
  return makers;
}

/**
 * Refuses a change that would give a key more than `maker` has: scopes that neither
 * key has, or a limit above the limit of `maker`. A key that does not count against
 * `maker`, or that expires later, cannot get a higher limit or more scopes.
 */
export function checkChange(
  maker: Key,
  key: Key,
  { scopes, monthlyLimit }: { scopes?: readonly Scope[]; monthlyLimit?: number | null },
): void {
  const granted = (scopes ?? []).filter((scope) => !key.scopes.includes(scope));
  checkGrantedScopes(maker, granted);
  const isRaised =
    monthlyLimit !== undefined &&
    key.monthlyLimit !== null &&
    (monthlyLimit === null || monthlyLimit > key.monthlyLimit);
  if (isRaised) resolveMonthlyLimit(maker, monthlyLimit);
  if (!isRaised && granted.length === 0) return;
  const [param, received] = isRaised ? ['monthly_limit', monthlyLimit] : ['scopes', granted];
  if (!limitsOf(maker).every((id) => key.limitedBy.includes(id)))
    throw invalidParameter('nothing more for a key that was not made with the key of this request', param, received);
  const livesLonger = maker.expiresAt !== null && (key.expiresAt === null || key.expiresAt > maker.expiresAt);
  if (livesLonger)
    throw invalidParameter('nothing more for a key that ends later than the key of this request', param, received);
}
