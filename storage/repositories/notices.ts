import type { Kysely, Selectable } from 'kysely';
import type { NoticeTable, Tables } from '../schema.ts';

/** A notice that a certain share of a month's allowance has been used. It is pending until `sentAt` is set. */
export type Notice = Selectable<NoticeTable>;

export type NoticeId = Pick<Notice, 'accountId' | 'month' | 'meter' | 'threshold'>;
export type NewNotice = Pick<Notice, keyof NoticeId | 'used' | 'limit' | 'createdAt'>;

export class Notices {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Records a notice that is due at once. False when the month already had it. */
  async create(notice: NewNotice): Promise<boolean> {
    const row = await this.#db
      .insertInto('notices')
      .values({ ...notice, nextAttemptAt: notice.createdAt, sentAt: null, channel: null })
      .onConflict((conflict) => conflict.columns(['accountId', 'month', 'meter', 'threshold']).doNothing())
      .returning('accountId')
      .executeTakeFirst();
    return row !== undefined;
  }

  /**
   * Pending notices whose next attempt is due, oldest first, together with all pending ones of the same meter and
   * month, because these are sent in order.
   */
  async due(now: string): Promise<Notice[]> {
    return await this.#db
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

  /** Records a failed attempt. */
  async postpone(id: NoticeId, attempts: number, nextAttemptAt: string): Promise<void> {
    await this.#update(id, { attempts, nextAttemptAt });
  }

  /** The notices of a month that were sent, in the order of sending. */
  async sentInMonth(accountId: string, month: string): Promise<Notice[]> {
    return await this.#db
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
    await this.#db
      .updateTable('notices')
      .set(changes)
      .where('accountId', '=', accountId)
      .where('month', '=', month)
      .where('meter', '=', meter)
      .where('threshold', '=', threshold)
      .execute();
  }
}
