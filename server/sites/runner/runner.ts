/**
 * Runs the scans of websites in the background, several at a time, phase by phase. Their state is in the database:
 * after the process was stopped or killed, a scan continues in its phase.
 */
import { setImmediate } from 'node:timers/promises';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { CoalescingTask } from '../../../base/coalescing-task.ts';
import { Failure, internalError } from '../../../base/failure.ts';
import { timestamp } from '../../../base/timestamp.ts';
import type { ScanStatus, SiteScan } from '../../../storage/records/site-scans.ts';
import type { Plan } from '../../account/plans.ts';
import type { Log } from '../../log.ts';
import type { SiteClient } from '../fetch/site-client.ts';
import { refreshTotals } from '../findings/totals.ts';
import type { PageRenderer } from '../render/renderer.ts';
import type { SiteServices } from '../services.ts';
import type { SiteScanSettings } from '../settings.ts';
import { RUNNING_STATUSES } from '../states.ts';
import { createScanClient } from './client.ts';
import type { ScanContext } from './context.ts';
import { ownerDisabled, ScanPhaseChanged, stoppedTooOften } from './errors.ts';
import { isPhase, PHASES, type Phase } from './phases.ts';

/** Maximum number of times that the process may end during a phase without progress. */
const MAX_ATTEMPTS = 3;

/** Wait before retrying after an internal error; it doubles each time. */
const RETRY_DELAY_MS = 1000;
const MAX_RETRY_DELAY_MS = 60_000;

/** How often a process looks for scans that others have left. */
const WAKE_MS = 15_000;

/** The reason why a running scan was stopped. */
type Stop = 'stopping' | 'left';

const RUNNING_WITH_PACKAGE = 2;

interface RunningScan {
  scanId: string;
  accountId: string;
  phase: ScanStatus;
  controller: AbortController;
  ended: Promise<void>;
}

interface ScanRunnerOptions {
  services: SiteServices;
  log: Log;
  /** Default: a client for the network. */
  createClient?: (scan: SiteScan) => SiteClient;
  /** Renders the pages of every scan. Default: pages are not rendered and their scripts are not run. */
  renderer?: PageRenderer | undefined;
  /** Default: the system clock. */
  clock?: Clock;
}

export class ScanRunner {
  readonly #services: SiteServices;
  readonly #log: Log;
  readonly #createClient: (scan: SiteScan) => SiteClient;
  readonly #inWork = new Map<string, RunningScan>();
  readonly #starting: CoalescingTask;
  readonly #unwatch: () => void;
  readonly #renderer: PageRenderer | undefined;
  readonly #clock: Clock;
  #running = false;
  #cancelWake: () => void = () => {};
  /** Number of consecutive scans whose end could not be recorded. */
  #consecutiveFailures = 0;

  constructor({ services, log, createClient, renderer, clock = systemClock }: ScanRunnerOptions) {
    this.#services = services;
    this.#log = log;
    this.#createClient = createClient ?? ((scan) => createScanClient(services, scan));
    this.#renderer = renderer;
    this.#clock = clock;
    this.#starting = new CoalescingTask(
      () => this.#startScans(),
      (error) => {
        log.error({ err: error }, 'no website scan could be taken up');
        clock.after(RETRY_DELAY_MS, () => this.wake());
      },
    );
    this.#unwatch = services.scans.events.watchAll(({ type, scanId }) => {
      if (type === 'removed') this.#inWork.get(scanId)?.controller.abort('left' satisfies Stop);
      if (type === 'changed') void this.#onChanged(scanId);
    });
  }

  /** Continues scans of an earlier process, and starts new ones from now on. */
  async start(): Promise<void> {
    this.#running = true;
    this.#wakeRegularly();
  }

  /** Takes up scans, now and later: other processes may end and leave some. */
  #wakeRegularly(): void {
    this.wake();
    this.#cancelWake = this.#clock.after(WAKE_MS, () => this.#wakeRegularly());
  }

  /** Starts as many scans as may run. */
  wake(): void {
    if (this.#running) void this.#starting.ask();
  }

  /** Interrupts the running scans; resolves when none is running. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#cancelWake();
    this.#unwatch();
    await this.#starting.end();
    for (const { controller } of this.#inWork.values()) controller.abort('stopping' satisfies Stop);
    await Promise.all([...this.#inWork.values()].map(({ ended }) => ended));
  }

  /** Scans that were already running go first. */
  async #startScans(): Promise<void> {
    const { config, database, plans } = this.#services;
    const { siteScans, accounts } = database;
    for (const { id, accountId, packageId } of [...(await siteScans.running()), ...(await siteScans.queued())]) {
      if (!this.#running || this.#inWork.size >= config.scansRunning) return;
      if (this.#inWork.has(id)) continue;
      const account = await accounts.find(accountId);
      const running = [...this.#inWork.values()].filter((work) => work.accountId === accountId).length;
      const most = account ? runningScans(plans.of(account), packageId) : Number.MAX_SAFE_INTEGER;
      if (running >= most) continue;
      const group = { name: `scans ${accountId}`, most };
      if (!(await database.transaction(({ claims }) => claims.take(claimOf(id), group)))) continue;
      this.#start(id, accountId);
    }
  }

  #start(scanId: string, accountId: string): void {
    const work: RunningScan = {
      scanId,
      accountId,
      phase: 'queued',
      controller: new AbortController(),
      ended: Promise.resolve(),
    };
    this.#inWork.set(scanId, work);
    work.ended = this.#work(work)
      .then(
        () => {
          this.#consecutiveFailures = 0;
        },
        async (error) => {
          this.#log.error({ err: error, scan_id: scanId }, 'a website scan could not be ended');
          await this.#waitBeforeRetry(work);
        },
      )
      .finally(async () => {
        await this.#releaseClaim(scanId);
        this.#inWork.delete(scanId);
        this.wake();
      });
  }

  /** A claim that cannot be released stays with this process, which can take it again. */
  async #releaseClaim(scanId: string): Promise<void> {
    await this.#services.database.claims
      .release(claimOf(scanId))
      .catch((error) => this.#log.error({ err: error, scan_id: scanId }, 'the claim on a scan could not be released'));
  }

  /** Keeps the scan's slot occupied for a while, unless it is stopped. */
  #waitBeforeRetry({ controller: { signal } }: RunningScan): Promise<void> {
    const rest = Math.min(RETRY_DELAY_MS * 2 ** this.#consecutiveFailures, MAX_RETRY_DELAY_MS);
    this.#consecutiveFailures += 1;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const callOff = this.#clock.after(rest, resolve);
      signal.addEventListener('abort', () => {
        callOff();
        resolve();
      });
    });
  }

  /** Called when a scan was changed: it may be waiting for work, or may have left the phase that is running. */
  async #onChanged(scanId: string): Promise<void> {
    const work = this.#inWork.get(scanId);
    if (!work) return this.wake();
    try {
      const scan = await this.#services.database.siteScans.find(scanId);
      if (scan?.status !== work.phase) work.controller.abort('left' satisfies Stop);
    } catch (error) {
      // The next step of the scan will notice its new state.
      this.#log.error({ err: error, scan_id: scanId }, 'a website scan could not be read');
    }
  }

  async #work(work: RunningScan): Promise<void> {
    const { siteScans, siteCrawl } = this.#services.database;
    let client: SiteClient | undefined;
    try {
      for (;;) {
        // Database calls are synchronous: without this, the request that creates a scan would wait for the beginning of
        // its work.
        await setImmediate();
        const scan = await siteScans.find(work.scanId);
        if (!scan) return await this.#removeOriginals(work.scanId);
        if (!RUNNING_STATUSES.has(scan.status) || work.controller.signal.aborted) return;
        work.phase = scan.status;
        if (scan.status === 'queued') {
          const startedAt = timestamp(this.#services.now());
          await this.#move(work, 'discovering', { startedAt: scan.startedAt ?? startedAt });
          continue;
        }
        if (!isPhase(scan.status)) return;
        client ??= this.#createClient(scan);
        await siteCrawl.putBack(scan.id);
        const next = await this.#phase(work, scan, scan.status, client);
        // The owner may change settings, which need another client.
        if (!RUNNING_STATUSES.has(next)) return;
      }
    } catch (error) {
      await this.#afterFailure(work, error);
    } finally {
      client?.close();
    }
  }

  async #phase(work: RunningScan, scan: SiteScan, phase: Phase, client: SiteClient): Promise<ScanStatus> {
    const startedAt = performance.now();
    const context = await this.#contextOf(work, await this.#countAttempt(scan), client);
    const next = await PHASES[phase](context);
    work.controller.signal.throwIfAborted();
    await this.#move(work, next, RUNNING_STATUSES.has(next) ? {} : this.#ended(context));
    const duration = Math.round(performance.now() - startedAt);
    this.#log.info({ ...logFields(scan), phase, next, duration_ms: duration }, 'phase of a website scan');
    if (!RUNNING_STATUSES.has(next)) await this.#removeOriginals(scan.id);
    return next;
  }

  /**
   * Counts the start of a phase, whether new or repeated.
   * @throws Failure when it was repeated too often without progress
   */
  async #countAttempt(scan: SiteScan): Promise<SiteScan> {
    // A repeated phase keeps its start time: the remaining time is estimated from it.
    const isNew = scan.phaseStartedAt === null;
    if (!isNew && scan.attempts >= MAX_ATTEMPTS) throw stoppedTooOften(scan.attempts);
    const begun = isNew
      ? { attempts: 1, phaseStartedAt: timestamp(this.#services.now()) }
      : { attempts: scan.attempts + 1 };
    await this.#services.database.siteScans.change(scan.id, begun);
    return { ...scan, ...begun };
  }

  /** Changes for a scan that now waits for its owner: its files are kept from now on. */
  #ended({ scan, caller }: ScanContext): Partial<SiteScan> {
    const { now, plans, scans } = this.#services;
    return { finishedAt: timestamp(now()), expiresAt: scans.expiryOf(scan.id, plans.of(caller.account)) };
  }

  /** @throws ScanPhaseChanged when the status was changed by someone else */
  async #move(work: RunningScan, to: ScanStatus, changes: Partial<SiteScan>): Promise<void> {
    const { database, now, scans } = this.#services;
    const begun = {
      phaseStartedAt: timestamp(now()),
      attempts: 0,
      progressDone: 0,
      progressTotal: null,
      progressUrl: null,
    };
    const all = { ...(RUNNING_STATUSES.has(to) && begun), ...changes };
    if (!(await database.siteScans.move(work.scanId, work.phase, to, all))) throw new ScanPhaseChanged();
    work.phase = to;
    scans.events.emit({ type: 'changed', scanId: work.scanId });
  }

  async #contextOf({ controller }: RunningScan, scan: SiteScan, client: SiteClient): Promise<ScanContext> {
    const { database, scans } = this.#services;
    const account = await database.accounts.find(scan.accountId);
    const key = await database.keys.find(scan.keyId, scan.accountId);
    // A key revoked in the meantime does not matter: the scan was accepted, and its owner may cancel it.
    if (!account || account.disabled || !key) throw ownerDisabled();
    return {
      scan,
      settings: JSON.parse(scan.settings) as SiteScanSettings,
      caller: { account, key },
      services: this.#services,
      client,
      renderer: this.#renderer,
      originals: scans.originals,
      log: this.#log,
      signal: controller.signal,
      tell: (event) => scans.events.emit(event),
    };
  }

  async #afterFailure(work: RunningScan, error: unknown): Promise<void> {
    const { database, now, scans } = this.#services;
    const { scanId, phase, controller } = work;
    const scan = await database.siteScans.find(scanId);
    if (!scan) return await this.#removeOriginals(scanId);
    if (scan.status !== phase || error instanceof ScanPhaseChanged) {
      // The status was changed by someone else: no page or image is in work any more.
      if (!RUNNING_STATUSES.has(scan.status)) await database.siteCrawl.putBack(scanId);
      if (!RUNNING_STATUSES.has(scan.status)) await this.#removeOriginals(scanId);
      this.#log.info({ ...logFields(scan), phase, status: scan.status }, 'a website scan was left');
      return;
    }
    const failure = error instanceof Failure ? error : internalError(error);
    if (controller.signal.aborted || failure.code === 'shutting_down') {
      // Stopping the service does not count as a failed attempt.
      await database.siteScans.change(scanId, { attempts: 0 });
      return;
    }
    if (failure.code === 'internal_error')
      this.#log.error({ err: failure.cause ?? failure, ...logFields(scan) }, 'a website scan failed by our fault');
    const { code: errorCode, message: errorMessage } = failure;
    await database.siteCrawl.putBack(scanId);
    await refreshTotals({ scan, services: this.#services });
    const ended = { stoppedIn: phase, errorCode, errorMessage, finishedAt: timestamp(now()) };
    if (!(await database.siteScans.move(scanId, phase, 'failed', ended))) return;
    this.#log.info({ ...logFields(scan), phase, error: errorCode }, 'a website scan has failed');
    scans.events.emit({ type: 'changed', scanId });
    await this.#removeOriginals(scanId);
  }

  /** Removes the originals, which will not be converted any more. */
  async #removeOriginals(scanId: string): Promise<void> {
    await this.#services.scans.originals.removeAll(scanId);
  }
}

const claimOf = (scanId: string): string => `scan ${scanId}`;

/** A package allows as many running scans as the plan pro (docs/spec/shapes.md, section 16.9). */
const runningScans = ({ running_scans }: Plan, packageId: string | null): number =>
  packageId === null ? running_scans : Math.max(running_scans, RUNNING_WITH_PACKAGE);

/** Fields of a scan for log lines. */
const logFields = ({ id, accountId, keyId, domain }: SiteScan) => ({
  scan_id: id,
  account_id: accountId,
  key_id: keyId,
  source_host: domain,
});
