/** Builds the request that starts a job. */

import { signal } from '@preact/signals';
import type { Call } from '../../../client/transport.ts';

/** The API's part names: image, image_1 to image_19. */
export const MAX_FILES = 20;

export type Source = { kind: 'files'; files: readonly File[] } | { kind: 'addresses'; text: string };

/** The steps to apply: none, those of a saved pipeline or template, or those of the pipeline being built. */
export type JobSteps =
  | { kind: 'none' }
  | { kind: 'preset'; name: string; version: string | undefined }
  | { kind: 'steps'; pipeline: object };

export interface NewJob {
  source: Source;
  chosen: JobSteps;
  webhookUrl: string;
  logo: File | undefined;
}

/** Splits a text into addresses: one per line, or separated by spaces or commas. */
export const parseAddresses = (text: string): string[] =>
  text.split(/[\s,]+(?=https?:)|\n/).flatMap((line) => line.trim() || []);

/** @param key idempotency key: a second request with it creates no second job */
export function buildRequest({ source, chosen, webhookUrl, logo }: NewJob, key: string): Call {
  const texts = {
    ...(chosen.kind === 'preset' ? { preset: chosen.name } : {}),
    ...(chosen.kind === 'preset' && chosen.version !== undefined ? { version: Number(chosen.version) } : {}),
    ...(webhookUrl === '' ? {} : { webhook_url: webhookUrl }),
  };
  const call = { method: 'POST', headers: { 'Idempotency-Key': key } } as const;
  if (source.kind === 'addresses') {
    const pipeline = chosen.kind === 'steps' ? { pipeline: chosen.pipeline } : {};
    const body = JSON.stringify({ inputs: parseAddresses(source.text).map((url) => ({ url })), ...texts, ...pipeline });
    return { ...call, headers: { ...call.headers, 'Content-Type': 'application/json' }, body };
  }
  const body = new FormData();
  for (const [name, value] of Object.entries(texts)) body.append(name, String(value));
  if (chosen.kind === 'steps') body.append('pipeline', JSON.stringify(chosen.pipeline));
  for (const [index, file] of source.files.entries())
    body.append(index === 0 ? 'image' : `image_${index}`, file, file.name);
  if (logo) body.append('watermark_image', logo, logo.name);
  return { ...call, body };
}

/** Does not use randomUUID, which browsers provide only to pages loaded over TLS. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Addresses of failed images, passed to the form of a new job. */
export const retryAddresses = signal('');
