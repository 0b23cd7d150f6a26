/** Converts every error into the one error object of the API (docs/spec/shapes.md, section 4). */
import type { Middleware } from 'koa';
import { Failure, internalError } from '../../base/failure.ts';
import { hintOf } from '../../base/hints.ts';
import type { Context, State } from './context.ts';
import { ClientDisconnected, DelayedFailure } from './errors.ts';

export interface ErrorObject {
  error: { code: string; message: string; hint: string; param?: string; request_id: string };
}

export function errorObject(failure: Failure, requestId: string): ErrorObject {
  const { code, message, param } = failure;
  const place = param === undefined ? {} : { param };
  return { error: { code, message, hint: hintOf(failure), ...place, request_id: requestId } };
}

/** Responds with a failure. `status` differs from the failure's own status only where the API has no code for it. */
export function sendFailure(ctx: Context, failure: Failure, status = failure.status): void {
  ctx.state.record.errorCode = failure.code;
  ctx.status = status;
  // RFC 9110, section 15.5.2.
  if (status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  if (status === 429 || status === 503) ctx.set('Retry-After', String(Math.ceil(failure.retryAfter ?? 1)));
  ctx.type = 'application/json; charset=utf-8';
  ctx.set('Cache-Control', 'no-store');
  ctx.body = Buffer.from(JSON.stringify(errorObject(failure, ctx.state.requestId)));
}

/**
 * Catches every error of the middleware after it.
 * @param onBug receives, for the log, errors that are not a Failure and the causes of internal errors
 */
export function handleFailures(onBug: (error: unknown, requestId: string) => void): Middleware<State> {
  return async (ctx, next) => {
    ctx.state.reportBug = (error) => onBug(error, ctx.state.requestId);
    try {
      await next();
    } catch (error) {
      if (error instanceof ClientDisconnected) {
        ctx.respond = false;
        ctx.res.destroy();
        return;
      }
      const failure = error instanceof Failure ? error : internalError(error);
      if (failure.code === 'internal_error') ctx.state.reportBug(failure.cause ?? failure);
      if (failure instanceof DelayedFailure) await failure.answerAfter;
      sendFailure(ctx as Context, failure);
    }
  };
}
