import { Failure, invalidParameter } from '../../base/failure.ts';
import { HINTS } from '../../base/hints.ts';
import { DelayedFailure } from '../http/errors.ts';

/** 401: no key was sent. */
export const missingKey = (): Failure =>
  new Failure('missing_key', 'Expected "Bearer <API key>" for Authorization but received no key.');

/** 401: the same response for all reasons, so that nobody learns which keys exist. */
export const invalidKey = (): Failure =>
  new Failure(
    'invalid_key',
    'Expected a valid API key for Authorization but received one that is unknown, malformed, revoked or expired.',
  );

/** 401: an endpoint of the operator was called without its token. */
export const missingToken = (): Failure =>
  new Failure('missing_key', 'Expected "Bearer <token>" for Authorization but received no token.');

/** 401 */
export function wrongToken(): Failure {
  return new Failure('invalid_key', 'Expected the token of this endpoint for Authorization but received another.');
}

/**
 * 429: this address has sent too many wrong keys or tokens.
 * @param answerAfter resolves when the response may be sent; undefined: at once
 */
export function tooManyFailedAttempts(retryAfter: number, answerAfter?: Promise<void>): Failure {
  return new DelayedFailure(
    'rate_limited',
    'Expected a valid API key or token for Authorization but received too many wrong ones from this address.',
    { retryAfter, answerAfter, hint: `Check the key, and wait ${Math.ceil(retryAfter)} s before the next attempt.` },
  );
}

/** 403: the key lacks a scope. */
export function scopeRequired(scope: string): Failure {
  return new Failure(
    'scope_required',
    `Expected a key with the scope "${scope}" for Authorization but received one without it.`,
    { hint: `Create a key with the scope ${scope}, or ask the operator of the service for one.` },
  );
}

/** 429: too many requests in the current minute. */
export function rateLimited(perMinute: number, retryAfter: number): Failure {
  return new Failure(
    'rate_limited',
    `Expected at most ${perMinute.toLocaleString('en')} requests a minute for this account but received more.`,
    { retryAfter, hint: `Wait ${retryAfter} s, or ask the operator of the service for a higher plan.` },
  );
}

/** When a limit is reset. */
export interface Reset {
  /** Seconds until then. */
  seconds: number;
  /** In milliseconds since 1970. */
  at: number;
}

const DAY = new Intl.DateTimeFormat('en-US', { month: 'long', day: 'numeric', timeZone: 'UTC' });

/** The credits that fill a limit. */
export interface CreditsInUse {
  used: number;
  /** Held by requests and images of jobs that have not ended. */
  reserved: number;
}

/** The sentence of a limit. @param what such as `requests a month for this key` */
function limitMessage(what: string, limit: number, { used, reserved }: CreditsInUse): string {
  const received =
    reserved === 0
      ? 'more'
      : `more: ${count(used)} are used and ${count(reserved)} reserved by work that has not ended`;
  return `Expected at most ${count(limit)} ${what} but received ${received}.`;
}

const count = (credits: number): string => credits.toLocaleString('en');

/** The hint of a limit. @param more what to do where nothing is reserved */
const limitHint = ({ reserved }: CreditsInUse, more: string): string =>
  reserved === 0
    ? more
    : `What is reserved is free again if that work fails or costs less: wait until it has ended. ${more}`;

/** 429: the monthly quota is used up. */
export function quotaExceeded(
  allowance: 'requests' | 'ai',
  limit: number,
  inUse: CreditsInUse,
  { seconds, at }: Reset,
): Failure {
  const what = allowance === 'ai' ? 'AI requests' : 'requests';
  return new Failure('quota_exceeded', limitMessage(`${what} a month for this account`, limit, inUse), {
    retryAfter: seconds,
    hint: limitHint(inUse, `It resets on ${DAY.format(at)}; a higher plan allows more.`),
  });
}

/** 429: the key's own monthly limit is used up. */
export function keyLimitExceeded(limit: number, inUse: CreditsInUse, { seconds, at }: Reset): Failure {
  return new Failure('key_limit_exceeded', limitMessage('requests a month for this key', limit, inUse), {
    retryAfter: seconds,
    hint: limitHint(inUse, `It resets on ${DAY.format(at)}. Raise the limit of the key, or use another one.`),
  });
}

/** 429: the daily limit of the account's test keys is used up. */
export function testLimitExceeded(limit: number, inUse: CreditsInUse, retryAfter: number): Failure {
  const what = 'requests a day for the test keys of this account';
  return new Failure('test_limit_exceeded', limitMessage(what, limit, inUse), {
    retryAfter,
    hint: limitHint(inUse, HINTS.test_limit_exceeded),
  });
}

/** 403: not allowed with a test key. */
export const testKeyNotAllowed = (what: string): Failure =>
  new Failure('test_key_not_allowed', `Expected a live key for ${what} but received a test key.`);

/** 409: a revoked key cannot be changed. */
export function keyRevoked(): Failure {
  const message = 'Expected an active key for id but received one that is revoked.';
  return new Failure('invalid_state', message, { param: 'id' });
}

/** 507: the list of usable keys is returned as a whole, so their number is limited. */
export function tooManyKeys(max: number): Failure {
  return new Failure(
    'storage_full',
    `Expected at most ${max.toLocaleString('en')} usable keys for this account but received one more.`,
    { hint: 'Revoke a key first.' },
  );
}

/** 400: test keys use no quota, so they cannot have a limit. */
export function limitOfTestKey(limit: number): Failure {
  return invalidParameter('null, because this is a test key,', 'monthly_limit', limit);
}
