import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Middleware } from 'koa';
import type { State } from './context.ts';

const compressed = promisify(gzip);

/** Below this size the headers of a compressed answer eat what it saves. */
const WORTH_BYTES = 1024;

function isPlain(body: unknown): body is object {
  return (
    typeof body === 'object' &&
    body !== null &&
    [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(body))
  );
}

/** Writes plain objects as JSON, packed when the client accepts it. */
export const writeJson: Middleware<State> = async (ctx, next) => {
  await next();
  if (!isPlain(ctx.body)) return;
  const text = Buffer.from(JSON.stringify(ctx.body));
  ctx.type = 'application/json; charset=utf-8';
  ctx.vary('Accept-Encoding');
  const packs = text.length >= WORTH_BYTES && ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (packs) ctx.set('Content-Encoding', 'gzip');
  ctx.body = packs ? await compressed(text) : text;
};
