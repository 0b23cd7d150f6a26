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

/** 504: the task took more processor time than its operation may, or waited indefinitely. */
export function processingTimeout(seconds: number): Failure {
  return new Failure(
    'processing_timeout',
    `Expected processing to take at most ${seconds} seconds for this request but received more work than that.`,
  );
}

/** 500: a bug or fault of the service. The cause is for the log. */
export function internalError(cause: unknown): Failure {
  return new Failure(
    'internal_error',
    'Expected to process this request but received an unexpected error of our own. It has been logged.',
    { cause },
  );
}

/** Thrown by `run` when the caller's signal fired. No client receives it. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}
