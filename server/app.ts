/** The application: what every request passes on its way to an endpoint. */
import { Router } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { Failure } from '../base/failure.ts';
import { rateLimited } from './account/errors.ts';
import { secondsUntil } from './account/period.ts';
import type { Rate } from './account/rates.ts';
import { checkToken } from './account/token.ts';
import type { Caller, Context, State } from './http/context.ts';
import { cors } from './http/cors.ts';
import type { Endpoint, KeyEndpoint, Services } from './http/endpoint.ts';
import { invalidRequest, methodNotAllowed, pathNotFound, shuttingDown } from './http/errors.ts';
import { handleFailures } from './http/failures.ts';
import { writeJson } from './http/json.ts';
import { setLimitHeaders } from './http/limit-headers.ts';
import { observe } from './http/observe.ts';
import { requestId } from './http/request-id.ts';
import { boundAnswer } from './http/server.ts';
import type { Log } from './log.ts';

/** How a stream fails whose reader has gone. */
const CLIENT_LEFT: ReadonlySet<string | undefined> = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE']);

export function createApp(endpoints: readonly Endpoint[], services: Services, log: Log): Koa<State> {
  const app = new Koa<State>();
  app.on('error', (error: NodeJS.ErrnoException) => {
    // The line of the request says that its client has left.
    if (!CLIENT_LEFT.has(error.code)) log.error({ err: error }, 'answer broken off');
  });
  app.use(observe(log, services.metrics));
  app.use(requestId);
  app.use(commonHeaders);
  app.use(handleFailures((error, requestId) => log.error({ err: error, request_id: requestId }, 'internal error')));
  if (services.config.corsOrigins.length > 0) app.use(cors(services.config.corsOrigins));
  app.use(requireHost);
  app.use(writeJson);

  const router = new Router<State>();
  const { adminToken } = services.config;
  for (const endpoint of endpoints) {
    if (endpoint.access === 'admin' && adminToken === undefined) continue;
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
    // Elsewhere a slash more at the end is let pass; here it would be `//`.
    const options = { strict: path === '/' };
    router.register(path, [endpoint.method], (ctx) => serve(endpoint, ctx as Context, services), options);
  }
  app.use(router.routes());
  app.use((ctx) => refuse(router, ctx as Context));
  return app;
}

const MOST_LISTENERS = 20;

const commonHeaders: Middleware<State> = async (ctx, next) => {
  ctx.set('X-Content-Type-Options', 'nosniff');
  // Timers, room, signal, log and Koa's own pipeline each wait for its end: more than the ten that node takes for a leak.
  ctx.res.setMaxListeners(MOST_LISTENERS);
  await next();
  boundAnswer(ctx.res, ctx.response.length);
};

/** RFC 9112, section 3.2: exactly one Host in HTTP/1.1. Node drops repeated ones. */
const requireHost: Middleware<State> = (ctx, next) => {
  if (ctx.req.httpVersion === '1.1' && ctx.get('Host') === '')
    throw invalidRequest('a Host header', 'the request', 'none');
  return next();
};

async function serve(endpoint: Endpoint, ctx: Context, services: Services): Promise<void> {
  ctx.state.record.operation = endpoint.operation;
  if (services.lifecycle === 'draining' && !endpoint.whileDraining) throw shuttingDown();
  if (endpoint.refuses?.(ctx, services)) return;
  switch (endpoint.access) {
    case 'open':
      return endpoint.handle(ctx, services);
    case 'admin':
      checkToken(ctx.get('Authorization'), services.config.adminToken);
      return endpoint.handle(ctx, services);
    case 'key':
      return serveCaller(endpoint, ctx, services);
  }
}

async function serveCaller(endpoint: KeyEndpoint, ctx: Context, services: Services): Promise<void> {
  const caller = await services.authenticate(ctx.get('Authorization') || undefined);
  noteCaller(ctx, caller);
  const rate = await services.rates.count(caller.account).catch((error) => uncounted(endpoint, error));
  ctx.state.rate = rate;
  try {
    if (rate.exceeded) throw rateLimited(rate.limit ?? 0, secondsUntil(rate.resetsAt, services.now()));
    await endpoint.handle(ctx, services, caller);
  } finally {
    // After the work, so that it is counted in. An answer without these headers is better than none.
    const balance = await services.ledger.balance(caller).catch(() => undefined);
    if (balance) setLimitHeaders(ctx, caller, rate, balance, services.now());
  }
}

/** A full disk keeps nobody from fetching and removing results; no work passes uncounted. */
function uncounted({ method }: KeyEndpoint, error: unknown): Rate {
  const isFull = error instanceof Failure && error.code === 'storage_full';
  if (!isFull || (method !== 'get' && method !== 'delete')) throw error;
  return { limit: null, remaining: null, resetsAt: 0, exceeded: false };
}

function noteCaller(ctx: Context, { account, key }: Caller): void {
  ctx.state.record.accountId = account.id;
  ctx.state.record.keyId = key.id;
  // An endpoint that charges says so when it has.
  ctx.set('X-Quota-Meter', 'none');
  if (key.mode === 'test') ctx.set('X-IC-Test-Mode', 'true');
}

/** What no endpoint has answered: another method of a known path, or an unknown path. */
function refuse(router: Router<State>, ctx: Context): never {
  const allowed = [...new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))];
  if (allowed.length === 0) throw pathNotFound();
  ctx.set('Allow', allowed.join(', '));
  throw methodNotAllowed(ctx.method, allowed);
}
