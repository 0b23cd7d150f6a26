import type { ScanStatus, SiteProject, SiteScan, SiteScanListPart } from '../records/site-scans.ts';

/** Fields of a scan in lists. */
export const LISTED_SCAN_FIELDS = [
  'id',
  'projectId',
  'name',
  'domain',
  'source',
  'url',
  'status',
  'review',
  'optimize',
  'package',
  'maxPages',
  'pagesAllowed',
  'assetsAllowed',
  'bytesAllowed',
  'progressDone',
  'progressTotal',
  'progressUrl',
  'phaseStartedAt',
  'totals',
  'warnings',
  'changes',
  'previousScanId',
  'errorCode',
  'errorMessage',
  'createdAt',
  'startedAt',
  'finishedAt',
  'expiresAt',
] as const satisfies readonly (keyof SiteScan)[];

export type ListedSiteScan = Pick<SiteScan, (typeof LISTED_SCAN_FIELDS)[number]>;

/** Columns that are set when a scan is created. */
export type NewSiteScan = Pick<
  SiteScan,
  | 'id'
  | 'accountId'
  | 'keyId'
  | 'projectId'
  | 'name'
  | 'domain'
  | 'source'
  | 'url'
  | 'review'
  | 'optimize'
  | 'packageId'
  | 'package'
  | 'settings'
  | 'maxPages'
  | 'pagesAllowed'
  | 'assetsAllowed'
  | 'bytesAllowed'
  | 'warnings'
  | 'previousScanId'
  | 'createdAt'
  | 'expiresAt'
>;

export type SiteScanChanges = Omit<Partial<SiteScan>, 'id' | 'accountId' | 'status'>;

/** A scan that is running or waits to be run. */
export type OpenSiteScan = Pick<SiteScan, 'id' | 'accountId' | 'status' | 'packageId'>;

export interface SiteScans {
  /** Records a scan, which then waits for the runner. For source `list`, the addresses must have been stored before. */
  insert(scan: NewSiteScan): Promise<void>;
  insertListPart(part: SiteScanListPart): Promise<void>;
  /** The first chunk of the list whose addresses have not become pages yet; undefined when none is left. */
  nextListPart(id: string): Promise<SiteScanListPart | undefined>;
  removeListPart(scanId: string, part: number): Promise<void>;
  /** Removes lists whose scan was never recorded. */
  removeListOrphans(): Promise<void>;
  find(id: string): Promise<SiteScan | undefined>;
  /**
   * Changes the status of a scan if it is still `from`.
   * @returns whether the status was changed; false when the scan was moved or deleted in the meantime
   */
  move(id: string, from: ScanStatus, to: ScanStatus, changes?: SiteScanChanges): Promise<boolean>;
  /** Changes columns of a scan other than its status. */
  change(id: string, changes: SiteScanChanges): Promise<void>;
  /** Scans in a running phase, oldest first. */
  running(): Promise<OpenSiteScan[]>;
  /** Scans that wait for their first phase, oldest first. */
  queued(): Promise<OpenSiteScan[]>;
  /** Number of scans of an account that wait for their first phase. */
  countQueued(accountId: string): Promise<number>;
  insertProject(project: SiteProject): Promise<void>;
  findProject(id: string): Promise<SiteProject | undefined>;
  projectOf(accountId: string, domain: string): Promise<SiteProject | undefined>;
  /** Projects of an account, most recently scanned first. */
  projects(
    accountId: string,
    range: { offset: number; limit: number },
  ): Promise<{ projects: SiteProject[]; total: number }>;
  /** The projects that count as websites of the account's plan: those with a scan that does not use a package. */
  held(accountId: string): Promise<SiteProject[]>;
  /** The latest scans of projects, newest first. @param most maximum per project */
  scansOf(projectIds: readonly string[], most: number): Promise<ListedSiteScan[]>;
  /** The id of the latest scan of a project whose list of images is complete. */
  lastComplete(projectId: string): Promise<string | undefined>;
  /**
   * Marks a scan as deleted, together with its project if it was the project's last. Its results are removed step by
   * step later. The runner no longer finds it. Must be called in a transaction.
   */
  remove(id: string, deletedAt: string): Promise<void>;
  /** Ids of deleted scans that still have data. */
  removed(): Promise<string[]>;
  /**
   * Deletes a part of a scan's results, whose files then expire, or the scan itself when no results are left. Must be
   * called in a transaction, and again until it returns true.
   * @param now expiry time of the files
   */
  clear(id: string, now: string): Promise<boolean>;
  /** Scans whose files have expired and that are not running. */
  expired(now: string): Promise<string[]>;
  /**
   * Expires files of a scan: those of its package and of some images.
   * @param after number of an asset; assets after it are next
   * @returns the value of `after` for the next call; undefined when none is left
   */
  release(id: string, after: number, now: string): Promise<number | undefined>;
  /** Ended runs of POST /sites/optimize whose files had expired by then. */
  forgettable(expiredBy: string): Promise<string[]>;
}
