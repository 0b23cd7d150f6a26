/** Downloads and deletes stored results (docs/spec/shapes.md, section 6.3). */
import { z } from 'zod';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import { fileRequestHeaders, fileResponses, sendFile, storedContent } from './send.ts';
import type { FileServices } from './services.ts';

const PATH = '/api/v1/files/{id}';

const pathParams = z.object({
  id: z.string().meta({ description: 'Id of the stored result.', examples: ['file_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
});

const deleted = z.object({ deleted: z.literal(true), id: z.string() });

async function download(ctx: Context, { results, now }: FileServices, { account }: Caller): Promise<void> {
  const file = await results.find(account.id, ctx.params.id!);
  const secondsLeft = (Date.parse(file.expiresAt) - now()) / 1000;
  await sendFile(ctx, { ...file, secondsLeft, ...storedContent(results, file) });
}

async function remove(ctx: Context, { results }: FileServices, { account }: Caller): Promise<void> {
  const id = ctx.params.id!;
  await results.delete(account.id, id);
  ctx.body = { deleted: true, id } satisfies z.output<typeof deleted>;
}

export const fileEndpoints: readonly Endpoint<FileServices>[] = [
  {
    method: 'get',
    path: PATH,
    operation: 'download_file',
    access: 'key',
    errors: ['not_found', 'expired', 'overloaded'],
    summary: 'Download a stored result',
    description: 'HEAD answers with the headers alone. Free of charge.',
    tags: ['Files'],
    requestParams: {
      path: pathParams,
      header: fileRequestHeaders,
    },
    responses: fileResponses,
    handle: download,
  },
  {
    method: 'delete',
    path: PATH,
    operation: 'delete_file',
    access: 'key',
    errors: ['not_found', 'expired', 'overloaded'],
    summary: 'Remove a stored result before its hour has passed',
    tags: ['Files'],
    requestParams: { path: pathParams },
    responses: { '200': jsonResponse('It is gone.', deleted) },
    handle: remove,
  },
];
