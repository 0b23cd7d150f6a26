/** Stored results: download and early removal (spec/shapes.md, section 6.3). */
import { z } from 'zod';
import { FORMATS, OUTPUT_FORMATS } from '../../codecs/formats.ts';
import type { FileRecord } from '../../storage/repositories/files.ts';
import { jsonResponse } from '../docs/components.ts';
import { isCurrent } from '../http/conditional.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint, Services } from '../http/endpoint.ts';
import { sendFailure } from '../http/failures.ts';
import { contentDisposition } from '../http/filename.ts';
import { ANSWER_HEADERS } from '../http/headers.ts';
import { refuseQuery } from '../http/no-query.ts';
import { rangeNotSatisfiable } from './errors.ts';
import { parseRange } from './range.ts';

const PATH = '/api/v1/files/{id}';

/** Shown by a browser in its place. Everything else is only saved: a page or a drawing with scripts would run here. */
const INLINE_TYPES: ReadonlySet<string> = new Set(OUTPUT_FORMATS.flatMap((format) => FORMATS[format].contentTypes));

const pathParams = z.object({
  id: z.string().meta({ description: 'Id of the stored result.', examples: ['file_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
});

const deleted = z.object({ deleted: z.literal(true), id: z.string() });

async function download(ctx: Context, { results }: Services, { account }: Caller): Promise<void> {
  refuseQuery(ctx);
  const file = await results.find(account.id, ctx.params.id!);
  const etag = `"${file.sha256}"`;
  if (isCurrent(ctx.get('If-None-Match'), etag)) {
    setFileHeaders(ctx, file, etag);
    ctx.status = 304;
    return;
  }
  const range = askedRange(ctx, file, etag);
  if (range === 'unsatisfiable') {
    ctx.set('Content-Range', `bytes */${file.bytes}`);
    sendFailure(ctx, rangeNotSatisfiable(file.bytes), 416);
    return;
  }
  setFileHeaders(ctx, file, etag);
  ctx.status = range ? 206 : 200;
  if (range) {
    ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${file.bytes}`);
  }
  ctx.length = range ? range.end - range.start + 1 : file.bytes;
  ctx.set('Content-Type', file.contentType);
  if (ctx.method !== 'HEAD') ctx.body = await results.open(file, range);
}

/** RFC 9110, section 14.2: a range is for GET alone. Parts of another version would not fit to those that the client has. */
function askedRange(ctx: Context, { bytes }: FileRecord, etag: string): ReturnType<typeof parseRange> {
  const ifRange = ctx.get('If-Range');
  const applies = ctx.method === 'GET' && (ifRange === '' || ifRange === etag);
  return applies ? parseRange(ctx.get('Range'), bytes) : undefined;
}

function setFileHeaders(ctx: Context, file: FileRecord, etag: string): void {
  const secondsLeft = Math.max(0, Math.floor((Date.parse(file.expiresAt) - Date.now()) / 1000));
  const inline = INLINE_TYPES.has(file.contentType);
  ctx.set({
    'Content-Disposition': contentDisposition(inline ? 'inline' : 'attachment', file.filename),
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': `private, max-age=${secondsLeft}, immutable`,
    'X-IC-Format': file.format,
    'X-IC-Bytes': String(file.bytes),
    ...(file.width === null ? {} : { 'X-IC-Width': String(file.width) }),
    ...(file.height === null ? {} : { 'X-IC-Height': String(file.height) }),
  });
}

async function remove(ctx: Context, { results }: Services, { account }: Caller): Promise<void> {
  refuseQuery(ctx);
  const id = ctx.params.id!;
  await results.delete(account.id, id);
  ctx.body = { deleted: true, id } satisfies z.output<typeof deleted>;
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
const content = { 'application/octet-stream': { schema: {} } };

export const fileEndpoints: readonly Endpoint[] = [
  {
    method: 'get',
    path: PATH,
    operation: 'download_file',
    access: 'key',
    errors: ['not_found', 'expired'],
    documentation: {
      summary: 'Download a stored result',
      description: 'HEAD answers with the headers alone. Free of charge.',
      tags: ['Files'],
      requestParams: {
        path: pathParams,
        header: z.object({
          Range: z
            .string()
            .optional()
            .meta({ description: 'One part of the file.', examples: ['bytes=0-1023'] }),
          'If-None-Match': z.string().optional().meta({ description: 'The ETag that the client has.' }),
        }),
      },
      responses: {
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
        '304': { description: 'The client has this file already.' },
        '416': { description: '`invalid_request`: the file has no such part.' },
      },
    },
    handle: download,
  },
  {
    method: 'delete',
    path: PATH,
    operation: 'delete_file',
    access: 'key',
    errors: ['not_found', 'expired'],
    documentation: {
      summary: 'Remove a stored result before its hour has passed',
      tags: ['Files'],
      requestParams: { path: pathParams },
      responses: { '200': jsonResponse('It is gone.', deleted) },
    },
    handle: remove,
  },
];
