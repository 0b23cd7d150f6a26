/** Checks tokens that the operator sets in the environment, for the metrics and the admin endpoints. */
import { missingToken, wrongToken } from './errors.ts';
import { hashKey, sameHash } from './keys.ts';

/** Returns the bearer token of an Authorization header, or undefined. */
export const parseBearerToken = (authorization: string): string | undefined =>
  /^bearer +(.+)$/i.exec(authorization.trim())?.[1];

/**
 * Checks the token of a request.
 * @param authorization value of the header
 * @param token expected token; undefined refuses every request
 * @throws Failure 401 `missing_key` or `invalid_key`
 */
export function checkToken(authorization: string, token: string | undefined): void {
  const sent = parseBearerToken(authorization);
  if (sent === undefined) throw missingToken();
  // Hashes are compared so that the time does not reveal the length of the token either.
  if (token === undefined || !sameHash(hashKey(sent), hashKey(token))) throw wrongToken();
}
