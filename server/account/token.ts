/** Tokens that the operator sets in the environment: of the metrics and of the admin endpoints. */
import { missingToken, wrongToken } from './errors.ts';
import { hashKey, sameHash } from './keys.ts';

/** What an Authorization header bears, or undefined. */
export function bearerOf(authorization: string): string | undefined {
  return /^bearer +(.+)$/i.exec(authorization.trim())?.[1];
}

/**
 * @param authorization value of the header
 * @param token what it must bear; undefined lets nobody in
 * @throws Failure 401 `missing_key` or `invalid_key`
 */
export function checkToken(authorization: string, token: string | undefined): void {
  const sent = bearerOf(authorization);
  if (sent === undefined) throw missingToken();
  // By their hashes: the time must not tell how long the token is either.
  if (token === undefined || !sameHash(hashKey(sent), hashKey(token))) throw wrongToken();
}
