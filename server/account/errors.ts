import { Failure } from '../../base/failure.ts';

/** 401: no key was sent. */
export function missingKey(): Failure {
  return new Failure('missing_key', 'Expected "Bearer <API key>" for Authorization but received no key.');
}

/** 401: the same answer for all reasons, so that nobody learns which keys exist. */
export function invalidKey(): Failure {
  return new Failure(
    'invalid_key',
    'Expected a valid API key for Authorization but received one that is unknown, malformed, revoked or expired.',
  );
}

/** 403: the key may not do this. */
export function scopeRequired(scope: string): Failure {
  return new Failure(
    'scope_required',
    `Expected a key with the scope "${scope}" for Authorization but received one without it.`,
  );
}

/** 429: too many requests in the running minute. */
export function rateLimited(perMinute: number, retryAfter: number): Failure {
  return new Failure(
    'rate_limited',
    `Expected at most ${perMinute.toLocaleString('en')} requests a minute for this account but received more.`,
    { retryAfter },
  );
}

/** 429: the month's allowance is used up. */
export function quotaExceeded(allowance: 'requests' | 'ai', limit: number, retryAfter: number): Failure {
  const what = allowance === 'ai' ? 'AI requests' : 'requests';
  return new Failure(
    'quota_exceeded',
    `Expected at most ${limit.toLocaleString('en')} ${what} a month for this account but received more.`,
    { retryAfter },
  );
}

/** 429: the key's own limit. */
export function keyLimitExceeded(limit: number, retryAfter: number): Failure {
  return new Failure(
    'key_limit_exceeded',
    `Expected at most ${limit.toLocaleString('en')} requests a month for this key but received more.`,
    { retryAfter },
  );
}

/** 429: the day's requests of the account's test keys. */
export function testLimitExceeded(limit: number, retryAfter: number): Failure {
  return new Failure(
    'test_limit_exceeded',
    `Expected at most ${limit} requests a day for the test keys of this account but received more.`,
    { retryAfter },
  );
}

/** 403: what a test key may not do. */
export function testKeyNotAllowed(what: string): Failure {
  return new Failure('test_key_not_allowed', `Expected a live key for ${what} but received a test key.`);
}
