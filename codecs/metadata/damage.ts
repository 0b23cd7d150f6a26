/** Metadata are never worth a failed request: what is damaged is read as far as it goes, or given up. */
import { Failure } from '../../base/failure.ts';

/** The result of `work`, or undefined when the bytes cannot be understood. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** What `collect` put into `found` before it met damage. */
export function tolerate<T>(found: T, collect: (found: T) => void): T {
  attempt(() => collect(found));
  return found;
}
