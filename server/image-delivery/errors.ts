import { expected, Failure } from '../../base/failure.ts';

/** 403: the signature is not that of the address. The message does not say what is wrong with it. */
export const wrongSignature = (): Failure =>
  new Failure('invalid_signature', 'Expected the signature of this address but received another one.', {
    param: 'signature',
  });

/** 403: the address does not have the parts of a signed one. */
export const signatureMissing = (): Failure =>
  new Failure('invalid_signature', 'Expected /i/SIGNATURE/OPTIONS/SOURCE for the address but received fewer parts.', {
    param: 'signature',
  });

/** 403: addresses without a signature are not served, or not this one. */
export const unsignedNotAllowed = (what: string): Failure =>
  new Failure('invalid_signature', `Expected a signed address for ${what} but received one without a signature.`, {
    param: 'signature',
  });

/** 410: `exp` has passed. */
export const addressExpired = (): Failure =>
  new Failure('expired', 'Expected a time in the future for expires but received one in the past.', {
    param: 'expires',
    hint: 'Sign the address again, with a later time.',
  });

/** 400: the operator has not listed the host or the folder. */
export const sourceNotAllowed = (what: string): Failure =>
  new Failure('url_not_allowed', expected('a source that the operator has allowed', 'source', what), {
    param: 'source',
  });

/** 404: the image was removed from the cache while it was being sent. */
export const imageRemoved = (): Failure =>
  new Failure('not_found', 'Expected an image in the cache for this address but it has just been removed.', {
    hint: 'Send the request again.',
  });

/** 404: there is no such file in a folder of IC_SOURCES. */
export const sourceNotFound = (): Failure =>
  new Failure('not_found', 'Expected the path of a file for source but received one that does not exist.', {
    param: 'source',
  });
