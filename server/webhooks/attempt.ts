/** One attempt to deliver a webhook (docs/spec/shapes.md, section 11, "Delivery"). */
import { Failure } from '../../base/failure.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Database } from '../../storage/ports/database.ts';
import type { NewDelivery } from '../../storage/ports/webhooks.ts';
import type { WebhookMessage } from '../../storage/records/webhooks.ts';
import type { Config } from '../config.ts';
import type { Outgoing } from '../http/outgoing.ts';
import { checkWebhookUrl } from './address.ts';
import { statusNotTaken } from './errors.ts';
import { newSecret, signatureHeaders } from './signature.ts';

const ATTEMPT_TIMEOUT_MS = 15_000;
const USER_AGENT = 'Imagecrew-Webhooks/1';

/** Enough for any response that a receiver sends by default. Its content is ignored. */
const MAX_RESPONSE_BYTES = 64 * 1024;

const MAX_RETRY_AFTER_MS = 600_000;

export interface AttemptOptions {
  database: Database;
  config: Pick<Config, 'allowHttpWebhooks' | 'allowPrivateAddresses'>;
  outgoing: Outgoing;
  /** Returns the current time in milliseconds. */
  now: () => number;
}

export type Message = Pick<WebhookMessage, 'id' | 'accountId' | 'url' | 'body'>;

export interface Attempt extends NewDelivery {
  /** The wait that the receiver asked for, in milliseconds. */
  retryAfterMs: number;
}

/**
 * Signs a message and sends it once.
 * @returns the outcome; the message was delivered if `error` is null
 * @throws the reason of `signal`
 */
export type MakeAttempt = (message: Message, signal?: AbortSignal) => Promise<Attempt>;

export function createAttempts({ database, config, outgoing, now }: AttemptOptions): MakeAttempt {
  return async (message, signal) => {
    const started = now();
    const secrets = await secretsOf(database, message.accountId, started);
    const answer = await post(message, signatureHeaders({ ...message, time: started }, secrets), signal);
    const durationMs = Math.max(0, Math.round(now() - started));
    return { at: timestamp(started), durationMs, ...answer };
  };

  async function post(
    { url, body }: Message,
    signature: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<Pick<Attempt, 'status' | 'error' | 'retryAfterMs'>> {
    try {
      // Checked at each attempt, because the settings may have changed since the job was created.
      const { status, retryAfter } = await outgoing.post(checkWebhookUrl(url, config), Buffer.from(body), {
        headers: { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...signature },
        timeoutMs: ATTEMPT_TIMEOUT_MS,
        maxAnswerBytes: MAX_RESPONSE_BYTES,
        ...(signal ? { signal } : {}),
      });
      const error = status >= 200 && status <= 299 ? null : statusNotTaken(status).message;
      return { status, error, retryAfterMs: parseRetryAfter(retryAfter, now()) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { status: null, error: error.message, retryAfterMs: 0 };
    }
  }
}

/**
 * Returns the secrets to sign with: the account's secret, created on first use, and the previous one while it is valid.
 */
async function secretsOf({ webhooks }: Database, accountId: string, time: number): Promise<string[]> {
  const now = timestamp(time);
  const { secret, previousSecret, previousValidUntil } = await webhooks.secret({
    accountId,
    secret: newSecret(),
    createdAt: now,
  });
  const isValid = previousSecret !== null && previousValidUntil !== null && previousValidUntil > now;
  return isValid ? [secret, previousSecret] : [secret];
}

/** Parses a Retry-After header: seconds or a date (RFC 9110, section 10.2.3). */
function parseRetryAfter(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  const wait = /^[0-9]+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(0, wait), MAX_RETRY_AFTER_MS);
}
