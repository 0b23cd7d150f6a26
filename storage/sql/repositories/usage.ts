import type { Usage, UsageAmounts, UsageId } from '../../ports/usage.ts';
import type { OperationUsage } from '../../records/usage.ts';
import { prepared } from '../prepared.ts';
import { Repository } from '../repository.ts';

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

export class SqlUsage extends Repository implements Usage {
  async add(id: UsageId, amounts: UsageAmounts): Promise<void> {
    await add(this.db, { ...id, ...amounts });
  }

  async ofMonth(accountId: string, month: string): Promise<OperationUsage[]> {
    return await this.db
      .selectFrom('usage')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('month', '=', month)
      .orderBy('operation')
      .execute();
  }
}
