/** Signatures of Standard Webhooks 1.0.0, symmetric (https://www.standardwebhooks.com, "Signature scheme"). */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** The standard allows 24 to 64. */
const SECRET_BYTES = 32;

/** Creates a secret: `whsec_` and 32 random bytes in base64. */
export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

export interface Signed {
  /** Id of the message, the same at every attempt. */
  id: string;
  /** Time of the attempt, in milliseconds. */
  time: number;
  /** The body exactly as it is sent. */
  body: string;
}

/**
 * Creates the three headers that let a receiver verify that a message is authentic and recent.
 * @param secrets one signature is made with each: while a secret is being changed, receivers know only one of them
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
