/** Creates, finds, changes and deletes the website scans of accounts. They are run by runner/. */

import { setImmediate } from 'node:timers/promises';
import { EventLoopShare } from '../../base/event-loop-share.ts';
import type { Events, OpenEvents } from '../../base/events.ts';
import { newId } from '../../base/id.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Database, Repositories } from '../../storage/ports/database.ts';
import type { OpenFileStore } from '../../storage/ports/file-store.ts';
import type { NewSiteScan } from '../../storage/ports/site-scans.ts';
import type { Package } from '../../storage/records/packages.ts';
import type { SiteProject, SiteScan } from '../../storage/records/site-scans.ts';
import type { Plan } from '../account/plans.ts';
import type { Caller } from '../http/context.ts';
import {
  domainMismatch,
  packageUsedUp,
  projectNotFound,
  scanNotFound,
  tooManyScans,
  tooManyWebsites,
} from './errors.ts';
import type { ScanEvent } from './events.ts';
import { ScanOriginals } from './originals.ts';
import type { ScanRequest } from './scan-request.ts';

/** Maximum number of scans of an account that wait for their first phase. */
const MAX_QUEUED_SCANS = 50;

const DAY_MS = 24 * 3_600_000;

/**
 * How long the files of a run of POST /sites/optimize are kept (docs/spec/shapes.md, section 17.11). After the same time
 * again, its record is deleted.
 */
const OPTIMIZE_RETENTION_MS = DAY_MS;

/** Allowance for each page of a package (docs/spec/shapes.md, section 16.9). */
const PACKAGE_ASSETS_PER_PAGE = 20;
const PACKAGE_BYTES_PER_PAGE = 10_000_000;

export interface SiteScansOptions {
  database: Database;
  /** Opens the store of the originals of scans. */
  openFiles: OpenFileStore;
  openEvents: OpenEvents;
  /** The clock, in milliseconds. */
  now?: () => number;
}

type Limits = Pick<NewSiteScan, 'packageId' | 'pagesAllowed' | 'assetsAllowed' | 'bytesAllowed' | 'warnings'>;

export class SiteScans {
  readonly events: Events<ScanEvent>;
  readonly originals: ScanOriginals;
  readonly #database: Database;
  readonly #now: () => number;

  private constructor({ database, openEvents, now = Date.now }: SiteScansOptions, originals: ScanOriginals) {
    this.events = openEvents('scans', ({ scanId }) => scanId);
    this.originals = originals;
    this.#database = database;
    this.#now = now;
  }

  static async open(options: SiteScansOptions): Promise<SiteScans> {
    return new SiteScans(options, await ScanOriginals.open(options.openFiles));
  }

  /**
   * Checks that the account may create another scan. Called before its list is read, which takes longer.
   * @throws Failure `too_many_jobs`
   */
  async checkQueue(accountId: string): Promise<void> {
    await checkQueue(this.#database.siteScans, accountId);
  }

  /**
   * Records a scan. From then on it is run even if the process ends.
   * @throws Failure `not_found`, `domain_mismatch`, `upgrade_required` or `too_many_jobs`
   */
  async create(caller: Caller, plan: Plan, asked: ScanRequest, signal?: AbortSignal): Promise<SiteScan> {
    const id = newId('scan');
    const list = asked.list ?? [];
    try {
      await this.#insertList(id, list, signal);
      await this.#insertScan(id, caller, plan, asked);
    } catch (error) {
      await this.#removeList(id, list);
      throw error;
    }
    return await this.#announceCreated(id);
  }

  async #insertScan(id: string, caller: Caller, plan: Plan, asked: ScanRequest): Promise<void> {
    const now = timestamp(this.#now());
    await this.#database.transaction(async (repositories) => {
      const { siteScans } = repositories;
      const { account } = caller;
      await checkQueue(siteScans, account.id);
      const pool = asked.package && (await findPackage(repositories, account.id, asked.package, now));
      const known = await projectFor(repositories, account.id, asked);
      if (!pool) await checkWebsites(repositories, account.id, plan.websites, known);
      const projectId = known?.id ?? newId('proj');
      if (!known)
        await siteScans.insertProject({
          id: projectId,
          accountId: account.id,
          domain: asked.domain,
          name: null,
          createdAt: now,
        });
      await this.#insert(repositories, caller, asked, {
        id,
        projectId,
        previousScanId: known ? ((await siteScans.lastComplete(known.id)) ?? null) : null,
        expiresAt: this.expiryOf(id, plan),
        createdAt: now,
        ...(pool ? limitsOfPackage(asked, pool) : limitsOfPlan(asked, plan, plan.scan_pages)),
      });
    });
  }

  /**
   * Stores the list before the scan and outside any transaction: other work runs between two chunks, and nobody reads
   * them yet.
   */
  async #insertList(scanId: string, list: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const share = new EventLoopShare();
    for (const [part, addresses] of list.entries()) {
      if (share.isUsedUp) await share.next();
      signal?.throwIfAborted();
      await this.#database.siteScans.insertListPart({ scanId, part, addresses });
    }
  }

  async #removeList(scanId: string, list: readonly string[]): Promise<void> {
    const share = new EventLoopShare();
    for (const part of list.keys()) {
      if (share.isUsedUp) await share.next();
      await this.#database.siteScans.removeListPart(scanId, part);
    }
  }

  /**
   * Records a run of POST /sites/optimize, which belongs to no project.
   * @throws Failure `too_many_jobs`
   */
  async createOptimize(caller: Caller, plan: Plan, asked: ScanRequest): Promise<SiteScan> {
    const id = newId('opt');
    await this.#database.transaction(async (repositories) => {
      await checkQueue(repositories.siteScans, caller.account.id);
      await this.#insert(repositories, caller, asked, {
        id,
        projectId: null,
        previousScanId: null,
        expiresAt: this.expiryOf(id, plan),
        createdAt: timestamp(this.#now()),
        ...limitsOfPlan(asked, plan, plan.optimize_pages),
      });
    });
    return await this.#announceCreated(id);
  }

  async #insert(
    { siteScans }: Repositories,
    { account, key }: Caller,
    asked: ScanRequest,
    rest: Limits & Pick<NewSiteScan, 'id' | 'projectId' | 'previousScanId' | 'expiresAt' | 'createdAt'>,
  ): Promise<void> {
    const { name, domain, source, url, optimize, maxPages } = asked;
    const scan = {
      accountId: account.id,
      keyId: key.id,
      name,
      domain,
      source,
      url,
      review: Number(asked.review),
      optimize,
      package: asked.package ?? null,
      settings: JSON.stringify(asked.settings),
      maxPages,
      ...rest,
    };
    await siteScans.insert(scan);
  }

  async #announceCreated(id: string): Promise<SiteScan> {
    this.events.emit({ type: 'changed', scanId: id });
    return (await this.#database.siteScans.find(id))!;
  }

  /** @throws Failure `not_found`, also for a scan of another account */
  async find(accountId: string, id: string): Promise<SiteScan> {
    const scan = await this.#database.siteScans.find(id);
    if (scan?.accountId !== accountId) throw scanNotFound(id);
    return scan;
  }

  /** The time until which the files of a scan are kept if its owner starts it now. */
  expiryOf(id: string, { scan_keep_days }: Pick<Plan, 'scan_keep_days'>): string {
    return timestamp(this.#now() + (id.startsWith('opt_') ? OPTIMIZE_RETENTION_MS : scan_keep_days * DAY_MS));
  }

  /**
   * Deletes a scan, even while it is running. Its results and files, which may be many, are removed by the next sweep.
   * @throws Failure `not_found`
   */
  async delete(accountId: string, id: string): Promise<void> {
    await this.find(accountId, id);
    await this.#database.transaction(({ siteScans }) => siteScans.remove(id, timestamp(this.#now())));
    this.events.emit({ type: 'removed', scanId: id });
  }

  /** Runs at startup: removes lists without a scan. */
  async removeOrphans(): Promise<void> {
    await this.#database.siteScans.removeListOrphans();
  }

  /** Removes the originals of scans that are not running, left by a crash. */
  async removeOrphanFiles(): Promise<void> {
    const { siteScans } = this.#database;
    await this.originals.removeOrphanFiles(
      async () => new Set([...(await siteScans.queued()), ...(await siteScans.running())].map(({ id }) => id)),
    );
  }

  /**
   * Releases the files of expired scans, deletes runs of POST /sites/optimize a day later, and removes the data of
   * deleted scans. Works in steps, so that other work runs in between.
   */
  async sweep(): Promise<void> {
    const now = timestamp(this.#now());
    const { siteScans } = this.#database;
    for (const id of await siteScans.expired(now)) {
      for (let seq: number | undefined = 0; seq !== undefined; await setImmediate())
        seq = await siteScans.release(id, seq, now);
      await siteScans.change(id, { releasedAt: now });
    }
    for (const id of await siteScans.forgettable(timestamp(this.#now() - OPTIMIZE_RETENTION_MS)))
      await this.#database.transaction((repositories) => repositories.siteScans.remove(id, now));
    for (const id of await siteScans.removed()) {
      while (!(await this.#database.transaction((repositories) => repositories.siteScans.clear(id, now))))
        await setImmediate();
      await this.originals.removeAll(id);
    }
    await this.originals.removeLeftovers(this.#now());
  }
}

/** The project that a scan joins, if it exists. */
async function projectFor(
  { siteScans }: Repositories,
  accountId: string,
  { projectId, domain }: ScanRequest,
): Promise<SiteProject | undefined> {
  if (projectId === undefined) return await siteScans.projectOf(accountId, domain);
  const project = await siteScans.findProject(projectId);
  if (project?.accountId !== accountId) throw projectNotFound(projectId);
  if (project.domain !== domain) throw domainMismatch(project.domain, domain);
  return project;
}

async function checkQueue(scans: Pick<Repositories['siteScans'], 'countQueued'>, accountId: string): Promise<void> {
  if ((await scans.countQueued(accountId)) >= MAX_QUEUED_SCANS) throw tooManyScans(MAX_QUEUED_SCANS);
}

async function checkWebsites(
  { siteScans }: Repositories,
  accountId: string,
  most: number,
  project: SiteProject | undefined,
): Promise<void> {
  const held = await siteScans.held(accountId);
  if (held.length < most || held.some(({ id }) => id === project?.id)) return;
  throw tooManyWebsites(
    most,
    held.map(({ domain }) => domain),
  );
}

/** The oldest package of this name with pages left. */
async function findPackage({ packages }: Repositories, accountId: string, name: string, now: string): Promise<Package> {
  const pool = (await packages.list(accountId)).find((each) => each.package === name && hasPages(each, now));
  if (!pool) throw packageUsedUp(name);
  return pool;
}

/** Whether pages of a package can still be used. */
export const hasPages = ({ pagesLeft, expiresAt }: Package, now: string): boolean =>
  pagesLeft > 0 && (expiresAt === null || expiresAt > now);

function limitsOfPlan(asked: ScanRequest, plan: Plan, mostPages: number): Limits {
  return {
    packageId: null,
    ...pagesOf(asked, mostPages),
    assetsAllowed: plan.scan_assets,
    bytesAllowed: plan.scan_bytes,
  };
}

function limitsOfPackage(asked: ScanRequest, { id, pagesLeft }: Package): Limits {
  const pages = pagesOf(asked, pagesLeft);
  return {
    packageId: id,
    ...pages,
    assetsAllowed: pages.pagesAllowed * PACKAGE_ASSETS_PER_PAGE,
    bytesAllowed: pages.pagesAllowed * PACKAGE_BYTES_PER_PAGE,
  };
}

function pagesOf({ maxPages }: ScanRequest, most: number): Pick<Limits, 'pagesAllowed' | 'warnings'> {
  const isLowered = maxPages !== null && maxPages > most;
  return {
    pagesAllowed: Math.min(maxPages ?? most, most),
    warnings: JSON.stringify(isLowered ? ['over_limit'] : []),
  };
}
