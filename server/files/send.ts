/** Sends files as responses: whole, a range, or 304 if the client already has it (RFC 9110, sections 13 and 14). */
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { Failure } from '../../base/failure.ts';
import type { ByteRange, SentAs } from '../../storage/ports/file-store.ts';
import type { FileRecord } from '../../storage/records/files.ts';
import type { Results } from '../../storage/results.ts';
import { isCurrent } from '../http/conditional.ts';
import type { Context } from '../http/context.ts';
import { sendFailure } from '../http/failures.ts';
import { ANSWER_HEADERS } from '../http/headers.ts';
import { contentDisposition, dispositionOf } from '../results/filename.ts';
import { parseRange } from './range.ts';

export interface SentFile {
  filename: string;
  contentType: string;
  format: string | null;
  /** In pixels; null if the file is not an image. */
  width: number | null;
  height: number | null;
  bytes: number;
  sha256: string;
  /** How long a client may cache it. */
  secondsLeft: number;
  /** Value of Cache-Control. Default: only the client itself may cache it. */
  cacheControl?: string;
  /** When it was made, as a timestamp. */
  lastModified?: string;
  /** Whether browsers must save it, whatever its type. */
  isDownload?: boolean;
  /** An address with which the client can read the file itself for some seconds; undefined if there is none. */
  address?(seconds: number, sentAs: SentAs): Promise<string | undefined>;
  /** Opens the bytes. Called at most once. */
  open(range?: ByteRange): Promise<Readable | Uint8Array> | Uint8Array;
}

/** Where {@link sendFile} finds the bytes of a stored result. */
export const storedContent = (results: Results, file: FileRecord): Pick<SentFile, 'address' | 'open'> => ({
  address: (seconds, sentAs) => results.address(file, seconds, sentAs),
  open: (range) => results.open(file, range),
});

/** How long an address of a file can be used, at most. */
const ADDRESS_SECONDS = 600;
/** An address is not taken from a cache in its last seconds. */
const ADDRESS_MARGIN_SECONDS = 60;

/**
 * Responds with a file, following the conditional and range headers of the request, or redirects to where it is kept. Only
 * GET is redirected, because an address is signed for one method.
 */
export async function sendFile(ctx: Context, file: SentFile): Promise<void> {
  const etag = `"${file.sha256}"`;
  if (hasCurrent(ctx, file, etag)) {
    setFileHeaders(ctx, file, etag);
    ctx.status = 304;
    return;
  }
  const range = requestedRange(ctx, file, etag);
  if (range === 'unsatisfiable') {
    ctx.set('Content-Range', `bytes */${file.bytes}`);
    sendFailure(ctx, rangeNotSatisfiable(file.bytes), 416);
    return;
  }
  if (await redirect(ctx, file)) return;
  setFileHeaders(ctx, file, etag);
  ctx.status = range ? 206 : 200;
  if (range) {
    ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${file.bytes}`);
  }
  ctx.length = range ? range.end - range.start + 1 : file.bytes;
  ctx.set('Content-Type', file.contentType);
  if (ctx.method === 'HEAD') return;
  const body = await file.open(range);
  ctx.body = body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body;
}

/** The client repeats its `Range` at the other address. */
async function redirect(ctx: Context, file: SentFile): Promise<boolean> {
  // The pages of this service connect to nothing else, and the store would need rules for them.
  if (ctx.method !== 'GET' || ctx.get('Sec-Fetch-Site') === 'same-origin') return false;
  const seconds = Math.min(ADDRESS_SECONDS, Math.floor(file.secondsLeft));
  if (seconds < 1) return false;
  const address = await file.address?.(seconds, {
    contentType: file.contentType,
    contentDisposition: dispositionHeader(file),
    cacheControl: cacheControlOf(file),
  });
  if (address === undefined) return false;
  ctx.status = 302;
  ctx.set({ Location: address, 'Cache-Control': `private, max-age=${Math.max(0, seconds - ADDRESS_MARGIN_SECONDS)}` });
  ctx.body = Buffer.alloc(0);
  ctx.remove('Content-Type');
  return true;
}

const dispositionHeader = ({ contentType, filename, isDownload = false }: SentFile): string =>
  contentDisposition(isDownload ? 'attachment' : dispositionOf(contentType), filename);

const cacheControlOf = ({ secondsLeft, cacheControl }: SentFile): string =>
  cacheControl ?? `private, max-age=${Math.max(0, Math.floor(secondsLeft))}, immutable`;

/** Whether the client has this version. Its time is only looked at if it sends no ETag (RFC 9110, section 13.2.2). */
function hasCurrent(ctx: Context, { lastModified }: SentFile, etag: string): boolean {
  const [tags, since] = [ctx.get('If-None-Match'), ctx.get('If-Modified-Since')];
  if (tags !== '' || since === '' || lastModified === undefined) return isCurrent(tags, etag);
  // HTTP dates are in whole seconds.
  return Math.floor(Date.parse(lastModified) / 1000) <= Date.parse(since) / 1000;
}

/**
 * Ranges are for GET only (RFC 9110, section 14.2). A range of
 * another version would not match the parts that the client has.
 */
function requestedRange(ctx: Context, { bytes }: SentFile, etag: string): ReturnType<typeof parseRange> {
  const ifRange = ctx.get('If-Range');
  const applies = ctx.method === 'GET' && (ifRange === '' || ifRange === etag);
  return applies ? parseRange(ctx.get('Range'), bytes) : undefined;
}

function setFileHeaders(ctx: Context, file: SentFile, etag: string): void {
  const { format, width, height, bytes, lastModified } = file;
  ctx.set({
    'Content-Disposition': dispositionHeader(file),
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': cacheControlOf(file),
    ...(lastModified === undefined ? {} : { 'Last-Modified': new Date(lastModified).toUTCString() }),
    ...(format === null ? {} : { 'X-IC-Format': format }),
    'X-IC-Bytes': String(bytes),
    ...(width === null ? {} : { 'X-IC-Width': String(width) }),
    ...(height === null ? {} : { 'X-IC-Height': String(height) }),
  });
}

const headers = z.object({
  ETag: z.string().optional().meta({ description: 'SHA-256 of the file, in quotation marks.' }),
  'Cache-Control': z
    .string()
    .optional()
    .meta({ examples: ['private, max-age=3540, immutable'] }),
  'Accept-Ranges': z.literal('bytes').optional(),
  'Content-Disposition': ANSWER_HEADERS['Content-Disposition'],
  'X-IC-Format': ANSWER_HEADERS['X-IC-Format'],
  'X-IC-Bytes': ANSWER_HEADERS['X-IC-Bytes'],
  'X-IC-Width': ANSWER_HEADERS['X-IC-Width'],
  'X-IC-Height': ANSWER_HEADERS['X-IC-Height'],
  'X-Quota-Meter': ANSWER_HEADERS['X-Quota-Meter'],
  'X-Request-Id': ANSWER_HEADERS['X-Request-Id'],
});
const content = { 'application/octet-stream': {} };

/** The headers of a request for a file, in the OpenAPI document. */
export const fileRequestHeaders = z.object({
  Range: described(z.string().optional(), 'One part of the file.', 'bytes=0-1023'),
  'If-None-Match': z.string().optional().meta({ description: 'The ETag that the client has.' }),
});

/** The responses to such a request, in the OpenAPI document. */
export const fileResponses = {
  '200': { description: 'The file.', headers, content },
  '206': {
    description: 'The part that `Range` asks for.',
    headers: headers.extend({
      'Content-Range': z
        .string()
        .optional()
        .meta({ examples: ['bytes 0-1023/98765'] }),
    }),
    content,
  },
  '302': { description: 'The file is at `Location`, if the operator has set `IC_STORAGE_REDIRECTS`.' },
  '304': { description: 'The client has this file already.' },
  '416': { description: '`invalid_request`: the file has no such part.' },
};

/** Sent with status 416: the requested range is not in the file. */
const rangeNotSatisfiable = (bytes: number): Failure =>
  new Failure('invalid_request', `Expected a part of 0-${bytes - 1} for Range but received one outside of it.`);
