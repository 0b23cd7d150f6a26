import type { Kysely, Selectable } from 'kysely';
import type { IdempotencyKeyTable, Tables } from '../schema.ts';

/** A request that is not to be done twice, and the job that it has made. */
export type IdempotentRequest = Selectable<IdempotencyKeyTable>;

export class IdempotencyKeys {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Keeps a request; a forgotten one with the same key that is still there makes way. */
  async insert(request: IdempotentRequest): Promise<void> {
    const { requestHash, jobId, createdAt } = request;
    await this.#db
      .insertInto('idempotencyKeys')
      .values(request)
      .onConflict((conflict) => conflict.columns(['accountId', 'key']).doUpdateSet({ requestHash, jobId, createdAt }))
      .execute();
  }

  /** The request that an account has sent with the key after `time`. */
  async find(accountId: string, key: string, time: string): Promise<IdempotentRequest | undefined> {
    return await this.#db
      .selectFrom('idempotencyKeys')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('key', '=', key)
      .where('createdAt', '>', time)
      .executeTakeFirst();
  }

  /** Forgets the requests sent at or before `time`. */
  async forget(time: string): Promise<void> {
    await this.#db.deleteFrom('idempotencyKeys').where('createdAt', '<=', time).execute();
  }
}
