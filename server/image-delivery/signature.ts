/**
 * Signatures of addresses: HMAC-SHA-256 over `/{options}/{source}`. The secret is the SHA-256 of an API key, which is
 * what the service stores of it; the id of the key says which one. A key is replaced by creating another one and
 * revoking it later: until then both sign.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../http/context.ts';
import { wrongSignature } from './errors.ts';

/** `key.signature`: the id of a key and 32 bytes in base64url. */
const SIGNATURE = /^(key_[0-9A-Z]{26})[.]([A-Za-z0-9_-]{43})$/;

/**
 * Finds the key that a signature names, and checks the signature.
 * @param find returns the caller of a key that may be used
 * @throws Failure 403 `invalid_signature`
 */
export async function verifySignature(
  signature: string,
  signed: string,
  find: (keyId: string) => Promise<Caller | undefined>,
): Promise<Caller> {
  const [, keyId, received] = SIGNATURE.exec(signature) ?? [];
  if (keyId === undefined || received === undefined) throw wrongSignature();
  const caller = await find(keyId);
  // The texts are compared: several texts in base64url may stand for the same bytes.
  const correct = Buffer.from(signatureOf(caller?.key.hash ?? '', signed));
  const isCorrect = timingSafeEqual(correct, Buffer.from(received));
  if (!caller || !isCorrect) throw wrongSignature();
  return caller;
}

const signatureOf = (hash: string, signed: string): string =>
  createHmac('sha256', Buffer.from(hash, 'hex')).update(signed).digest('base64url');
