/** Health and metrics for load balancers, orchestrators and Prometheus (docs/spec/shapes.md, section 19). */
import { BlockList } from 'node:net';
import { z } from 'zod';
import { PURPOSES, type Purpose } from '../../models/catalogue.ts';
import { type PurposeState, readPurposeState } from '../../models/installed.ts';
import type { Writability } from '../../storage/ports/write-probe.ts';
import { checkToken } from '../account/token.ts';
import type { Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { pathNotFound } from '../http/errors.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import type { HealthServices } from './services.ts';

const CHECKS = ['database', 'workers', 'storage', 'codecs'] as const;
type Checks = Record<Exclude<(typeof CHECKS)[number], 'storage'>, 'ok' | 'failed'> & { storage: Writability };

type Models = Record<Purpose, PurposeState['state']>;

const health = z.object({ status: z.literal('ok') });
const check = z.enum(['ok', 'failed']);
const storage = z
  .enum(['ok', 'full', 'failed', 'unreachable'])
  .describe(
    '`full`: the disk takes no writes; requests that store nothing work, the others get 507 `storage_full`. `unreachable`: the same for files that are kept elsewhere, with 503 `overloaded`.',
  );
const model = z
  .enum(['ready', 'missing', 'failed'])
  .describe('`failed`: it is installed, but its file is damaged or does not load.');
const readiness = z.object({
  status: z.enum(['ready', 'starting', 'draining', 'failed']),
  checks: z.object({ database: check, workers: check, storage, codecs: check }),
  models: z.object({ background: model, upscale: model, faces: model, ocr: model }),
});

const checkStatus = async (work: Promise<unknown>): Promise<'ok' | 'failed'> =>
  work.then(
    () => 'ok',
    () => 'failed',
  );

/** Checks the storage. It is also `full` if the file system has free space but the database could not write. */
async function checkStorage({ writeProbe, ledger }: HealthServices): Promise<Writability> {
  const found = await writeProbe.read();
  return found === 'ok' && ledger.isWaitingForDisk ? 'full' : found;
}

async function runChecks(services: HealthServices): Promise<Checks> {
  const { database, engine, lifecycle } = services;
  return {
    database: await checkStatus(database.ping()),
    workers: engine.stats().workers > 0 ? 'ok' : 'failed',
    storage: await checkStorage(services),
    // Every worker loads its codecs before the pool reports that it is ready.
    codecs: lifecycle === 'starting' ? 'failed' : 'ok',
  };
}

/** Returns the states of the models. A missing model does not make the service unready: most operations need none. */
async function modelStates({ engine, config }: HealthServices): Promise<Models> {
  const { models } = engine.stats();
  const states = PURPOSES.map(async (purpose) => {
    const found = await readPurposeState(purpose, config.modelsDir);
    const failed = found.state === 'ready' && found.ids.some((id) => models[id] === 'failed');
    return [purpose, failed ? 'failed' : found.state];
  });
  return Object.fromEntries(await Promise.all(states)) as Models;
}

async function readyz(ctx: Context, services: HealthServices): Promise<void> {
  const [checks, models] = await Promise.all([runChecks(services), modelStates(services)]);
  const failed = Object.values(checks).includes('failed');
  const status = services.lifecycle === 'ready' && failed ? 'failed' : services.lifecycle;
  ctx.status = status === 'ready' ? 200 : 503;
  if (ctx.status === 503) ctx.set('Retry-After', '5');
  ctx.body = { status, checks, models } satisfies z.output<typeof readiness>;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

function isFromThisMachine(ctx: Context): boolean {
  const address = ctx.req.socket.remoteAddress ?? '';
  // A proxy on this machine forwards other people's requests from a local address.
  const relayed = ['Forwarded', 'X-Forwarded-For', 'Via'].some((name) => ctx.get(name) !== '');
  return !relayed && loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}

async function readMetrics(ctx: Context, services: HealthServices): Promise<void> {
  const { config, metrics, failedAttempts, clientAddresses } = services;
  if (config.metricsToken !== undefined)
    failedAttempts.tokenFrom(clientAddresses.requestKey(ctx.req), () =>
      checkToken(ctx.get('Authorization'), config.metricsToken),
    );
  else if (!isFromThisMachine(ctx)) throw pathNotFound();
  ctx.type = metrics.contentType;
  ctx.body = await metrics.text();
}

const HEALTH = { method: 'get', access: 'open', whileDraining: true, tags: ['Service'], noStore: true } as const;

export const healthEndpoints: readonly Endpoint<HealthServices>[] = [
  {
    ...HEALTH,
    path: '/healthz',
    operation: 'healthz',
    summary: 'Whether the process lives',
    responses: { '200': jsonResponse('It lives.', health) },
    handle(ctx: Context) {
      ctx.body = { status: 'ok' } satisfies z.output<typeof health>;
    },
  },
  {
    ...HEALTH,
    path: '/readyz',
    operation: 'readyz',
    summary: 'Whether the service can take work',
    description:
      '503 with the same body while it starts, stops or cannot work. The service is ready with a missing model, with a full disk (`checks.storage` is `full`) and without the store of its files (`unreachable`): most requests store nothing.',
    responses: { '200': jsonResponse('It can.', readiness) },
    handle: readyz,
  },
  {
    ...HEALTH,
    path: '/metrics',
    operation: 'metrics',
    errors: ['missing_key', 'invalid_key', 'not_found', 'rate_limited'],
    summary: 'Metrics in the text format of Prometheus',
    description:
      'With the token of IC_METRICS_TOKEN as bearer. Without such a setting only clients on the same machine get an answer, and no proxy.',
    responses: { '200': { description: 'The metrics.', content: { 'text/plain': { schema: z.string() } } } },
    handle: readMetrics,
  },
];
