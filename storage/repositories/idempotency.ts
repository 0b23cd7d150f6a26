import type { Kysely, Selectable } from 'kysely';
import type { IdempotencyKeyTable, Tables } from '../schema.ts';

/** A request that must not be performed twice, and the job that it created. */
export type IdempotentRequest = Selectable<IdempotencyKeyTable>;

export class IdempotencyKeys {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Stores a request. Replaces an expired one with the same key that has not been deleted yet. */
  async insert(request: IdempotentRequest): Promise<void> {
    const { requestHash, jobId, createdAt } = request;
    await this.#db
      .insertInto('idempotencyKeys')
      .values(request)
      .onConflict((conflict) => conflict.columns(['accountId', 'key']).doUpdateSet({ requestHash, jobId, createdAt }))
      .execute();
  }

  /** The request that an account sent with this key after `time`. */
  async find(accountId: string, key: string, time: string): Promise<IdempotentRequest | undefined> {
    return await this.#db
      .selectFrom('idempotencyKeys')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('key', '=', key)
      .where('createdAt', '>', time)
      .executeTakeFirst();
  }

  /** Deletes the requests sent at or before `time`. */
  async forget(time: string): Promise<void> {
    await this.#db.deleteFrom('idempotencyKeys').where('createdAt', '<=', time).execute();
  }
}
