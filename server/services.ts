/** What the service and the commands that work without a server are made of, opened in order. */
import { join } from 'node:path';
import { createEngine } from '../engine/pools.ts';
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
import type { Config } from './config.ts';
import { engineOptions } from './engine-options.ts';
import { resolveBySystem } from './http/connector.ts';
import type { Lifecycle, Services } from './http/endpoint.ts';
import { createOutgoing } from './http/outgoing.ts';
import { Uploads } from './http/uploads.ts';
import { Jobs } from './jobs/jobs.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { SiteScans } from './sites/scans.ts';
import { WebhookSender } from './webhooks/sender.ts';

const USER_AGENT = 'Imagecrew/1.0';

/** Takes what closes a part, to be called in reverse order; also of parts opened before one that failed. */
export type OnOpened = (close: () => Promise<unknown>) => void;

export interface ServicesOptions {
  log: Log;
  /** Default: those that the settings name. */
  plans?: Plans;
  baseUrl(): string;
  lifecycle(): Lifecycle;
}

export interface OpenedServices {
  services: Services;
  /** Sends nothing before it is started. */
  notices: NoticeSender;
}

/**
 * Opens the data folder and everything that works on it; the workers are still starting when it resolves.
 * @throws Failure when the data folder cannot be used
 */
export async function openServices(
  config: Config,
  { log, plans: givenPlans, baseUrl, lifecycle }: ServicesOptions,
  onOpened: OnOpened,
): Promise<OpenedServices> {
  const unlock = await lockDataFolder(config.dataDir);
  onOpened(async () => unlock());
  const database = await openDatabase(config.dataDir);
  onOpened(() => database.close());
  const room = new StorageRoom(config.storageBytes);
  const results = new Results(database.files, await LocalFiles.open(join(config.dataDir, 'files'), room));
  const jobs = await Jobs.open({ database, config, room, baseUrl });
  const scans = await SiteScans.open({ database, config, room });
  const metrics = createMetrics();
  const outgoing = createOutgoing({ allowPrivate: config.allowPrivateAddresses, userAgent: USER_AGENT });
  const webhooks = new WebhookSender({ database, config, outgoing, metrics, log });
  onOpened(() => webhooks.stop());
  jobs.events.watchAll(({ type }) => {
    if (type === 'ended') webhooks.wake();
  });
  const expiry = await startExpiry([scans, results, jobs, webhooks], (error) =>
    log.error({ err: error }, 'sweep of what has expired failed'),
  );
  onOpened(() => expiry.stop());

  const engine = await createEngine({ ...engineOptions(config), observer: metrics.observer });
  onOpened(() => engine.close(0));
  metrics.watch(engine, results, database.jobs);

  const plans = givenPlans ?? (await Plans.load(config));
  const notices = await NoticeSender.create({ database, config, log });
  onOpened(() => notices.stop());
  const ledger = new Ledger(database, plans, () => void notices.wake());
  await ledger.recover();

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
      return baseUrl();
    },
    get lifecycle() {
      return lifecycle();
    },
  };
  return { services, notices };
}
