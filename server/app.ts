/** The Koa application: the middleware and the routes that every request passes through. */
import { Router } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Failure } from '../base/failure.ts';
import type { Authenticate } from './account/authenticate.ts';
import { rateLimited } from './account/errors.ts';
import type { FailedAttempts } from './account/failed-attempts.ts';
import type { Ledger } from './account/ledger.ts';
import { limitsOf } from './account/limits.ts';
import { secondsUntil } from './account/period.ts';
import type { Rates } from './account/rates.ts';
import { checkToken } from './account/token.ts';
import type { Config } from './config.ts';
import type { ClientAddresses } from './http/client-address.ts';
import type { Caller, Context, State } from './http/context.ts';
import { cors } from './http/cors.ts';
import type { Endpoint, EndpointDeclaration, KeyEndpoint, Lifecycle } from './http/endpoint.ts';
import { invalidRequest, methodNotAllowed, pathNotFound, shuttingDown } from './http/errors.ts';
import { handleFailures } from './http/failures.ts';
import { writeJson } from './http/json.ts';
import { setLimitHeaders } from './http/limit-headers.ts';
import { observe, type RequestMetrics } from './http/observe.ts';
import { refuseQuery } from './http/query.ts';
import { requestId } from './http/request-id.ts';
import { securityHeaders } from './http/security-headers.ts';
import { boundAnswer } from './http/server.ts';
import { closeUnread } from './http/unread.ts';
import type { Log } from './log.ts';

/** Error codes of a response stream whose client has disconnected. */
const CLIENT_LEFT: ReadonlySet<string | undefined> = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE']);

/** Koa reads these globals with the first response. Node loads each on first read, which takes 0.1 s in all. */
const LAZY_GLOBALS = ['ReadableStream', 'Blob', 'Response'] as const;

/** What the application itself uses of every request. */
export interface AppServices {
  config: Pick<Config, 'corsOrigins' | 'adminToken'>;
  metrics: RequestMetrics;
  authenticate: Authenticate;
  clientAddresses: ClientAddresses;
  failedAttempts: FailedAttempts;
  rates: Rates;
  ledger: Pick<Ledger, 'balance'>;
  /** The current time in milliseconds. */
  now: () => number;
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly lifecycle: Lifecycle;
}

export function createApp<S extends AppServices>(endpoints: readonly Endpoint<S>[], services: S, log: Log): Koa<State> {
  for (const name of LAZY_GLOBALS) Reflect.get(globalThis, name);
  const app = new Koa<State>();
  app.on('error', (error: NodeJS.ErrnoException) => {
    // The log line of the request already says that the client disconnected.
    if (!CLIENT_LEFT.has(error.code)) log.error({ err: error }, 'answer broken off');
  });
  app.use(observe(log, services.metrics));
  app.use(requestId);
  app.use(commonHeaders(services));
  app.use(closeUnread);
  app.use(handleFailures((error, requestId) => log.error({ err: error, request_id: requestId }, 'internal error')));
  if (services.config.corsOrigins.length > 0) app.use(cors(services.config.corsOrigins));
  app.use(requireWellFormed);
  app.use(writeJson);

  const router = new Router<State>();
  const { adminToken } = services.config;
  for (const endpoint of endpoints) {
    if (endpoint.access === 'admin' && adminToken === undefined) continue;
    const path = routeOf(endpoint);
    // The router ignores a trailing slash by default. For the path `/` it would also match `//`.
    const options = { strict: path === '/' };
    router.register(path, [endpoint.method], (ctx) => serve(endpoint, ctx as Context, services), options);
  }
  app.use(router.routes());
  app.use((ctx) => refuse(router, ctx as Context));
  return app;
}

/** Writes a path as the router does: `:id` for one part, `*end` for all that is left. */
const routeOf = ({ path, hasLongEnd }: EndpointDeclaration): string =>
  (hasLongEnd ? path.replace(/\{(\w+)\}$/, '*$1') : path).replaceAll(/\{(\w+)\}/g, ':$1');

const MAX_LISTENERS = 20;

function commonHeaders(services: AppServices): Middleware<State> {
  return async (ctx, next) => {
    ctx.set(securityHeaders(services.baseUrl));
    // Timers, memory, signal, log and Koa each listen for the end of the response. Node warns above ten listeners.
    ctx.res.setMaxListeners(MAX_LISTENERS);
    await next();
    boundAnswer(ctx.res, ctx.response.length);
  };
}

/** RFC 3986, section 3.2.2, with a port: a name, an IPv4 address, or an IPv6 address in brackets. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9\-._~!$&'()*+,;=%]+)(?::[0-9]{0,5})?$/;

/**
 * Refuses requests that a proxy could read differently than the service does: an unsupported HTTP version, and no Host
 * or several (RFC 9112, sections 2.3 and 3.2).
 */
const requireWellFormed: Middleware<State> = (ctx, next) => {
  const { httpVersion, rawHeaders } = ctx.req;
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    throw refusedConnection(ctx, invalidRequest('HTTP/1.1 or HTTP/1.0', 'the request', `HTTP/${httpVersion}`));
  // Node's `headers` keeps only the first of several.
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === 'host');
  const [host] = hosts;
  if (hosts.length > 1) throw refusedConnection(ctx, invalidRequest('one Host header', 'the request', 'several'));
  if (!host && (httpVersion === '1.1' || host === ''))
    throw refusedConnection(ctx, invalidRequest('a Host header', 'the request', 'none'));
  if (host && !HOST.test(host))
    throw refusedConnection(ctx, invalidRequest('a host with or without a port', 'Host', 'something else'));
  return next();
};

/** Closes the connection too: a malformed request may be an attempt to smuggle a second one. */
function refusedConnection(ctx: Pick<Context, 'set'>, failure: Failure): Failure {
  ctx.set('Connection', 'close');
  return failure;
}

async function serve<S extends AppServices>(endpoint: Endpoint<S>, ctx: Context, services: S): Promise<void> {
  ctx.state.record.operation = endpoint.operation;
  if (services.lifecycle === 'draining' && !endpoint.whileDraining) throw shuttingDown();
  if (endpoint.refuses?.(ctx, services)) return;
  switch (endpoint.access) {
    case 'open':
      checkQuery(endpoint, ctx);
      return endpoint.handle(ctx, services);
    case 'admin':
      services.failedAttempts.tokenFrom(services.clientAddresses.requestKey(ctx.req), () =>
        checkToken(ctx.get('Authorization'), services.config.adminToken),
      );
      checkQuery(endpoint, ctx);
      return endpoint.handle(ctx, services);
    case 'key':
      return serveCaller(endpoint, ctx, services);
  }
}

async function serveCaller<S extends AppServices>(endpoint: KeyEndpoint<S>, ctx: Context, services: S): Promise<void> {
  const caller = await services.failedAttempts.keyFrom(services.clientAddresses.requestKey(ctx.req), () =>
    services.authenticate(ctx.get('Authorization') || undefined),
  );
  recordCaller(ctx, caller);
  const rate = await services.rates.count(caller.account);
  ctx.state.rate = rate;
  try {
    if (rate.exceeded) throw rateLimited(rate.limit ?? 0, secondsUntil(rate.resetsAt, services.now()));
    endpoint.check?.(services, caller);
    checkQuery(endpoint, ctx);
    await endpoint.handle(ctx, services, caller);
  } finally {
    // Read the balance after the work, so that it includes the
    // charge. A response without these headers is better than none.
    const balance = await services.ledger.balance(caller).catch(() => undefined);
    if (balance) setLimitHeaders(ctx, limitsOf(caller, rate, balance, services.now()));
  }
}

function checkQuery({ requestParams, ignoresQuery, noStore }: EndpointDeclaration, ctx: Context): void {
  if (!requestParams?.query && !ignoresQuery) refuseQuery(ctx);
  if (noStore) ctx.set('Cache-Control', 'no-store');
}

function recordCaller(ctx: Context, { account, key }: Caller): void {
  ctx.state.record.accountId = account.id;
  ctx.state.record.keyId = key.id;
  // An endpoint that charges overwrites this once it has charged.
  ctx.set('X-Quota-Meter', 'none');
  if (key.mode === 'test') ctx.set('X-IC-Test-Mode', 'true');
}

/** Refuses a request that no endpoint has handled: the path is unknown, or known with other methods. */
function refuse(router: Router<State>, ctx: Context): never {
  const allowed = [...new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))];
  if (allowed.length === 0) throw pathNotFound();
  ctx.set('Allow', allowed.join(', '));
  throw methodNotAllowed(ctx.method, allowed);
}
