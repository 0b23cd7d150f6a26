import type { NewNotice, NoticeId, Notices } from '../../ports/notices.ts';
import type { Notice } from '../../records/notices.ts';
import { Repository } from '../repository.ts';

export class SqlNotices extends Repository implements Notices {
  async create(notice: NewNotice): Promise<boolean> {
    const row = await this.db
      .insertInto('notices')
      .values({ ...notice, nextAttemptAt: notice.createdAt, sentAt: null, channel: null })
      .onConflict((conflict) => conflict.columns(['accountId', 'month', 'meter', 'threshold']).doNothing())
      .returning('accountId')
      .executeTakeFirst();
    return row !== undefined;
  }

  async due(now: string): Promise<Notice[]> {
    return await this.db
      .selectFrom('notices')
      .selectAll()
      .where('sentAt', 'is', null)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('notices as due')
            .select('due.threshold')
            .whereRef('due.accountId', '=', 'notices.accountId')
            .whereRef('due.month', '=', 'notices.month')
            .whereRef('due.meter', '=', 'notices.meter')
            .where('due.sentAt', 'is', null)
            .where('due.nextAttemptAt', '<=', now),
        ),
      )
      .orderBy('createdAt')
      .orderBy('threshold')
      .execute();
  }

  async markSent(id: NoticeId, sentAt: string, channel: 'email' | 'log'): Promise<void> {
    await this.#update(id, { sentAt, channel });
  }

  async postpone(id: NoticeId, attempts: number, nextAttemptAt: string): Promise<void> {
    await this.#update(id, { attempts, nextAttemptAt });
  }

  async sentInMonth(accountId: string, month: string): Promise<Notice[]> {
    return await this.db
      .selectFrom('notices')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('month', '=', month)
      .where('sentAt', 'is not', null)
      .orderBy('sentAt')
      .orderBy('meter')
      .orderBy('threshold')
      .execute();
  }

  async #update({ accountId, month, meter, threshold }: NoticeId, changes: Partial<Notice>): Promise<void> {
    await this.db
      .updateTable('notices')
      .set(changes)
      .where('accountId', '=', accountId)
      .where('month', '=', month)
      .where('meter', '=', meter)
      .where('threshold', '=', threshold)
      .execute();
  }
}
