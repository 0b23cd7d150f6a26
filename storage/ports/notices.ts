import type { Notice } from '../records/notices.ts';

export type NoticeId = Pick<Notice, 'accountId' | 'month' | 'meter' | 'threshold'>;

export type NewNotice = Pick<Notice, keyof NoticeId | 'used' | 'limit' | 'createdAt'>;

export interface Notices {
  /** Records a notice that is due at once. False when the month already had it. */
  create(notice: NewNotice): Promise<boolean>;
  /**
   * Pending notices whose next attempt is due, oldest first, together with all pending ones of the same meter and
   * month, because these are sent in order.
   */
  due(now: string): Promise<Notice[]>;
  markSent(id: NoticeId, sentAt: string, channel: 'email' | 'log'): Promise<void>;
  /** Records a failed attempt. */
  postpone(id: NoticeId, attempts: number, nextAttemptAt: string): Promise<void>;
  /** The notices of a month that were sent, in the order of sending. */
  sentInMonth(accountId: string, month: string): Promise<Notice[]>;
}
