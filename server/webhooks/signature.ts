/** Signatures of Standard Webhooks 1.0.0, the symmetric kind (https://www.standardwebhooks.com, "Signature scheme"). */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** Of 24 to 64 that the standard allows. */
const SECRET_BYTES = 32;

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

export interface Signed {
  /** The message, at every attempt the same. */
  id: string;
  /** Of the attempt, in milliseconds. */
  time: number;
  /** Exactly as it is sent. */
  body: string;
}

/**
 * The three headers by which a receiver knows that a message is ours and new.
 * @param secrets one signature for each: while a secret is being changed, receivers know the one or the other
 */
export function signatureHeaders({ id, time, body }: Signed, secrets: readonly string[]): Record<string, string> {
  const seconds = Math.floor(time / 1000);
  const signatures = secrets.map((secret) => sign(`${id}.${seconds}.${body}`, secret));
  return { 'webhook-id': id, 'webhook-timestamp': `${seconds}`, 'webhook-signature': signatures.join(' ') };
}

function sign(text: string, secret: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}
