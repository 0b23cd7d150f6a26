/** What can go wrong between the service and the store, and how it is said. */
import { Failure } from '../../base/failure.ts';
import { describeNetworkError } from '../../base/http-request.ts';
import { storageFull } from '../errors.ts';
import type { S3Settings } from './settings.ts';

/** The store has answered with an error. Holds nothing of its text, which may repeat the key and the signature. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly status: number;
  /** Such as `NoSuchKey`; `http_403` if the answer names none. */
  readonly code: string;
  /** The region that the store expects, if it says so. */
  readonly region: string | undefined;

  /** @param asked what was asked, such as `PUT files/file_01` */
  constructor(asked: string, status: number, code = `http_${status}`, region?: string) {
    super(`S3 answered ${asked} with ${status} ${code}`);
    this.status = status;
    this.code = code;
    this.region = region;
  }
}

const TEMPORARY_CODES: ReadonlySet<string> = new Set([
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
]);

const FULL_CODES: ReadonlySet<string> = new Set(['InsufficientStorage', 'QuotaExceeded', 'XMinioStorageFull']);

const isFull = (error: unknown): boolean =>
  error instanceof S3Error && (error.status === 507 || FULL_CODES.has(error.code));

/** Whether the same request may succeed later: the store is overloaded, or was not reached. */
export const isTemporary = (error: unknown): boolean =>
  !(error instanceof S3Error) ||
  (!isFull(error) &&
    (TEMPORARY_CODES.has(error.code) || error.status === 429 || (error.status >= 500 && error.status !== 501)));

/** There is no such object. A missing bucket is another error. */
export const isMissing = (error: unknown): boolean =>
  error instanceof S3Error && error.status === 404 && error.code !== 'NoSuchBucket' && error.code !== 'NoSuchUpload';

/** Seconds after which a client should repeat a request that the store did not answer. */
const RETRY_AFTER = 5;

/**
 * What the service throws when the last attempt has failed: `overloaded` if it is worth trying again, so that jobs and
 * scans do; `storage_full`; or the error itself, which is for the log.
 */
export function lastError(error: unknown): unknown {
  if (isFull(error)) return storageFull(error);
  if (!isTemporary(error)) return error;
  return new Failure('overloaded', 'Expected an answer of the store of files but it does not answer now.', {
    retryAfter: RETRY_AFTER,
    cause: error,
  });
}

/** For the operator: what is wrong, and the setting that can be changed. Contains no secret. */
export function s3Fault(error: unknown, { bucket, bucketUrl, region }: S3Settings): string {
  const { host } = new URL(bucketUrl);
  const cause = error instanceof Failure ? error.cause : error;
  if (!(cause instanceof S3Error))
    return `Expected an S3 store at ${host} (IC_S3_ENDPOINT) but received ${describeNetworkError(cause)}.`;
  switch (cause.code) {
    case 'NoSuchBucket':
      return `Expected a bucket that exists in IC_STORAGE_URL but ${host} has no ${bucket}.`;
    case 'InvalidAccessKeyId':
      return `Expected a key that ${host} knows for AWS_ACCESS_KEY_ID but it does not know this one.`;
    case 'SignatureDoesNotMatch':
      return `Expected a key and its secret for AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY but ${host} refuses the signature. Check IC_S3_REGION (${region}) too.`;
    case 'ExpiredToken':
    case 'InvalidToken':
      return `Expected a session token that is valid for AWS_SESSION_TOKEN but ${host} refuses it (${cause.code}).`;
    case 'RequestTimeTooSkewed':
      return `Expected the clock of this machine to agree with that of ${host} but they are too far apart.`;
    case 'AuthorizationHeaderMalformed':
    case 'PermanentRedirect':
    case 'TemporaryRedirect':
      return `Expected the region of ${bucket} for IC_S3_REGION but received "${region}"${cause.region === undefined ? '' : `; ${host} names ${cause.region}`}.`;
    case 'AccessDenied':
    case 'http_403':
      return `Expected the right to list, read, write and delete objects of ${bucket} for AWS_ACCESS_KEY_ID but ${host} refuses it: ${cause.message}.`;
    default:
      return `Expected a store that takes files at ${host} but received an error: ${cause.message}.`;
  }
}
