import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Middleware } from 'koa';
import type { Context, State } from './context.ts';

const gzipAsync = promisify(gzip);

/** Below this size the headers of a compressed response outweigh the savings. */
const MIN_COMPRESSED_BYTES = 1024;

function isPlain(body: unknown): body is object {
  return (
    typeof body === 'object' &&
    body !== null &&
    [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(body))
  );
}

/** Sends plain objects as JSON, compressed if the client accepts it. */
export const writeJson: Middleware<State> = async (ctx, next) => {
  await next();
  if (isPlain(ctx.body)) await sendJsonText(ctx, JSON.stringify(ctx.body));
};

/** Responds with JSON, compressed if the client accepts it. */
export async function sendJsonText(ctx: HeaderContext, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  ctx.body = setJsonHeaders(ctx, bytes.length) ? await gzipAsync(bytes) : bytes;
}

type HeaderContext = Pick<Context, 'set' | 'vary' | 'acceptsEncodings' | 'type' | 'body'>;

/**
 * Sets the headers of a JSON response.
 * @param bytes size of the text, if known
 * @returns whether to compress the text with gzip
 */
export function setJsonHeaders(ctx: HeaderContext, bytes = Infinity): boolean {
  ctx.type = 'application/json; charset=utf-8';
  ctx.vary('Accept-Encoding');
  const isPacked = bytes >= MIN_COMPRESSED_BYTES && ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isPacked) ctx.set('Content-Encoding', 'gzip');
  return isPacked;
}
