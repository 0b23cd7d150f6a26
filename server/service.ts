/** The whole service: opens its parts in order, listens, and closes the parts in reverse order. */
import type { Database } from '../storage/ports/database.ts';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { ENDPOINTS } from './endpoints.ts';
import { measureEventLoop } from './event-loop.ts';
import type { Lifecycle } from './http/endpoint.ts';
import { startHttpServer } from './http/server.ts';
import { createExecuteItem } from './jobs/execute-item.ts';
import { JobRunner } from './jobs/runner.ts';
import { createLog, type Log } from './log.ts';
import { openServices } from './services.ts';
import { ScanRunner } from './sites/runner/runner.ts';

/** How long running requests may take to finish when the service is stopped. */
const GRACE_MS = 30_000;

export interface Service {
  /** `http://host:port` as bound. */
  address: string;
  /** Stops accepting work, finishes what is running (30 seconds at most) and closes everything. */
  close(): Promise<void>;
}

/**
 * Starts the service. Resolves when its workers are up. Until
 * then it already listens and reports `starting` at /readyz.
 * @param prepare runs when everything else has succeeded; if it fails, the start fails
 * @throws Failure when the data folder or the address cannot be used
 */
export async function startService(
  config: Config,
  log: Log = createLog(config.logLevel),
  prepare: (database: Database) => Promise<void> = async () => {},
): Promise<Service> {
  const closers: (() => Promise<unknown>)[] = [];
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    let lifecycle: Lifecycle = 'starting';
    const options = { log, baseUrl: () => config.baseUrl ?? http.address, lifecycle: () => lifecycle };
    const { services, notices } = await openServices(config, options, (close) => closers.push(close));
    const runner = new JobRunner({ services, execute: createExecuteItem(services), log });
    closers.push(() => runner.stop());
    const scanRunner = new ScanRunner({ services, log });
    closers.push(() => scanRunner.stop());
    const app = createApp(ENDPOINTS, services, log);
    const http = await startHttpServer(app.callback(), config);
    closers.push(() => http.close());
    await services.engine.ready();
    notices.start();
    services.webhooks.wake();
    await runner.start();
    await scanRunner.start();
    await prepare(services.database);
    lifecycle = 'ready';
    measureEventLoop();

    let closing: Promise<void> | undefined;
    const stop = async () => {
      lifecycle = 'draining';
      log.info({ active: http.active }, 'draining');
      services.jobs.events.close();
      services.scans.events.close();
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
