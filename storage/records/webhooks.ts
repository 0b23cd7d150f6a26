/** The secret that signs an account's webhooks. */
export interface WebhookSecret {
  accountId: string;
  secret: string;
  createdAt: string;
  previousSecret: string | null;
  previousValidUntil: string | null;
}

/** One event for one receiver. It is pending until it is accepted, finally refused, or out of attempts. */
export interface WebhookMessage {
  /** The `webhook-id` of every attempt. */
  id: string;
  accountId: string;
  /** null for a test. */
  jobId: string | null;
  url: string;
  /** The signed and sent body, the same for every attempt. */
  body: string;
  status: 'pending' | 'delivered' | 'failed' | 'stopped';
  attempts: number;
  lastStatus: number | null;
  lastAttemptAt: string | null;
  nextAttemptAt: string | null;
  createdAt: string;
}

/** One attempt to deliver a message. */
export interface WebhookDelivery {
  messageId: string;
  /** From 1. */
  attempt: number;
  at: string;
  status: number | null;
  durationMs: number;
  error: string | null;
}
