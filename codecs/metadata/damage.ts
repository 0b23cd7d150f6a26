/**
 * Tolerance of damage: a request never fails because of metadata. Damaged blocks are read as far as possible, or
 * dropped.
 */
import { Failure } from '../../base/failure.ts';

/** Returns the result of `work`, or undefined when the bytes cannot be parsed. */
export function tryParse<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Returns what `collect` put into `found` before it met damage. */
export function collectUntilDamage<T>(found: T, collect: (found: T) => void): T {
  tryParse(() => collect(found));
  return found;
}
