import assert from 'node:assert/strict';
import { type ErrorCode, Failure } from '../../base/failure.ts';

/** Returns the Failure that `work` throws. Fails if it throws nothing, another error or another code. */
export async function failureOf(code: ErrorCode, work: () => unknown): Promise<Failure> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    assert.equal(error.code, code, error.message);
    return error;
  }
  throw new assert.AssertionError({ message: `Expected a failure ${code} but there was none.` });
}
