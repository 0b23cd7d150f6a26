/**
 * What a key may give to keys: never more than it has itself. Its monthly limit bounds it and all keys that are made with
 * it together, since their use counts against it too (`limitedBy`): ten keys of ten requests each are still ten requests.
 */
import { invalidParameter } from '../../base/failure.ts';
import type { Key } from '../../storage/repositories/keys.ts';
import { requireScope, type Scope } from './keys.ts';

/** Keys that were made one with the other, each with a limit: every one is counted on every request of the last. */
const MAX_LIMITED_BY = 8;

/** @throws Failure 403 `scope_required` that names a scope which `maker` lacks */
export function checkGrantedScopes(maker: Key, granted: readonly Scope[]): void {
  for (const scope of granted) requireScope(maker, scope);
}

/**
 * The end of a new key: that of the key it is made with, where nothing was asked for.
 * @throws Failure 400 when it would live longer
 */
export function expiryWithin(maker: Key, asked: string | null | undefined): string | null {
  if (asked === undefined) return maker.expiresAt;
  const isLater = maker.expiresAt !== null && (asked === null || asked > maker.expiresAt);
  if (isLater)
    throw invalidParameter(`a time up to ${maker.expiresAt}, when the key of this request ends,`, 'expires_at', asked);
  return asked;
}

/**
 * The monthly limit of a new key: that of the key it is made with, where nothing was asked for.
 * @throws Failure 400 when it is higher
 */
export function limitWithin(maker: Key, asked: number | null | undefined): number | null {
  if (asked === undefined) return maker.monthlyLimit;
  if (maker.monthlyLimit !== null && (asked === null || asked > maker.monthlyLimit))
    throw invalidParameter(
      `at most ${maker.monthlyLimit}, the limit of the key of this request,`,
      'monthly_limit',
      asked,
    );
  return asked;
}

/** @throws Failure 400 when there are too many keys above a new one */
export function makersOf(maker: Key): readonly string[] {
  const makers = maker.monthlyLimit === null ? maker.limitedBy : [...maker.limitedBy, maker.id];
  if (makers.length > MAX_LIMITED_BY)
    throw invalidParameter(
      `at most ${MAX_LIMITED_BY} keys with limits above a new one`,
      'the key of this request',
      makers.length,
    );
  return makers;
}

/**
 * Refuses a change that would give a key more than `maker` has: scopes that neither has, a limit above that of `maker`, or
 * anything more for a key that `maker` does not bound, in use or in time.
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
  if (isRaised) {
    limitWithin(maker, monthlyLimit);
    if (maker.monthlyLimit !== null && !key.limitedBy.includes(maker.id))
      throw invalidParameter(
        'no higher limit, because this key was not made with the key of this request,',
        'monthly_limit',
        monthlyLimit,
      );
  }
  const livesLonger = maker.expiresAt !== null && (key.expiresAt === null || key.expiresAt > maker.expiresAt);
  if (livesLonger && (isRaised || granted.length > 0))
    throw invalidParameter(
      'nothing more for a key that ends later than the key of this request',
      isRaised ? 'monthly_limit' : 'scopes',
      isRaised ? monthlyLimit : granted,
    );
}
