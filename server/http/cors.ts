/** Cross-origin access for pages from the origins that the operator lists. */
import type { Middleware } from 'koa';
import type { State } from './context.ts';
import { ANSWER_HEADERS } from './headers.ts';

const METHODS = 'GET, HEAD, POST, PATCH, DELETE';
const REQUEST_HEADERS =
  'Authorization, Content-Type, X-Request-Id, Idempotency-Key, Last-Event-ID, Range, If-None-Match, Mcp-Protocol-Version, Mcp-Session-Id';
const EXPOSED_HEADERS = [...Object.keys(ANSWER_HEADERS), 'Mcp-Session-Id'].join(', ');
const PREFLIGHT_SECONDS = '86400';

/** @param origins as in IC_CORS_ORIGINS; `*` for all */
export function cors(origins: readonly string[]): Middleware<State> {
  const all = origins.includes('*');
  return async (ctx, next) => {
    const origin = ctx.get('Origin');
    if (!all) ctx.vary('Origin');
    if (origin === '' || !(all || origins.includes(origin))) return next();
    // Keys travel in a header, never in a cookie, so `Access-Control-Allow-Credentials` is not needed.
    ctx.set('Access-Control-Allow-Origin', all ? '*' : origin);
    if (ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '') {
      ctx.set('Access-Control-Allow-Methods', METHODS);
      ctx.set('Access-Control-Allow-Headers', REQUEST_HEADERS);
      ctx.set('Access-Control-Max-Age', PREFLIGHT_SECONDS);
      ctx.status = 204;
      return;
    }
    ctx.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    await next();
  };
}
