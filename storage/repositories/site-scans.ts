import { type Kysely, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import { prepared } from '../prepared.ts';
import type { ScanStatus, SiteProjectTable, SiteScanListPartTable, SiteScanTable, Tables } from '../schema.ts';

export type SiteScan = Selectable<SiteScanTable>;
export type SiteProject = Selectable<SiteProjectTable>;
export type SiteScanListPart = Selectable<SiteScanListPartTable>;

/** What lists tell of a scan. */
const LISTED = [
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
export type ListedSiteScan = Pick<SiteScan, (typeof LISTED)[number]>;

/** What is known of a scan when it is made. */
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

export type SiteScanChanges = Omit<Updateable<SiteScanTable>, 'id' | 'accountId' | 'status'>;

/** A scan that waits for work or is worked on. */
export type OpenSiteScan = Pick<SiteScan, 'id' | 'accountId' | 'status' | 'packageId'>;

/** As the partial index has it: SQLite takes one only for the same words. */
const isOpen = sql<boolean>`"status" in ('queued', 'discovering', 'scanning', 'optimizing', 'packaging')`;

/** Rows that are cleared away, or assets whose files are let go, in one statement: everybody waits for it. */
const SLICE = 1000;

/** Tables of what a scan has found; those with files first. */
const PARTS = [
  'siteScanListParts',
  'siteDownloads',
  'siteOutputs',
  'siteFindings',
  'siteReferences',
  'siteSourceLinks',
  'siteSources',
  'siteAssets',
  'sitePages',
] as const;

const insertListPart = prepared((db, part: SiteScanListPart) =>
  db.insertInto('siteScanListParts').values({ scanId: part.scanId, part: part.part, addresses: part.addresses }),
);

const nextListPart = prepared((db, { id }: { id: string }) =>
  db.selectFrom('siteScanListParts').selectAll().where('scanId', '=', id).orderBy('part').limit(1),
);

const removeListPart = prepared((db, { scanId, part }: Pick<SiteScanListPart, 'scanId' | 'part'>) =>
  db.deleteFrom('siteScanListParts').where('scanId', '=', scanId).where('part', '=', part),
);

export class SiteScans {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Records a scan, which waits for the runner. Of source list its addresses have been recorded before. */
  async insert(scan: NewSiteScan): Promise<void> {
    await this.#db
      .insertInto('siteScans')
      .values({ ...scan, status: 'queued' })
      .execute();
  }

  async insertListPart(part: SiteScanListPart): Promise<void> {
    await insertListPart(this.#db, part);
  }

  /** The first part of the list of addresses that have not become pages; undefined when all have. */
  async nextListPart(id: string): Promise<SiteScanListPart | undefined> {
    const [part] = await nextListPart(this.#db, { id });
    return part;
  }

  async removeListPart(scanId: string, part: number): Promise<void> {
    await removeListPart(this.#db, { scanId, part });
  }

  /** Removes the lists of scans that were never recorded. */
  async removeListOrphans(): Promise<void> {
    await this.#db
      .deleteFrom('siteScanListParts')
      .where('scanId', 'not in', ({ selectFrom }) => selectFrom('siteScans').select('id'))
      .execute();
  }

  async find(id: string): Promise<SiteScan | undefined> {
    return await this.#db
      .selectFrom('siteScans')
      .selectAll()
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .executeTakeFirst();
  }

  /**
   * Changes the status of a scan that still has the one it is known by.
   * @returns whether it has; false when somebody else has moved or deleted it
   */
  async move(id: string, from: ScanStatus, to: ScanStatus, changes: SiteScanChanges = {}): Promise<boolean> {
    const row = await this.#db
      .updateTable('siteScans')
      .set({ ...changes, status: to })
      .where('id', '=', id)
      .where('status', '=', from)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Changes what a scan has beside its status. */
  async change(id: string, changes: SiteScanChanges): Promise<void> {
    await this.#db.updateTable('siteScans').set(changes).where('id', '=', id).execute();
  }

  /** Those in a phase of work, oldest first; after a restart nobody works on them yet. */
  async running(): Promise<OpenSiteScan[]> {
    return await this.#open().where('status', '<>', 'queued').execute();
  }

  /** Those that wait for their first phase, oldest first. */
  async queued(): Promise<OpenSiteScan[]> {
    return await this.#open().where('status', '=', 'queued').execute();
  }

  /** How many of an account wait for their first phase. */
  async countQueued(accountId: string): Promise<number> {
    const { scans } = await this.#db
      .selectFrom('siteScans')
      .select(({ fn }) => fn.countAll<number>().as('scans'))
      .where('accountId', '=', accountId)
      .where(isOpen)
      .where('status', '=', 'queued')
      .executeTakeFirstOrThrow();
    return scans;
  }

  async insertProject(project: SiteProject): Promise<void> {
    await this.#db.insertInto('siteProjects').values(project).execute();
  }

  async findProject(id: string): Promise<SiteProject | undefined> {
    return await this.#db.selectFrom('siteProjects').selectAll().where('id', '=', id).executeTakeFirst();
  }

  async projectOf(accountId: string, domain: string): Promise<SiteProject | undefined> {
    return await this.#db
      .selectFrom('siteProjects')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('domain', '=', domain)
      .executeTakeFirst();
  }

  /** Projects of an account, the one that was scanned last first. */
  async projects(
    accountId: string,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ projects: SiteProject[]; total: number }> {
    const own = this.#db.selectFrom('siteProjects').where('accountId', '=', accountId);
    const { total } = await own.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
    const projects = await own
      .selectAll('siteProjects')
      .orderBy(
        ({ selectFrom }) =>
          selectFrom('siteScans')
            .select(({ fn }) => fn.max('siteScans.id').as('last'))
            .whereRef('siteScans.projectId', '=', 'siteProjects.id'),
        'desc',
      )
      .offset(offset)
      .limit(limit)
      .execute();
    return { projects, total };
  }

  /** The projects of an account that count among the websites of its plan: those with a scan that draws on no package. */
  async held(accountId: string): Promise<SiteProject[]> {
    return await this.#db
      .selectFrom('siteProjects')
      .selectAll()
      .where('accountId', '=', accountId)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('siteScans')
            .select('siteScans.id')
            .whereRef('siteScans.projectId', '=', 'siteProjects.id')
            .where('siteScans.packageId', 'is', null),
        ),
      )
      .orderBy('id')
      .execute();
  }

  /** The last scans of projects, newest first. @param most of each */
  async scansOf(projectIds: readonly string[], most: number): Promise<ListedSiteScan[]> {
    if (projectIds.length === 0) return [];
    // Numbered from their index alone: a project may have many, and rows are long.
    const numbered = this.#db
      .selectFrom('siteScans')
      .select('id')
      .select(sql<number>`row_number() over (partition by project_id order by id desc)`.as('place'))
      .where('projectId', 'in', projectIds);
    return await this.#db
      .selectFrom('siteScans')
      .select(LISTED)
      .where('id', 'in', (eb) => eb.selectFrom(numbered.as('numbered')).select('id').where('place', '<=', most))
      .orderBy('id', 'desc')
      .execute();
  }

  /** The last scan of a project whose list of images is complete. */
  async lastComplete(projectId: string): Promise<string | undefined> {
    const scan = await this.#db
      .selectFrom('siteScans')
      .select('id')
      .where('projectId', '=', projectId)
      .where('status', 'in', ['ready', 'done'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return scan?.id;
  }

  /**
   * Takes a scan away from its owner, with its project when it was the last there; what it has made is cleared away by and by.
   * Whoever works on it finds it no more. To be called in a transaction.
   */
  async remove(id: string, deletedAt: string): Promise<void> {
    const scan = await this.find(id);
    if (!scan) return;
    await this.#db
      .updateTable('siteScans')
      .set({ status: 'cancelled', projectId: null, deletedAt })
      .where('id', '=', id)
      .execute();
    if (scan.projectId === null) return;
    await this.#db
      .updateTable('siteScans')
      .set({ previousScanId: null })
      .where('projectId', '=', scan.projectId)
      .where('previousScanId', '=', id)
      .execute();
    await this.#db
      .deleteFrom('siteProjects')
      .where('id', '=', scan.projectId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('siteScans').select('siteScans.id').whereRef('siteScans.projectId', '=', 'siteProjects.id'),
          ),
        ),
      )
      .execute();
  }

  /** Scans that were removed and of which something is left. */
  async removed(): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('siteScans')
      .select('id')
      .where('deletedAt', 'is not', null)
      .orderBy('deletedAt')
      .execute();
    return rows.map(({ id }) => id);
  }

  /**
   * Deletes some of what a scan has found, whose files expire with it, or, when nothing is left of that, the scan. To be called
   * in a transaction, again until it says that all is gone.
   * @param now when the files expire
   */
  async clear(id: string, now: string): Promise<boolean> {
    for (const table of PARTS) {
      const slice = this.#db
        .selectFrom(table)
        .select(sql.ref('rowid').as('rowid'))
        .where('scanId', '=', id)
        .limit(SLICE);
      if (table === 'siteDownloads' || table === 'siteOutputs')
        await this.#expireFiles(this.#db.selectFrom(table).select('fileId').where(sql.ref('rowid'), 'in', slice), now);
      const { numDeletedRows } = await this.#db
        .deleteFrom(table)
        .where(sql.ref('rowid'), 'in', slice)
        .executeTakeFirstOrThrow();
      if (numDeletedRows > 0) return false;
    }
    await this.#db.deleteFrom('siteScans').where('id', '=', id).execute();
    return true;
  }

  /** Scans whose files are to be let go: their time is over, and nobody works on them. */
  async expired(now: string): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('siteScans')
      .select('id')
      .where('expiresAt', '<=', now)
      .where('releasedAt', 'is', null)
      .where('deletedAt', 'is', null)
      .where(({ not }) => not(isOpen))
      .execute();
    return rows.map(({ id }) => id);
  }

  /**
   * Lets files of a scan expire: those of its package and of some images.
   * @param after number of an asset; those after it are next
   * @returns the number of the last one, or undefined when there was none
   */
  async release(id: string, after: number, now: string): Promise<number | undefined> {
    const outputs = this.#db
      .selectFrom('siteOutputs')
      .where('scanId', '=', id)
      .where('assetSeq', '>', after)
      .where('assetSeq', '<=', after + SLICE);
    await this.#expireFiles(outputs.select('fileId'), now);
    await this.#expireFiles(this.#db.selectFrom('siteDownloads').select('fileId').where('scanId', '=', id), now);
    const next = await this.#db
      .selectFrom('siteOutputs')
      .select('assetSeq')
      .where('scanId', '=', id)
      .where('assetSeq', '>', after + SLICE)
      .orderBy('assetSeq')
      .limit(1)
      .executeTakeFirst();
    return next && next.assetSeq - 1;
  }

  /** Runs of POST /sites/optimize whose files had expired by then and that nobody works on. */
  async forgettable(expiredBy: string): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('siteScans')
      .select('id')
      .where('projectId', 'is', null)
      .where('deletedAt', 'is', null)
      .where('expiresAt', '<=', expiredBy)
      .where('status', 'in', ['done', 'failed', 'cancelled'])
      .execute();
    return rows.map(({ id }) => id);
  }

  async #expireFiles<T extends 'siteOutputs' | 'siteDownloads'>(
    ids: SelectQueryBuilder<Tables, T, { fileId: string }>,
    expiresAt: string,
  ): Promise<void> {
    await this.#db
      .updateTable('files')
      .set({ expiresAt })
      .where('id', 'in', ids)
      .where('expiresAt', '>', expiresAt)
      .execute();
  }

  #open() {
    return this.#db
      .selectFrom('siteScans')
      .select(['id', 'accountId', 'status', 'packageId'])
      .where(isOpen)
      .orderBy('id');
  }
}
