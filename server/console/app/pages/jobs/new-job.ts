/** What a new job is asked for with. */
import type { Call } from '../../../../../client/transport.ts';

/** As the interface names them: image, image_1 to image_19. */
export const MOST_FILES = 20;

export type Source = { kind: 'files'; files: readonly File[] } | { kind: 'addresses'; text: string };

/** Which steps: none, a saved pipeline or template, or the one that is being built. */
export type Chosen =
  | { kind: 'none' }
  | { kind: 'preset'; name: string; version: string | undefined }
  | { kind: 'steps'; pipeline: object };

export interface NewJob {
  source: Source;
  chosen: Chosen;
  webhookUrl: string;
  logo: File | undefined;
}

/** One a line, or with spaces or commas between. */
export function addressesOf(text: string): string[] {
  return text.split(/[\s,]+(?=https?:)|\n/).flatMap((line) => line.trim() || []);
}

/** @param key of this job: a second request with it makes no second job */
export function requestOf({ source, chosen, webhookUrl, logo }: NewJob, key: string): Call {
  const texts = {
    ...(chosen.kind === 'preset' ? { preset: chosen.name } : {}),
    ...(chosen.kind === 'preset' && chosen.version !== undefined ? { version: Number(chosen.version) } : {}),
    ...(webhookUrl === '' ? {} : { webhook_url: webhookUrl }),
  };
  const call = { method: 'POST', headers: { 'Idempotency-Key': key } } as const;
  if (source.kind === 'addresses') {
    const pipeline = chosen.kind === 'steps' ? { pipeline: chosen.pipeline } : {};
    const body = JSON.stringify({ inputs: addressesOf(source.text).map((url) => ({ url })), ...texts, ...pipeline });
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

/** Not by randomUUID, which browsers keep from pages that came without TLS. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
