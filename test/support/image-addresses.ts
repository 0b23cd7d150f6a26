/** Signs addresses of images independently of the client, so that the tests of the service check that too. */
import { createHash, createHmac } from 'node:crypto';

export interface AddressKey {
  id: string;
  /** The key itself. */
  text: string;
}

/** @param signed `/{options}/{source}` as it will be in the address */
export function signedAddress({ id, text }: AddressKey, signed: string): string {
  const secret = createHash('sha256').update(text).digest();
  return `/i/${id}.${createHmac('sha256', secret).update(signed).digest('base64url')}${signed}`;
}
