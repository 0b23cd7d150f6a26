/** The whole service: opens what it needs in order, listens, and closes it again in reverse. */
import { join } from 'node:path';
import { createEngine, type EngineOptions } from '../engine/pools.ts';
import { DEFAULT_LIMITS } from '../engine/settings.ts';
import { openDatabase } from '../storage/database.ts';
import { startExpiry } from '../storage/expiry.ts';
import { LocalFiles, StorageRoom } from '../storage/files.ts';
import { Results } from '../storage/results.ts';
import { lockDataFolder } from '../storage/server-lock.ts';
import { createAuthenticate } from './account/authenticate.ts';
import { Ledger } from './account/ledger.ts';
import { NoticeSender } from './account/notices.ts';
import { Plans } from './account/plans.ts';
import { Rates } from './account/rates.ts';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { ENDPOINTS } from './endpoints.ts';
import { resolveBySystem } from './http/connector.ts';
import type { Lifecycle, Services } from './http/endpoint.ts';
import { createOutgoing } from './http/outgoing.ts';
import { startHttpServer } from './http/server.ts';
import { Uploads } from './http/uploads.ts';
import { createExecuteItem } from './jobs/execute-item.ts';
import { Jobs } from './jobs/jobs.ts';
import { JobRunner } from './jobs/runner.ts';
import { createLog, type Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { ScanRunner } from './sites/runner/runner.ts';
import { SiteScans } from './sites/scans.ts';
import { WebhookSender } from './webhooks/sender.ts';

/** How long requests that are running may take to finish when the service is stopped. */
const GRACE_MS = 30_000;

const USER_AGENT = 'Imagecrew/1.0';

export interface Service {
  /** `http://host:port` as it was bound. */
  address: string;
  /** Stops taking work, finishes what is running (30 seconds at most) and closes everything. */
  close(): Promise<void>;
}

/**
 * Starts the service; resolves when its workers are up. Until then it listens already and says `starting` at /readyz.
 * @throws Failure when the data folder or the address cannot be used
 */
export async function startService(config: Config, log: Log = createLog(config.logLevel)): Promise<Service> {
  const closers: (() => Promise<unknown>)[] = [];
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const unlock = await lockDataFolder(config.dataDir);
    closers.push(async () => unlock());
    const database = await openDatabase(config.dataDir);
    closers.push(() => database.close());
    const room = new StorageRoom(config.storageBytes);
    const results = new Results(database.files, await LocalFiles.open(join(config.dataDir, 'files'), room));
    const jobs = await Jobs.open({ database, config, room, baseUrl: () => services.baseUrl });
    const scans = await SiteScans.open({ database, config, room });
    const metrics = createMetrics();
    const outgoing = createOutgoing({ allowPrivate: config.allowPrivateAddresses, userAgent: USER_AGENT });
    const webhooks = new WebhookSender({ database, config, outgoing, metrics, log });
    closers.push(() => webhooks.stop());
    jobs.events.watchAll(({ type }) => {
      if (type === 'ended') webhooks.wake();
    });
    const expiry = await startExpiry([scans, results, jobs, webhooks], (error) =>
      log.error({ err: error }, 'sweep of what has expired failed'),
    );
    closers.push(() => expiry.stop());

    const engine = await createEngine(engineOptions(config, metrics));
    closers.push(() => engine.close(0));
    metrics.watch(engine, results, database.jobs);

    const plans = await Plans.load(config);
    const notices = await NoticeSender.create({ database, config, log });
    closers.push(() => notices.stop());
    const ledger = new Ledger(database, plans, () => void notices.wake());
    await ledger.recover();

    let lifecycle: Lifecycle = 'starting';
    const services: Services = {
      config,
      database,
      results,
      jobs,
      scans,
      webhooks,
      engine,
      metrics,
      outgoing,
      uploads: new Uploads(config.uploadBytes),
      authenticate: createAuthenticate(database),
      plans,
      ledger,
      rates: new Rates(database.rateWindows, plans),
      resolve: resolveBySystem,
      now: Date.now,
      get baseUrl() {
        return config.baseUrl ?? http.address;
      },
      get lifecycle() {
        return lifecycle;
      },
    };
    const runner = new JobRunner({ services, execute: createExecuteItem(services), log });
    closers.push(() => runner.stop());
    const scanRunner = new ScanRunner({ services, log });
    closers.push(() => scanRunner.stop());
    const app = createApp(ENDPOINTS, services, log);
    const http = await startHttpServer(app.callback(), config);
    closers.push(() => http.close());
    await engine.ready();
    notices.start();
    webhooks.wake();
    await runner.start();
    await scanRunner.start();
    lifecycle = 'ready';

    let closing: Promise<void> | undefined;
    const stop = async () => {
      lifecycle = 'draining';
      log.info({ active: http.active }, 'draining');
      jobs.events.close();
      scans.events.close();
      await Promise.all([http.drain(GRACE_MS), runner.stop(), scanRunner.stop()]);
      await closeAll();
    };
    return {
      address: http.address,
      close: () => {
        closing ??= stop();
        return closing;
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function engineOptions(config: Config, metrics: Metrics): EngineOptions {
  return {
    workers: config.workers,
    modelsFolder: config.modelsDir,
    limits: {
      ...DEFAULT_LIMITS,
      pixels: config.maxPixels,
      decodedPixels: config.maxPixelsDecoded,
      decodedBytes: config.maxDecodedBytes,
    },
    admission: { tasks: config.queueTasks, bytes: config.queueBytes, pixels: config.queuePixels },
    timeoutMs: config.taskTimeoutSeconds * 1000,
    workerMemoryBytes: config.workerMemoryBytes,
    observer: metrics.observer,
  };
}
