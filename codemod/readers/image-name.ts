import { hasImageExtension, hasNonImageExtension, MAX_ADDRESS_LENGTH } from '../../web-documents/address.ts';
import { percentEncode } from './embedded-source.ts';

const NON_ADDRESS_CHARACTERS = /[<>"|*]|[^ -\uffff]/g;
const NON_ADDRESS_CHARACTER = /[<>"|*]|[^ -\uffff]/;
const STYLE = /^(?:url|(?:-webkit-)?image-set)\(/i;
const ABSOLUTE = /^https?:\/\/[^\s/]+\/\S/i;

/** Whether a text is the URL or path of an image, or a URL without a known other extension. */
export function namesImage(text: string): boolean {
  const address = text.trim();
  if (
    address === '' ||
    address.length > MAX_ADDRESS_LENGTH ||
    NON_ADDRESS_CHARACTER.test(address) ||
    STYLE.test(address)
  )
    return false;
  if (hasImageExtension(address)) return !/^\.[a-z\d]+$/i.test(address);
  return ABSOLUTE.test(address) && !hasNonImageExtension(address);
}

/** Percent-encodes the characters that {@link namesImage} rejects, so that the address is found again. */
export const encodeImageName = (address: string): string => percentEncode(address, NON_ADDRESS_CHARACTERS);
