/** Verifies webhooks: Standard Webhooks 1.0.0, symmetric (https://www.standardwebhooks.com). Uses WebCrypto. */
import type { Job, JobResult } from './types.generated.ts';

/** A job in a webhook: its results have no steps. */
export interface WebhookJob extends Omit<Job, 'results'> {
  results: Omit<JobResult, 'steps'>[];
}

/** Types may be added. Ignore unknown ones. */
export type WebhookEvent =
  | { type: 'job.finished'; timestamp: string; data: WebhookJob }
  | { type: 'webhook.test'; timestamp: string; data: Record<string, never> };

/** The request cannot be trusted. Respond with 400 or 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export interface VerifyOptions {
  /** Maximum difference of `webhook-timestamp` from now, before or after. Default: 300. */
  toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970. Default: the current time. */
  now?: number | undefined;
}

/** The headers of fetch, or Node's `request.headers`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_SECONDS = 300;

/**
 * Verifies a webhook and parses it. Ignore a `webhook-id` that you have seen before: a webhook may be sent twice.
 * @param secret `whsec_…`, or several while the secret is being changed
 * @param rawBody exactly as received, not parsed and serialised again
 * @throws WebhookVerificationError if it is not from the service, or too old
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  rawBody: string | ArrayBuffer | ArrayBufferView,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature')
    .split(' ')
    .filter((text) => text.startsWith('v1,'));
  if (!/^[0-9]{1,12}$/.test(timestamp))
    throw new WebhookVerificationError(`Expected seconds for webhook-timestamp but received "${timestamp}".`);
  const ageSeconds = now / 1000 - Number(timestamp);
  if (Math.abs(ageSeconds) > toleranceSeconds)
    throw new WebhookVerificationError(
      `Expected at most ${toleranceSeconds} seconds from now for webhook-timestamp but received ${Math.round(Math.abs(ageSeconds))} seconds ${ageSeconds > 0 ? 'before' : 'after'} it.`,
    );
  const body = bytesOf(rawBody);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await crypto.subtle.importKey('raw', keyBytes(one), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    for (const text of signatures) {
      const signature = fromBase64(text.slice('v1,'.length));
      // Compares in constant time.
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return eventOf(body);
    }
  }
  throw new WebhookVerificationError('Expected a signature by the secret for webhook-signature but received none.');
}

function header(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : ownHeader(headers, name);
  if (!value) throw new WebhookVerificationError(`Expected the header ${name} but received none.`);
  return value;
}

function ownHeader(headers: Exclude<WebhookHeaders, Headers>, name: string): string | undefined {
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.join(' ');
}

function bytesOf(body: string | ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  return new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength);
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}

/** @throws TypeError for an invalid secret: a mistake of the receiver, not of the sender */
function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  // With an empty key anybody could sign.
  if (!bytes || bytes.length === 0)
    throw new TypeError('Expected whsec_ and base64 for the secret but received something else.');
  return bytes;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const eventOf = (body: Uint8Array): WebhookEvent => JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
