import { expected, Failure } from '../../base/failure.ts';

/** 404: no such job, or a job of another account. */
export const jobNotFound = (id: string): Failure =>
  new Failure('not_found', expected('the id of a job', 'id', id), { param: 'id' });

/** 429: the account has reached its limit of waiting jobs. */
export function tooManyJobs(most: number): Failure {
  return new Failure('too_many_jobs', `Expected at most ${most} waiting jobs for this account but received one more.`, {
    retryAfter: RETRY_SECONDS,
  });
}

/** A job of a few images takes seconds. */
const RETRY_SECONDS = 10;

/** 409: the first request with this key is still being accepted. */
export function idempotencyInProgress(): Failure {
  return new Failure(
    'idempotency_in_progress',
    'Expected a request whose Idempotency-Key is not in use but the first with this key is still being accepted.',
    { param: 'Idempotency-Key' },
  );
}

/** 422: another request was sent with this key. */
export function idempotencyKeyReused(): Failure {
  return new Failure(
    'idempotency_key_reused',
    'Expected the request that this Idempotency-Key was first sent with but received a different one.',
    { param: 'Idempotency-Key' },
  );
}

/** For an item: its upload has expired. */
export const sourceExpired = (): Failure =>
  new Failure('expired', 'Expected an upload not older than one hour but its hour had passed before its turn.');

/** For an item: its image may be what crashes the process. */
export function interrupted(times: number): Failure {
  return new Failure(
    'interrupted',
    `The service stopped ${times} times while it worked on this image. It was not charged. Send it again in a new job; if that fails too, send another file.`,
  );
}

/** For an item or a job: its account is disabled. */
export const accountDisabled = (): Failure =>
  new Failure('invalid_key', 'Expected an account that is not disabled but received a job of one that is.');

/** 400: a job without an image. @param expectation what `param` must be */
export const jobWithoutImages = (expectation: string, param: string, received: unknown): Failure =>
  new Failure('missing_image', expected(expectation, param, received), {
    param,
    hint: 'Send addresses as the JSON field `inputs`, as in {"inputs": [{"url": "https://example.com/photo.jpg"}]}, or the images themselves as the parts image, image_1 and so on of a form.',
  });

/** 400: more images than the plan allows for one job. @param received their number, or what there was beyond it */
export const tooManyImages = (most: number, received: number | string): Failure =>
  new Failure('too_many_images', `Expected at most ${most} images for a job but received ${received}.`);

/** 413: the files of a job are too large in total. */
export const uploadsTooLarge = (most: number): Failure =>
  new Failure('file_too_large', `Expected at most ${most} bytes for all files of a job but received more.`);

/** 409: the job has not ended. */
export const jobStillRuns = (status: string): Failure =>
  new Failure('invalid_state', expected('a job that has ended', 'id', `one that is ${status}`), { param: 'id' });

/** 409: the job has no results to put into a ZIP. */
export function jobWithoutResults(): Failure {
  return new Failure(
    'invalid_state',
    'Expected a job with results for id but received one of which no image succeeded.',
    {
      param: 'id',
    },
  );
}
