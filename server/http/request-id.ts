import type { Middleware } from 'koa';
import { newId } from '../../base/id.ts';
import type { State } from './context.ts';

/** The caller's own id is used if it cannot break a log line or a header (docs/spec/shapes.md, section 3). */
const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Gives every request an id and sets the response header before anything can fail. */
export const requestId: Middleware<State> = (ctx, next) => {
  const own = ctx.get(REQUEST_ID_HEADER);
  ctx.state.requestId = ACCEPTED.test(own) ? own : newId('req');
  ctx.set(REQUEST_ID_HEADER, ctx.state.requestId);
  return next();
};
