/** Receives webhooks: Standard Webhooks 1.0.0, the symmetric kind (https://www.standardwebhooks.com). By WebCrypto. */
import type { Job, JobResult } from './types.generated.ts';

/** A job as webhooks have it: the results without their steps. */
export interface WebhookJob extends Omit<Job, 'results'> {
  results: Omit<JobResult, 'steps'>[];
}

/** Further types may be added: leave alone what you do not know. */
export type WebhookEvent =
  | { type: 'job.finished'; timestamp: string; data: WebhookJob }
  | { type: 'webhook.test'; timestamp: string; data: Record<string, never> };

/** A request that is not to be trusted; answer it with 400 or 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export interface VerifyOptions {
  /** How far `webhook-timestamp` may be away, before or after. Default: 300. */
  toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970. Default: the clock. */
  now?: number | undefined;
}

/** Of fetch, or of Node's `request.headers`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_SECONDS = 300;

/**
 * Verifies a webhook and reads it. Skip a `webhook-id` that you have seen: a webhook may come twice.
 * @param secret `whsec_…`, or several while one is being changed
 * @param rawBody exactly as it came, not what a JSON parser has made of it
 * @throws WebhookVerificationError where it is not from the service, or not new
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

/** @throws TypeError for what is no secret: a mistake of the receiver, not of who sent it */
function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  // An empty key would let everybody sign.
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

function eventOf(body: Uint8Array): WebhookEvent {
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
}
