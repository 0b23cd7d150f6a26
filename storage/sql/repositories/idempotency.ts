import type { IdempotencyKeys } from '../../ports/idempotency.ts';
import type { IdempotentRequest } from '../../records/jobs.ts';
import { Repository } from '../repository.ts';

export class SqlIdempotencyKeys extends Repository implements IdempotencyKeys {
  async insert(request: IdempotentRequest): Promise<void> {
    const { requestHash, jobId, createdAt } = request;
    await this.db
      .insertInto('idempotencyKeys')
      .values(request)
      .onConflict((conflict) => conflict.columns(['accountId', 'key']).doUpdateSet({ requestHash, jobId, createdAt }))
      .execute();
  }

  async find(accountId: string, key: string, time: string): Promise<IdempotentRequest | undefined> {
    return await this.db
      .selectFrom('idempotencyKeys')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('key', '=', key)
      .where('createdAt', '>', time)
      .executeTakeFirst();
  }

  async forget(time: string): Promise<void> {
    await this.db.deleteFrom('idempotencyKeys').where('createdAt', '<=', time).execute();
  }
}
