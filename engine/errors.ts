import { Failure } from '../base/failure.ts';

/** 503: the queue is full. `retryAfter` in seconds. */
export function overloaded(retryAfter: number): Failure {
  return new Failure(
    'overloaded',
    'Expected free capacity for this request but received more work than the service can queue. Try again later.',
    {
      retryAfter,
    },
  );
}

/** 503: the process is draining. */
export function shuttingDown(): Failure {
  return new Failure(
    'shutting_down',
    'Expected a running service for this request but received it while the service was stopping. Try again later.',
    {
      retryAfter: 5,
    },
  );
}

/** 504: the task took more processor time than its operation may, or waited for ever. */
export function processingTimeout(seconds: number): Failure {
  return new Failure(
    'processing_timeout',
    `Expected processing to take at most ${seconds} seconds for this request but received more work than that.`,
  );
}

/** 500: our fault. The cause is for the log. */
export function internalError(cause: unknown): Failure {
  return new Failure(
    'internal_error',
    'Expected to process this request but received an unexpected error of our own. It has been logged.',
    { cause },
  );
}

/** What `run` throws when its caller's signal fired. Nobody waits for this answer. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}
