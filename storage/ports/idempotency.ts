import type { IdempotentRequest } from '../records/jobs.ts';

export interface IdempotencyKeys {
  /** Stores a request. Replaces an expired one with the same key that has not been deleted yet. */
  insert(request: IdempotentRequest): Promise<void>;
  /** The request that an account sent with this key after `time`. */
  find(accountId: string, key: string, time: string): Promise<IdempotentRequest | undefined>;
  /** Deletes the requests sent at or before `time`. */
  forget(time: string): Promise<void>;
}
