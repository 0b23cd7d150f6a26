/**
 * One process of {@link file://./accounting.ts}: a service with or without accounting, and the client that measures it.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { openLocalEvents } from '../base/events.ts';
import { createPool } from '../engine/pool.ts';
import { createAuthenticate } from '../server/account/authenticate.ts';
import { FailedAttempts } from '../server/account/failed-attempts.ts';
import { issueKey } from '../server/account/keys.ts';
import { Ledger } from '../server/account/ledger.ts';
import { Plans } from '../server/account/plans.ts';
import { Rates } from '../server/account/rates.ts';
import { createApp } from '../server/app.ts';
import { loadConfig } from '../server/config.ts';
import { ENDPOINTS } from '../server/endpoints.ts';
import { ClientAddresses } from '../server/http/client-address.ts';
import { resolveBySystem } from '../server/http/connector.ts';
import { EventStreams } from '../server/http/event-stream.ts';
import { HttpOutgoing } from '../server/http/outgoing.ts';
import { startHttpServer } from '../server/http/server.ts';
import { Uploads } from '../server/http/uploads.ts';
import { openImageDelivery } from '../server/image-delivery/open.ts';
import { Jobs } from '../server/jobs/jobs.ts';
import { createLog } from '../server/log.ts';
import { createMetrics } from '../server/metrics.ts';
import type { Services } from '../server/services.ts';
import { INSTALLED_PROGRAM } from '../server/sites/local-server.ts';
import { SiteScans } from '../server/sites/scans.ts';
import { WebhookSender } from '../server/webhooks/sender.ts';
import { folderWriteProbe } from '../storage/data-folder/write-probe.ts';
import { localFileStores } from '../storage/local-files/local-files.ts';
import { StorageQuota } from '../storage/quota.ts';
import { Results } from '../storage/results.ts';
import { openDatabase } from '../storage/sqlite/database.ts';
import { answer } from './fresh-process.ts';
import { BENCH_PLAN } from './server.ts';

interface Order {
  kind: 'counted' | 'free';
  requests: number;
  /** Path of the file to send. */
  image: string;
}

const WARM_UP = 200;

/** Allows every request and records nothing. */
class NoLedger extends Ledger {
  override async check() {}
  override async reserve() {
    return { charge: async () => {}, release: async () => {} };
  }
  override balance(): Promise<never> {
    return Promise.reject(new Error('Nothing is counted.'));
  }
}

class NoRates extends Rates {
  override async count() {
    return { limit: null, remaining: null, resetsAt: 0, exceeded: false };
  }
}

await answer<Order, number[]>(async ({ kind, requests, image }) => {
  const folder = await mkdtemp(join(tmpdir(), 'imagecrew-bench-'));
  const config = loadConfig({ IC_DATA_DIR: folder, IC_PORT: '0' });
  const database = await openDatabase(folder);
  const account = await database.accounts.create({ name: 'bench', email: null, plan: 'bench' });
  const { key } = await issueKey(database.keys, {
    accountId: account.id,
    name: 'bench',
    mode: 'live',
    scopes: [],
    monthlyLimit: null,
    expiresAt: null,
  });
  const plans = new Plans(BENCH_PLAN);
  const engine = await createPool({ workers: 1 });
  const openFiles = localFileStores(folder, new StorageQuota(config.storageBytes));
  const metrics = createMetrics();
  const outgoing = new HttpOutgoing({ allowPrivate: [], userAgent: 'bench' });
  const log = createLog('silent');
  const results = new Results(database.files, await openFiles('files'));
  const parts: Omit<Services, 'imageDelivery' | 'imageAddresses'> = {
    config,
    database,
    engine,
    plans,
    results,
    writeProbe: folderWriteProbe(folder),
    jobs: await Jobs.open({ database, config, openFiles, openEvents: openLocalEvents, baseUrl: () => '' }),
    scans: await SiteScans.open({ database, openFiles, openEvents: openLocalEvents }),
    eventStreams: new EventStreams(),
    webhooks: new WebhookSender({ database, config, outgoing, metrics, log }),
    metrics,
    outgoing,
    uploads: new Uploads(config.uploadBytes),
    authenticate: createAuthenticate(database),
    clientAddresses: new ClientAddresses(config.trustedProxies),
    failedAttempts: new FailedAttempts(),
    ledger: kind === 'counted' ? new Ledger(database, plans) : new NoLedger(database, plans),
    rates: kind === 'counted' ? new Rates(database.rateWindows, plans) : new NoRates(database.rateWindows, plans),
    resolve: resolveBySystem,
    now: Date.now,
    localProgram: async () => INSTALLED_PROGRAM,
    baseUrl: '',
    lifecycle: 'ready',
  };
  const images = await openFiles('images');
  const services = {
    ...parts,
    ...(await openImageDelivery({ services: parts, database, files: images, config, metrics, log })),
  };
  await engine.ready();
  const http = await startHttpServer(createApp(ENDPOINTS, services, log).callback(), config);
  const client = new Pool(http.address, { connections: 1 });
  const body = await readFile(image);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' };

  const times: number[] = [];
  for (let n = -WARM_UP; n < requests; n += 1) {
    const startedAt = performance.now();
    const got = await client.request({ method: 'POST', path: '/api/v1/compress?width=32', headers, body });
    await got.body.arrayBuffer();
    if (got.statusCode !== 200) throw new Error(`Expected 200 but received ${got.statusCode}.`);
    if (n >= 0) times.push(performance.now() - startedAt);
  }
  await client.close();
  await http.close();
  await engine.close();
  await database.close();
  await rm(folder, { recursive: true });
  return times;
});
