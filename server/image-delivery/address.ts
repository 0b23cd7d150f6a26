/**
 * The address of an image: `/i/{signature}/{options}/{source}`. It is read as the client sent it, because the signature
 * is of these characters: nothing is decoded before it is verified.
 */
import { invalidRequest } from '../http/errors.ts';
import { signatureMissing } from './errors.ts';

const PREFIX = '/i/';
/** Takes the place of a signature in an address without one. */
export const UNSIGNED = 'unsigned';
/** Takes the place of the options of an address that has none. */
const NO_OPTIONS = '-';

const MAX_ADDRESS_LENGTH = 8192;

export interface ImageAddress {
  /** `key.signature`; undefined for an address without one. */
  signature: string | undefined;
  /** The part that is signed: `/{options}/{source}`. */
  signed: string;
  /** `name:value` pairs, separated by commas, not decoded. */
  options: string;
  /** Not decoded. */
  source: string;
}

/**
 * Splits the address of a request.
 * @param target the request target without its query
 * @throws Failure 400 `invalid_request`, 403 `invalid_signature`
 */
export function parseAddress(target: string): ImageAddress {
  if (target.length > MAX_ADDRESS_LENGTH)
    throw invalidRequest(`at most ${MAX_ADDRESS_LENGTH} characters`, 'the address', `${target.length}`);
  const rest = target.slice(PREFIX.length);
  const afterSignature = rest.indexOf('/');
  const afterOptions = rest.indexOf('/', afterSignature + 1);
  const [signature, options, source] = [
    rest.slice(0, Math.max(0, afterSignature)),
    rest.slice(afterSignature + 1, Math.max(0, afterOptions)),
    rest.slice(afterOptions + 1),
  ];
  if (afterSignature < 1 || afterOptions < 0 || options === '' || source === '') throw signatureMissing();
  return {
    signature: signature === UNSIGNED ? undefined : signature,
    signed: rest.slice(afterSignature),
    options: options === NO_OPTIONS ? '' : options,
    source,
  };
}
