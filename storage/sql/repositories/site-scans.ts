import { type Expression, sql } from 'kysely';
import {
  LISTED_SCAN_FIELDS,
  type ListedSiteScan,
  type NewSiteScan,
  type OpenSiteScan,
  type SiteScanChanges,
  type SiteScans,
} from '../../ports/site-scans.ts';
import type { ScanStatus, SiteProject, SiteScan, SiteScanListPart } from '../../records/site-scans.ts';
import { prepared } from '../prepared.ts';
import { count, Repository } from '../repository.ts';

/** In the exact wording of the partial index: SQLite uses it only for an identical condition. */
const isOpen = sql<boolean>`"status" in ('queued', 'discovering', 'scanning', 'optimizing', 'packaging')`;

/** Maximum rows deleted, or assets released, by one statement: all other requests wait for it. */
const ROWS_PER_STATEMENT = 1000;

/** Tables with the results of a scan. Tables that refer to files come early. */
const RESULT_TABLES = [
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

export class SqlSiteScans extends Repository implements SiteScans {
  async insert(scan: NewSiteScan): Promise<void> {
    await this.db
      .insertInto('siteScans')
      .values({ ...scan, status: 'queued' })
      .execute();
  }

  async insertListPart(part: SiteScanListPart): Promise<void> {
    await insertListPart(this.db, part);
  }

  async nextListPart(id: string): Promise<SiteScanListPart | undefined> {
    const [part] = await nextListPart(this.db, { id });
    return part;
  }

  async removeListPart(scanId: string, part: number): Promise<void> {
    await removeListPart(this.db, { scanId, part });
  }

  async removeListOrphans(): Promise<void> {
    await this.db
      .deleteFrom('siteScanListParts')
      .where('scanId', 'not in', ({ selectFrom }) => selectFrom('siteScans').select('id'))
      .execute();
  }

  async find(id: string): Promise<SiteScan | undefined> {
    return await this.db
      .selectFrom('siteScans')
      .selectAll()
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .executeTakeFirst();
  }

  async move(id: string, from: ScanStatus, to: ScanStatus, changes: SiteScanChanges = {}): Promise<boolean> {
    const row = await this.db
      .updateTable('siteScans')
      .set({ ...changes, status: to })
      .where('id', '=', id)
      .where('status', '=', from)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }

  async change(id: string, changes: SiteScanChanges): Promise<void> {
    await this.db.updateTable('siteScans').set(changes).where('id', '=', id).execute();
  }

  async running(): Promise<OpenSiteScan[]> {
    return await this.#open().where('status', '<>', 'queued').execute();
  }

  async queued(): Promise<OpenSiteScan[]> {
    return await this.#open().where('status', '=', 'queued').execute();
  }

  async countQueued(accountId: string): Promise<number> {
    return await count(
      this.db.selectFrom('siteScans').where('accountId', '=', accountId).where(isOpen).where('status', '=', 'queued'),
    );
  }

  async insertProject(project: SiteProject): Promise<void> {
    await this.db.insertInto('siteProjects').values(project).execute();
  }

  async findProject(id: string): Promise<SiteProject | undefined> {
    return await this.db.selectFrom('siteProjects').selectAll().where('id', '=', id).executeTakeFirst();
  }

  async projectOf(accountId: string, domain: string): Promise<SiteProject | undefined> {
    return await this.db
      .selectFrom('siteProjects')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('domain', '=', domain)
      .executeTakeFirst();
  }

  async projects(
    accountId: string,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ projects: SiteProject[]; total: number }> {
    const own = this.db.selectFrom('siteProjects').where('accountId', '=', accountId);
    const total = await count(own);
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

  async held(accountId: string): Promise<SiteProject[]> {
    return await this.db
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

  async scansOf(projectIds: readonly string[], most: number): Promise<ListedSiteScan[]> {
    if (projectIds.length === 0) return [];
    // Numbered using only the index: a project may have many scans, and their rows are long.
    const numbered = this.db
      .selectFrom('siteScans')
      .select('id')
      .select(sql<number>`row_number() over (partition by project_id order by id desc)`.as('place'))
      .where('projectId', 'in', projectIds);
    return await this.db
      .selectFrom('siteScans')
      .select(LISTED_SCAN_FIELDS)
      .where('id', 'in', (eb) => eb.selectFrom(numbered.as('numbered')).select('id').where('place', '<=', most))
      .orderBy('id', 'desc')
      .execute();
  }

  async lastComplete(projectId: string): Promise<string | undefined> {
    const scan = await this.db
      .selectFrom('siteScans')
      .select('id')
      .where('projectId', '=', projectId)
      .where('status', 'in', ['ready', 'done'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return scan?.id;
  }

  async remove(id: string, deletedAt: string): Promise<void> {
    const scan = await this.find(id);
    if (!scan) return;
    await this.db
      .updateTable('siteScans')
      .set({ status: 'cancelled', projectId: null, deletedAt })
      .where('id', '=', id)
      .execute();
    if (scan.projectId === null) return;
    await this.db
      .updateTable('siteScans')
      .set({ previousScanId: null })
      .where('projectId', '=', scan.projectId)
      .where('previousScanId', '=', id)
      .execute();
    await this.db
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

  async removed(): Promise<string[]> {
    const rows = await this.db
      .selectFrom('siteScans')
      .select('id')
      .where('deletedAt', 'is not', null)
      .orderBy('deletedAt')
      .execute();
    return rows.map(({ id }) => id);
  }

  async clear(id: string, now: string): Promise<boolean> {
    for (const table of RESULT_TABLES) {
      if ((await this.#clearSlice(table, id, now)) > 0) return false;
    }
    await this.db.deleteFrom('siteScans').where('id', '=', id).execute();
    return true;
  }

  /** Deletes some rows of a table. Returns their number. */
  async #clearSlice(table: (typeof RESULT_TABLES)[number], scanId: string, now: string): Promise<number> {
    const { rowId } = this.syntax;
    const slice = this.db
      .selectFrom(table)
      .select(rowId.as('row'))
      .where('scanId', '=', scanId)
      .limit(ROWS_PER_STATEMENT);
    if (table === 'siteDownloads' || table === 'siteOutputs') {
      const rows = await this.db.deleteFrom(table).where(rowId, 'in', slice).returning('fileId').execute();
      await this.#expireFiles(this.inList(rows.map(({ fileId }) => fileId)), now);
      return rows.length;
    }
    const { numDeletedRows } = await this.db.deleteFrom(table).where(rowId, 'in', slice).executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }

  async expired(now: string): Promise<string[]> {
    const rows = await this.db
      .selectFrom('siteScans')
      .select('id')
      .where('expiresAt', '<=', now)
      .where('releasedAt', 'is', null)
      .where('deletedAt', 'is', null)
      .where(({ not }) => not(isOpen))
      .execute();
    return rows.map(({ id }) => id);
  }

  async release(id: string, after: number, now: string): Promise<number | undefined> {
    const outputs = this.db
      .selectFrom('siteOutputs')
      .where('scanId', '=', id)
      .where('assetSeq', '>', after)
      .where('assetSeq', '<=', after + ROWS_PER_STATEMENT);
    await this.#expireFiles(outputs.select('fileId').$asScalar(), now);
    await this.#expireFiles(
      this.db.selectFrom('siteDownloads').select('fileId').where('scanId', '=', id).$asScalar(),
      now,
    );
    const next = await this.db
      .selectFrom('siteOutputs')
      .select('assetSeq')
      .where('scanId', '=', id)
      .where('assetSeq', '>', after + ROWS_PER_STATEMENT)
      .orderBy('assetSeq')
      .limit(1)
      .executeTakeFirst();
    return next && next.assetSeq - 1;
  }

  async forgettable(expiredBy: string): Promise<string[]> {
    const rows = await this.db
      .selectFrom('siteScans')
      .select('id')
      .where('projectId', 'is', null)
      .where('deletedAt', 'is', null)
      .where('expiresAt', '<=', expiredBy)
      .where('status', 'in', ['done', 'failed', 'cancelled'])
      .execute();
    return rows.map(({ id }) => id);
  }

  async #expireFiles(ids: Expression<string>, expiresAt: string): Promise<void> {
    await this.db
      .updateTable('files')
      .set({ expiresAt })
      .where('id', 'in', ids)
      .where('expiresAt', '>', expiresAt)
      .execute();
  }

  #open() {
    return this.db
      .selectFrom('siteScans')
      .select(['id', 'accountId', 'status', 'packageId'])
      .where(isOpen)
      .orderBy('id');
  }
}
