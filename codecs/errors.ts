import { Failure } from '../base/failure.ts';

/** 422: the format was recognised but its bytes cannot be decoded. */
export function corruptImage(format: string, cause?: unknown): Failure {
  return new Failure(
    'corrupt_image',
    `Expected a readable ${format} file for image but received one that cannot be decoded.`,
    { param: 'image', cause },
  );
}

/** 415: the format is not one that the service reads. */
export function unsupportedFormat(recognised?: string): Failure {
  const received = recognised ? `${recognised}, which this service does not read` : 'bytes of an unknown format';
  return new Failure('unsupported_format', `Expected an image of a known format for image but received ${received}.`, {
    param: 'image',
  });
}

/** 413: more pixels, frames or memory than one request may use. */
export const imageTooLarge = (limit: string, received: string): Failure =>
  new Failure('image_too_large', `Expected at most ${limit} for image but received ${received}.`, {
    param: 'image',
  });

/** 422: the image cannot be written in this format. */
export const unsupportedOutput = (what: string, received: string): Failure =>
  new Failure('unsupported_output', `Expected ${what} for format but received ${received}.`, {
    param: 'format',
  });

/** 422: `page` is past the last page. */
export const pageOutOfRange = (page: number, pages: number): Failure =>
  new Failure('page_out_of_range', `Expected a page from 1 to ${pages} for page but received ${page}.`, {
    param: 'page',
  });

/** 422: the file is encrypted with a password that is not empty. */
export function passwordProtected(format: string): Failure {
  return new Failure(
    'password_protected',
    `Expected a ${format} without a password for image but received one that is protected.`,
    { param: 'image' },
  );
}

/** A decoder or an encoder needs more memory than there is. */
export const needsMoreMemory = (): Failure =>
  imageTooLarge('as much memory as one request may use', 'an image that needs more');
