/** Opens, in order, the parts of the service and of the commands that work without a server. */

import { getHeapStatistics } from 'node:v8';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Engine } from '../engine/engine.ts';
import { createEngine } from '../engine/pools.ts';
import { checkModelsFolder } from '../models/installed.ts';
import { CACHE } from '../storage/data-folder/entries.ts';
import { freeSpace } from '../storage/data-folder/free-space.ts';
import { lockDataFolder } from '../storage/data-folder/server-lock.ts';
import { folderWriteProbe } from '../storage/data-folder/write-probe.ts';
import { startExpiry } from '../storage/expiry.ts';
import { localFileStores } from '../storage/local-files/local-files.ts';
import { openDatabase } from '../storage/open-database.ts';
import type { Database } from '../storage/ports/database.ts';
import type { OpenFileStore } from '../storage/ports/file-store.ts';
import type { WriteProbe } from '../storage/ports/write-probe.ts';
import { StorageQuota } from '../storage/quota.ts';
import { Results } from '../storage/results.ts';
import { openS3Store } from '../storage/s3/store.ts';
import { createAuthenticate } from './account/authenticate.ts';
import { FailedAttempts } from './account/failed-attempts.ts';
import { Ledger } from './account/ledger.ts';
import { NoticeSender } from './account/notices.ts';
import { Plans } from './account/plans.ts';
import { Rates } from './account/rates.ts';
import type { AccountServices } from './account/services.ts';
import type { AppServices } from './app.ts';
import type { Config } from './config.ts';
import type { DocumentationServices } from './docs/services.ts';
import { engineOptions } from './engine-options.ts';
import type { FileServices } from './files/services.ts';
import type { HealthServices } from './health/services.ts';
import { ClientAddresses } from './http/client-address.ts';
import { type Resolve, resolveBySystem } from './http/connector.ts';
import type { Lifecycle } from './http/endpoint.ts';
import { EventStreams } from './http/event-stream.ts';
import { HttpOutgoing } from './http/outgoing.ts';
import { Uploads } from './http/uploads.ts';
import { openImageDelivery } from './image-delivery/open.ts';
import type { ImageDeliveryServices } from './image-delivery/services.ts';
import type { ImageServices } from './images/services.ts';
import { Jobs } from './jobs/jobs.ts';
import type { JobServices } from './jobs/services.ts';
import type { Log } from './log.ts';
import type { McpServices } from './mcp/services.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import type { PipelineServices } from './pipelines/services.ts';
import { type LocalProgram, servedProgram } from './sites/local-server.ts';
import { SiteScans } from './sites/scans.ts';
import type { SiteServices } from './sites/services.ts';
import { WebhookSender } from './webhooks/sender.ts';
import type { WebhookServices } from './webhooks/services.ts';

const USER_AGENT = 'Imagecrew/1.0';
/** Share of the JavaScript heap for the texts of requests. The process ends when the heap is full. */
const MAX_TEXT_HEAP_SHARE = 1 / 4;

/** Receives the function that closes a part, also when a later part fails to open. Call them in reverse order. */
export type OnOpened = (close: () => Promise<unknown>) => void;

export interface OpenOptions {
  log: Log;
  /** Default: the plans of the settings. */
  plans?: Plans;
  baseUrl(): string;
  lifecycle(): Lifecycle;
  /** Default: the program that the service hands out. */
  localProgram?(): Promise<LocalProgram>;
}

/** What the services are built from. */
export interface ServicesOptions extends OpenOptions {
  config: Config;
  database: Database;
  engine: Engine;
  metrics: Metrics;
  /** Default: the system's clock. */
  clock?: Clock;
  /** Default: the system's resolver. */
  resolve?: Resolve;
}

/** What all parts of the service use together. Each part declares its own share. */
export type Services = AppServices &
  AccountServices &
  DocumentationServices &
  FileServices &
  HealthServices &
  ImageServices &
  JobServices &
  McpServices &
  PipelineServices &
  SiteServices &
  WebhookServices &
  ImageDeliveryServices & { config: Config; database: Database; engine: Engine; metrics: Metrics };

export interface OpenedServices {
  services: Services;
  /** Sends nothing until it is started. */
  notices: NoticeSender;
}

/**
 * Opens the data folder and everything that works on it. The workers are still starting when it resolves.
 * @throws Failure when the data folder cannot be used
 */
export async function openServices(config: Config, options: OpenOptions, onOpened: OnOpened): Promise<OpenedServices> {
  await checkModelsFolder(config.modelsDir);
  const unlock = await lockDataFolder(config.dataDir);
  onOpened(async () => unlock());
  const database = await openDatabase(config);
  onOpened(() => database.close());
  const presence = await database.join();
  onOpened(() => presence.leave());
  if (config.storageUrl === undefined && !(await database.claims.isAlone()))
    options.log.warn(
      'another server works on this database, or was just killed: without IC_STORAGE_URL each has only the results of its own (docs/guides/postgresql.md)',
    );
  const metrics = createMetrics();
  const engine = await createEngine({ ...engineOptions(config), observer: metrics.observer });
  onOpened(() => engine.close(0));
  const opened = await createServices({ ...options, config, database, engine, metrics }, onOpened);
  const { scans, results, jobs, webhooks } = opened.services;
  const expiry = await startExpiry(
    [scans, results, jobs, webhooks],
    (error) => options.log.error({ err: error }, 'sweep of what has expired failed'),
    // What another process is writing may look like what a crash has left.
    await database.claims.isAlone(),
  );
  onOpened(() => expiry.stop());
  return opened;
}

interface FileStores {
  openFiles: OpenFileStore;
  writeProbe: WriteProbe;
}

interface FileStoreOptions {
  quota: StorageQuota;
  log: Log;
  now: () => number;
}

/** @throws Failure when the store of IC_STORAGE_URL cannot be used */
async function openFileStores(config: Config, { quota, log, now }: FileStoreOptions): Promise<FileStores> {
  const folder = folderWriteProbe(config.dataDir, now);
  const { storageUrl, storageRedirects: redirects } = config;
  if (storageUrl === undefined) return { openFiles: localFileStores(config.dataDir, quota), writeProbe: folder };
  const onFault = (err: unknown) => log.warn({ err }, 'the store of files did not do what it was asked');
  const { openFiles, probe } = await openS3Store({ ...config, storageUrl }, { quota, now, redirects, onFault });
  if (config.databaseUrl !== undefined) return { openFiles, writeProbe: probe };
  // The database is in the folder.
  const read = async () => {
    const found = await folder.read();
    return found === 'ok' ? await probe.read() : found;
  };
  return { openFiles, writeProbe: { read } };
}

/** Builds the services on a database and an engine. The caller closes these two. */
export async function createServices(
  { config, database, engine, metrics, log, baseUrl, lifecycle, ...others }: ServicesOptions,
  onOpened: OnOpened,
): Promise<OpenedServices> {
  const { clock = systemClock, resolve = resolveBySystem, plans = await Plans.load(config) } = others;
  const { localProgram = () => servedProgram(baseUrl()) } = others;
  const now = () => clock.now();
  const quota = new StorageQuota(config.storageBytes, (name) => database.files.ownerOf(name));
  const { openFiles, writeProbe } = await openFileStores(config, { quota, log, now });
  const results = new Results(database.files, await openFiles('files'), now);
  const jobs = await Jobs.open({ database, config, openFiles, openEvents: database.openEvents, baseUrl, now });
  const scans = await SiteScans.open({ database, openFiles, openEvents: database.openEvents, now });
  metrics.watch({ engine, results, jobs: database.jobs, freeBytes: () => freeSpace(config.dataDir) });
  const outgoing = new HttpOutgoing({ allowPrivate: config.allowPrivateAddresses, userAgent: USER_AGENT });
  const webhooks = new WebhookSender({ database, config, outgoing, metrics, log, clock });
  onOpened(() => webhooks.stop());
  jobs.events.watchAll(({ type }) => {
    if (type === 'ended') webhooks.wake();
  });
  const notices = await NoticeSender.create({ database, config, log, now });
  onOpened(() => notices.stop());

  const ledger = new Ledger(database, plans, () => void notices.wake(), now, log);
  onOpened(() => ledger.stop());

  const parts: Omit<Services, 'imageDelivery' | 'imageAddresses'> = {
    config,
    database,
    results,
    writeProbe,
    jobs,
    scans,
    eventStreams: new EventStreams(),
    webhooks,
    engine,
    metrics,
    outgoing,
    uploads: new Uploads(config.uploadBytes, MAX_TEXT_HEAP_SHARE * getHeapStatistics().heap_size_limit),
    authenticate: createAuthenticate(database, now),
    clientAddresses: new ClientAddresses(config.trustedProxies),
    failedAttempts: new FailedAttempts(clock),
    plans,
    ledger,
    rates: new Rates(database.rateWindows, plans, now),
    resolve,
    now,
    localProgram,
    get baseUrl() {
      return baseUrl();
    },
    get lifecycle() {
      return lifecycle();
    },
  };
  // The cache has a limit of its own, which removes what is used least.
  const cacheStores = await openFileStores(config, { quota: new StorageQuota(Number.POSITIVE_INFINITY), log, now });
  const files = await cacheStores.openFiles(CACHE);
  const delivery = await openImageDelivery({ services: parts, database, files, config, metrics, log });
  onOpened(() => delivery.imageDelivery.stop());
  // Getters of the parts stay getters.
  return { services: Object.assign(parts, delivery), notices };
}
