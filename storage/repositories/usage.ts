import type { Kysely, Selectable } from 'kysely';
import { prepared } from '../prepared.ts';
import type { Tables, UsageTable } from '../schema.ts';

/** The usage of one operation by an account in a month. */
export type OperationUsage = Selectable<UsageTable>;

export type UsageId = Pick<OperationUsage, 'accountId' | 'month' | 'operation'>;
export type UsageAmounts = Omit<OperationUsage, keyof UsageId>;

const add = prepared(
  (db, { accountId, month, operation, requests, ai, bytesIn, bytesOut, failed }: UsageId & UsageAmounts) =>
    db
      .insertInto('usage')
      .values({ accountId, month, operation, requests, ai, bytesIn, bytesOut, failed })
      .onConflict((conflict) =>
        conflict.columns(['accountId', 'month', 'operation']).doUpdateSet(({ eb, ref }) => ({
          requests: eb('usage.requests', '+', ref('excluded.requests')),
          ai: eb('usage.ai', '+', ref('excluded.ai')),
          bytesIn: eb('usage.bytesIn', '+', ref('excluded.bytesIn')),
          bytesOut: eb('usage.bytesOut', '+', ref('excluded.bytesOut')),
          failed: eb('usage.failed', '+', ref('excluded.failed')),
        })),
      ),
);

export class Usage {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(id: UsageId, amounts: UsageAmounts): Promise<void> {
    await add(this.#db, { ...id, ...amounts });
  }

  /** The usage of a month, ordered by operation name. */
  async ofMonth(accountId: string, month: string): Promise<OperationUsage[]> {
    return await this.#db
      .selectFrom('usage')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('month', '=', month)
      .orderBy('operation')
      .execute();
  }
}
