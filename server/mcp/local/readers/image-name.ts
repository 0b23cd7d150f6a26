import { hasImageExtension, hasOtherExtension, LONGEST_ADDRESS } from '../../../../engine/documents/address.ts';
import { percentEncode } from './layer.ts';

const NO_ADDRESSES = /[<>"|*]|[^ -\uffff]/g;
const NO_ADDRESS = /[<>"|*]|[^ -\uffff]/;
const STYLE = /^(?:url|(?:-webkit-)?image-set)\(/i;
const ABSOLUTE = /^https?:\/\/[^\s/]+\/\S/i;

/** Whether a text is the URL or path of an image, or a URL without a known other extension. */
export function namesImage(text: string): boolean {
  const address = text.trim();
  if (address === '' || address.length > LONGEST_ADDRESS || NO_ADDRESS.test(address) || STYLE.test(address))
    return false;
  if (hasImageExtension(address)) return !/^\.[a-z\d]+$/i.test(address);
  return ABSOLUTE.test(address) && !hasOtherExtension(address);
}

/** Percent-encodes the characters that {@link namesImage} rejects, so that the address is found again. */
export function imageName(address: string): string {
  return percentEncode(address, NO_ADDRESSES);
}
