/** Runs a scan from start to end with the service's code, for a command that waits for the result. */

import type { Config } from '../../server/config.ts';
import { PageRenderer } from '../../server/sites/render/renderer.ts';
import { createScanClient } from '../../server/sites/runner/client.ts';
import { ScanRunner } from '../../server/sites/runner/runner.ts';
import type { SiteServices } from '../../server/sites/services.ts';
import { RUNNING_STATUSES } from '../../server/sites/states.ts';
import { siteUserAgent } from '../../server/sites/user-agent.ts';
import type { SiteScan } from '../../storage/records/site-scans.ts';
import { ExitStatus, signalExitStatus } from '../exit-status.ts';
import type { Io } from '../io.ts';
import { stoppable } from '../stoppable.ts';
import { type CommandServices, withCommandServices } from './command-services.ts';
import type { SiteOptions } from './scan-options.ts';
import { ScanProgress } from './scan-progress.ts';
import type { Target } from './target.ts';

export interface EndedScan {
  scan: SiteScan;
  services: SiteServices & { config: Pick<Config, 'dataDir'> };
  target: Target;
  /** Fires when the process receives a signal to stop. */
  signal: AbortSignal;
}

/**
 * Runs a scan and passes its result to `work`. The data is deleted afterwards.
 * @param check runs before the scan; the scan is not started if it throws
 * @throws Failure for an invalid URL or invalid settings, or if Chromium is needed and missing
 * @throws ExitStatus if the process received a signal to stop
 */
export async function withScan<T>(
  io: Io,
  target: Target,
  options: SiteOptions,
  work: (ended: EndedScan) => Promise<T>,
  check: (services: SiteServices, signal: AbortSignal) => Promise<void> = async () => {},
): Promise<T> {
  return await stoppable(async (signal) => {
    let renderer: PageRenderer | undefined;
    try {
      if (options.render) renderer = await PageRenderer.open(io.env);
      return await withCommandServices(io, options.allowPrivate ?? [], async (opened) => {
        await check(opened.services, signal);
        const scan = await runScan(io, opened, target, { ...options, renderer }, signal);
        const result = await work({ scan, services: opened.services, target, signal });
        signal.throwIfAborted();
        return result;
      });
    } catch (error) {
      throw signal.aborted ? new ExitStatus(signalExitStatus(signal.reason)) : error;
    } finally {
      await renderer?.close();
    }
  });
}

async function runScan(
  io: Io,
  { services, caller, log }: CommandServices,
  target: Target,
  { settings, json, renderer }: SiteOptions & { renderer: PageRenderer | undefined },
  signal: AbortSignal,
): Promise<SiteScan> {
  const { scans, database, config, plans } = services;
  const asked = await target.ask(services, settings, signal);
  const userAgent = siteUserAgent(config.baseUrl);
  const runner = new ScanRunner({
    services,
    log,
    createClient: (scan) => target.client(createScanClient(services, scan, userAgent)),
    renderer,
  });
  const { id } = await scans.create(caller, plans.of(caller.account), asked);
  const progress = new ScanProgress(json ? { ...io, isTerminal: false } : io);
  let unwatch = () => {};
  try {
    await runner.start();
    signal.throwIfAborted();
    return await new Promise<SiteScan>((resolve, reject) => {
      const look = async () => {
        const scan = (await database.siteScans.find(id))!;
        if (!RUNNING_STATUSES.has(scan.status)) resolve(scan);
        else if (!signal.aborted) progress.show(scan);
      };
      const lookAgain = () => void look().catch(reject);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      unwatch = scans.events.watch(id, ({ type }) => {
        if (type === 'changed' || type === 'progress') lookAgain();
      });
      lookAgain();
    });
  } finally {
    unwatch();
    await runner.stop();
    progress.clear();
  }
}
