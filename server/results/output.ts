/** The response of an operation that returns one image: the image itself, a link to it, or a report of its delivery. */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { freeBuffer } from '../../base/free-buffer.ts';
import { sha256 } from '../../base/sha256.ts';
import { FORMATS } from '../../codecs/formats/registry.ts';
import { resultFilename } from '../../engine/file-name.ts';
import { OPERATION_FIELDS } from '../../engine/operations/registry.ts';
import type { Outcome, Warning } from '../../engine/result.ts';
import type { NewResult, Results } from '../../storage/results.ts';
import type { Context } from '../http/context.ts';
import type { AnswerHeader } from '../http/headers.ts';
import type { Outgoing } from '../http/outgoing.ts';
import { MAX_URL_LENGTH } from '../http/web-address.ts';
import { contentDisposition, dispositionOf } from './filename.ts';
import { countSteps } from './step-report.ts';
import { type DeliveredResult, describeResult, type FinishedResult, type StoredResult } from './stored-result.ts';

/** Parameters for where the result goes. Every operation that returns an image has them. */
export const deliveryParams = z.strictObject({
  output: described(
    z.enum(['binary', 'json']).default('binary'),
    'binary returns the result as the body. json stores it for one hour and returns an object with a link.',
    'json',
  ),
  deliver_to: z
    .url({ protocol: /^https?$/ })
    .max(MAX_URL_LENGTH)
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
  /** Public address of the service, without a trailing slash. */
  baseUrl: string;
}

/** Responds with the finished image in the way that the parameters ask for. */
export async function sendImageResult(
  ctx: Context,
  accountId: string,
  finished: FinishedResult,
  { output, deliver_to: deliverTo }: DeliveryParams,
  destinations: Destinations,
  signal: AbortSignal,
): Promise<void> {
  const { data } = finished.result;
  const { filename, contentType } = getFileInfo(finished);

  if (deliverTo !== undefined) {
    const { host, status, durationMs } = await destinations.outgoing.put(deliverTo, data, { contentType, signal });
    ctx.body = {
      ...describeResult(finished, filename, await sha256(data)),
      delivered: true,
      delivery: { host, status, duration_ms: durationMs },
    } satisfies DeliveredResult;
  } else if (output === 'json') {
    ctx.body = await storeFinished(accountId, finished, destinations);
  } else {
    const { result, durationMs } = finished;
    const disposition = dispositionOf(contentType);
    sendResult(ctx, { ...result, durationMs, filename, contentType, disposition }, imageHeaders(finished));
  }
  ctx.set('Cache-Control', 'no-store');
}

function getFileInfo({ result, sourceName, filename }: FinishedResult): { filename: string; contentType: string } {
  const { format } = result;
  return { filename: filename ?? resultFilename(sourceName, result), contentType: FORMATS[format].contentTypes[0] };
}

/**
 * Stores a finished image for one hour.
 * @throws Failure `storage_full`
 */
export async function storeFinished(
  accountId: string,
  finished: FinishedResult,
  destinations: Pick<Destinations, 'results' | 'baseUrl'>,
): Promise<StoredResult> {
  const { data, format, width, height } = finished.result;
  const { filename, contentType } = getFileInfo(finished);
  const stored = await storeResult(accountId, { data, filename, contentType, format, width, height }, destinations);
  return { ...stored.link, ...describeResult(finished, filename, stored.sha256) };
}

/**
 * Stores a result for one hour.
 * @throws Failure `storage_full`
 */
export async function storeResult(
  accountId: string,
  result: NewResult,
  { results, baseUrl }: Pick<Destinations, 'results' | 'baseUrl'>,
): Promise<{ link: Pick<StoredResult, 'id' | 'url' | 'expires_at'>; sha256: string }> {
  const { id, expiresAt, sha256 } = await results.put(accountId, result);
  return { link: { id, url: `${baseUrl}/api/v1/files/${id}`, expires_at: expiresAt }, sha256 };
}

export interface SentResult {
  data: ArrayBuffer;
  contentType: string;
  filename: string;
  disposition: 'inline' | 'attachment';
  source: { bytes: number };
  outcome: Outcome;
  warnings: readonly Warning[];
  /** Processing time in milliseconds. */
  durationMs: number;
}

/** Headers whose value is undefined are omitted. */
type Headers = Partial<Record<AnswerHeader, string | number | undefined>>;

/**
 * Sends a result as the body, with the headers that all results have.
 * @param headers additional headers
 */
export function sendResult(ctx: Context, result: SentResult, headers: Headers = {}): void {
  const { data, contentType, filename, disposition, source, outcome, warnings, durationMs } = result;
  const all: Headers = {
    'X-IC-Original-Bytes': source.bytes,
    'X-IC-Bytes': data.byteLength,
    'X-IC-Outcome': outcome,
    'X-IC-Warnings': warnings.join(',') || undefined,
    'X-IC-Duration-Ms': Math.round(durationMs),
    'Content-Disposition': contentDisposition(disposition, filename),
    ...headers,
  };
  for (const [name, value] of Object.entries(all)) if (value !== undefined) ctx.set(name, String(value));
  ctx.type = contentType;
  // A view of the worker's buffer, so nothing is copied.
  ctx.body = Buffer.from(data);
  ctx.res.once('finish', () => {
    // A destroyed socket may still have a pending write of this buffer.
    if (!ctx.req.socket.destroyed) freeBuffer(data);
  });
}

function imageHeaders({ result, facts, pipeline }: FinishedResult): Headers {
  const headers: Headers = {
    'X-IC-Width': result.width,
    'X-IC-Height': result.height,
    'X-IC-Format': result.format,
    'X-IC-Fingerprint': result.fingerprint,
    'X-IC-Similarity': result.similarity?.toFixed(4),
    'X-IC-Steps': pipeline && countSteps(pipeline.steps),
  };
  for (const { name, header } of OPERATION_FIELDS) headers[header] = facts[name];
  return headers;
}
