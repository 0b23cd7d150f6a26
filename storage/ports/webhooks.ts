import type { WebhookDelivery, WebhookMessage, WebhookSecret } from '../records/webhooks.ts';

export type NewSecret = Pick<WebhookSecret, 'accountId' | 'secret' | 'createdAt'>;

export type NewMessage = Pick<WebhookMessage, 'accountId' | 'jobId' | 'url' | 'body' | 'createdAt'> & { id?: string };

/** A message without its body. */
export type WebhookState = Omit<WebhookMessage, 'body'>;

export type DueMessage = Pick<WebhookMessage, 'id' | 'accountId' | 'url'>;

export type NewDelivery = Omit<WebhookDelivery, 'messageId' | 'attempt'>;

/** The state of a message after an attempt. */
export type AfterAttempt = Pick<WebhookMessage, 'status' | 'nextAttemptAt'>;

export interface Webhooks {
  /** The account's secret. If there is none, the given one is stored. */
  secret(secret: NewSecret): Promise<WebhookSecret>;
  /** Changes the account's secret. The previous one, if any, stays valid until the given time. */
  rotateSecret(secret: NewSecret, previousValidUntil: string): Promise<WebhookSecret>;
  /** Records a message that is due at once. */
  createMessage(message: NewMessage): Promise<void>;
  findMessage(id: string): Promise<WebhookMessage | undefined>;
  /** The messages of these jobs, in no particular order. */
  ofJobs(jobIds: readonly string[]): Promise<WebhookState[]>;
  /** Pending messages whose next attempt is due, longest overdue first. */
  due(now: string): Promise<DueMessage[]>;
  /** The time when the next pending message becomes due. */
  nextDueAfter(now: string): Promise<string | undefined>;
  /**
   * Records an attempt and the resulting state. A message that was restarted during the attempt stays due. Must be
   * called in a transaction.
   * @param message the message as it was when the attempt began
   */
  recordAttempt(message: WebhookState, delivery: NewDelivery, after: AfterAttempt): Promise<void>;
  /** Restarts the attempts, due at once. False when the job has no message. */
  restart(jobId: string, now: string): Promise<boolean>;
  /** The attempts for a job, in order. */
  deliveriesOf(jobId: string): Promise<WebhookDelivery[]>;
  /** Deletes the messages created at or before `time` that are no longer pending, with their deliveries. */
  forget(time: string): Promise<void>;
}
