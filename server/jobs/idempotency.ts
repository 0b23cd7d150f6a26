/** The Idempotency-Key header, and the hash that identifies equal requests (docs/spec/shapes.md, section 10.3). */
import { createHash } from 'node:crypto';
import { invalidParameter } from '../../base/failure.ts';
import type { Context } from '../http/context.ts';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** Printable ASCII. */
const KEY = /^[\x20-\x7e]{1,128}$/;

/** A string as in the draft of the header (draft-ietf-httpapi-idempotency-key-header, section 2.1). */
const QUOTED = /^"(?<text>.*)"$/;

/**
 * Returns the key of a request, if it has one.
 * @throws Failure 400 `invalid_parameter`
 */
export function idempotencyKey(ctx: Context): string | undefined {
  const sent = ctx.headers['idempotency-key'];
  if (sent === undefined) return undefined;
  const text = String(sent);
  const key = QUOTED.exec(text)?.groups?.text ?? text;
  if (!KEY.test(key)) throw invalidParameter('1 to 128 printable ASCII characters', IDEMPOTENCY_KEY, text);
  return key;
}

/**
 * Returns the same hash for two requests with the same meaning, whatever the order of their fields.
 * @param parts contents of the request; files as their hashes
 */
export const requestHash = (parts: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(parts)))
    .digest('hex');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}
