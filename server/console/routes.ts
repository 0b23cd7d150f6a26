/** Routes of the console: its page and the files that the page loads. */
import type { Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { pathNotFound } from '../http/errors.ts';
import { setPageHeaders } from '../http/page-headers.ts';
import { BUILT_PATH, loadBuiltFiles } from './built-files.ts';

const PAGE = 'index.html';
/** A file whose name contains a hash of its content never changes. */
const HASHED_NAME = /-[\w-]{8}[.]\w+$/;
const FILE_CACHING = 'public, max-age=31536000, immutable';
/** The page is revalidated on each use. Its entity tag keeps that response short. */
const PAGE_CACHING = 'no-cache';

async function send(ctx: Context, name: string): Promise<void> {
  const built = await loadBuiltFiles();
  const file = built?.files.get(name);
  if (!file) throw pathNotFound();
  setPageHeaders(ctx);
  await file.send(ctx, HASHED_NAME.test(name) ? FILE_CACHING : PAGE_CACHING);
}

const shared = { method: 'get', access: 'open' } as const;

export const consoleEndpoints: readonly Endpoint[] = [
  {
    ...shared,
    path: '/',
    operation: 'console',
    handle: (ctx: Context) => send(ctx, PAGE),
  },
  {
    ...shared,
    path: `${BUILT_PATH}/{file}`,
    operation: 'console_file',
    handle: (ctx: Context) => send(ctx, ctx.params.file!),
  },
];
