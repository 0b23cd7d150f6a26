import { type ErrorCode, expected, Failure, type FailureDetails } from '../../base/failure.ts';

/**
 * A failure whose response is delayed, to slow down a client. Meanwhile the request holds nothing but its connection.
 */
export class DelayedFailure extends Failure {
  readonly answerAfter: Promise<void> | undefined;

  constructor(code: ErrorCode, message: string, details: FailureDetails & { answerAfter: Promise<void> | undefined }) {
    super(code, message, details);
    this.answerAfter = details.answerAfter;
  }
}

/** 404: no such path. */
export function pathNotFound(): Failure {
  return new Failure('not_found', 'Expected a path of this service for the request but received an unknown one.');
}

/** 405; the caller sets `Allow`. */
export const methodNotAllowed = (method: string, allowed: readonly string[]): Failure =>
  new Failure('method_not_allowed', expected(allowed.join(' or '), 'the method', method));

/** 400: HTTP, a multipart body or JSON that cannot be parsed. */
export const invalidRequest = (what: string, where: string, received: string, cause?: unknown): Failure =>
  new Failure('invalid_request', `Expected ${what} for ${where} but received ${received}.`, { cause });

/** 400: neither image bytes nor the URL of an image. */
export function missingImage(): Failure {
  return new Failure(
    'missing_image',
    'Expected image bytes, a multipart part "image" or a JSON object with "url" for the body but received none of them.',
    { param: 'image' },
  );
}

/** 413 */
export function fileTooLarge(limitBytes: number, param = 'image'): Failure {
  return new Failure(
    'file_too_large',
    `Expected at most ${limitBytes.toLocaleString('en')} bytes for ${param} but received more.`,
    { param },
  );
}

/** 408 */
export function uploadTimeout(seconds?: number): Failure {
  const limit = seconds === undefined ? 'in time' : `within ${seconds} seconds`;
  return new Failure('upload_timeout', `Expected the whole of it ${limit} for the request but received only a part.`);
}

/** 415 */
export const unsupportedEncoding = (encoding: string): Failure =>
  new Failure('unsupported_media_type', expected('no encoding', 'Content-Encoding', encoding));

/** 415: the endpoint accepts only one type. */
export const unsupportedMediaType = (wanted: string, received: string): Failure =>
  new Failure('unsupported_media_type', expected(wanted, 'Content-Type', received || undefined));

/** 429: the account has reached its limit of event streams. */
export function tooManyEventStreams(max: number): Failure {
  return new Failure(
    'rate_limited',
    `Expected at most ${max} open event streams for this account but received one more.`,
    { retryAfter: 10, hint: 'Close a stream first.' },
  );
}

/** 503: request bodies and results being sent fill the memory reserved for them. */
export function uploadsOverloaded(): Failure {
  return new Failure(
    'overloaded',
    'Expected free memory for this request but received more uploads and results at a time than the service can hold.',
    { retryAfter: 2 },
  );
}

/** 503: the process is draining. */
export function shuttingDown(): Failure {
  return new Failure(
    'shutting_down',
    'Expected a running service for this request but received it while the service was stopping.',
    { retryAfter: 5 },
  );
}

/** The client disconnected before its response, so no response is sent. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientGone';
}
