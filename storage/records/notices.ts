/**
 * A notice that a certain share of a month's allowance has been used. It is pending until `sentAt` is set.
 */
export interface Notice {
  accountId: string;
  month: string;
  meter: 'requests' | 'ai';
  /** In percent of the limit. */
  threshold: number;
  /** The usage when the threshold was passed. */
  used: number;
  limit: number;
  createdAt: string;
  attempts: number;
  nextAttemptAt: string;
  sentAt: string | null;
  channel: 'email' | 'log' | null;
}
