/** What an operation that returns one image answers: the image itself, a link to it, or word of its delivery. */
import { z } from 'zod';
import { FORMATS } from '../../codecs/formats.ts';
import { type Results, sha256 } from '../../storage/results.ts';
import type { Context } from './context.ts';
import { contentDisposition, resultFilename } from './filename.ts';
import type { AnswerHeader } from './headers.ts';
import type { Outgoing } from './outgoing.ts';
import { type DeliveredResult, describeResult, type Facts, type Finished, type StoredResult } from './stored-result.ts';

/** Where the result goes; on every operation that returns an image. */
export const deliveryParams = z.strictObject({
  output: z
    .enum(['binary', 'json'])
    .default('binary')
    .meta({
      description:
        'binary returns the result as the body. json stores it for one hour and returns an object with a link.',
      examples: ['json'],
    }),
  deliver_to: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional()
    .meta({
      description:
        "Pre-signed upload address of the caller's storage; the result is PUT there instead of returned, and nothing is stored.",
      examples: ['https://bucket.example.com/photo.webp?signature=abc'],
    }),
});
export type DeliveryParams = z.output<typeof deliveryParams>;

export interface Destinations {
  results: Results;
  outgoing: Outgoing;
  /** Public address of the service, without a slash at its end. */
  baseUrl: string;
}

/** Answers with the finished image, the way that the parameters ask for. */
export async function answer(
  ctx: Context,
  accountId: string,
  finished: Finished,
  { output, deliver_to: deliverTo }: DeliveryParams,
  { results, outgoing, baseUrl }: Destinations,
  signal: AbortSignal,
): Promise<void> {
  const { data, format, width, height } = finished.result;
  const filename = resultFilename(finished.sourceName, format);
  const contentType = FORMATS[format].contentTypes[0];

  if (deliverTo !== undefined) {
    const { host, status, durationMs } = await outgoing.put(deliverTo, data, { contentType, signal });
    ctx.body = {
      ...describeResult(finished, filename, await sha256(data)),
      delivered: true,
      delivery: { host, status, duration_ms: durationMs },
    } satisfies DeliveredResult;
  } else if (output === 'json') {
    const file = await results.put(accountId, { data, filename, contentType, format, width, height });
    ctx.body = {
      id: file.id,
      url: `${baseUrl}/api/v1/files/${file.id}`,
      expires_at: file.expiresAt,
      ...describeResult(finished, filename, file.sha256),
    } satisfies StoredResult;
  } else {
    setImageHeaders(ctx, finished);
    ctx.type = contentType;
    ctx.set('Content-Disposition', contentDisposition('inline', filename));
    // A view on the worker's buffer: nothing is copied.
    ctx.body = Buffer.from(data);
  }
  ctx.set('Cache-Control', 'no-store');
}

/** The header that says what a field of the record says. */
const FACT_HEADERS: Record<keyof Facts, AnswerHeader> = {
  frames: 'X-IC-Frames',
  animation_ms: 'X-IC-Animation-Ms',
  source_frames: 'X-IC-Source-Frames',
  source_animation_ms: 'X-IC-Source-Animation-Ms',
};

function setImageHeaders(ctx: Context, { result, durationMs, facts }: Finished): void {
  const headers: Partial<Record<AnswerHeader, string | number | undefined>> = {
    'X-IC-Original-Bytes': result.source.bytes,
    'X-IC-Bytes': result.data.byteLength,
    'X-IC-Width': result.width,
    'X-IC-Height': result.height,
    'X-IC-Format': result.format,
    'X-IC-Outcome': result.outcome,
    'X-IC-Warnings': result.warnings.join(',') || undefined,
    'X-IC-Duration-Ms': Math.round(durationMs),
    'X-IC-Fingerprint': result.fingerprint,
    'X-IC-Similarity': result.similarity?.toFixed(4),
  };
  for (const [fact, name] of Object.entries(FACT_HEADERS)) headers[name] = facts[fact as keyof Facts];
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) ctx.set(name, String(value));
}
