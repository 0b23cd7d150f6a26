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
