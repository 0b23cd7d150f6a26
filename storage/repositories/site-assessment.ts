import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';

/** Numbers of a scan that change while it goes on (spec/shapes.md, section 17.3), without those of the scan itself. */
export interface ScanCounts {
  pagesFound: number;
  pagesSelected: number;
  pagesScanned: number;
  pagesFailed: number;
  pagesSkipped: number;
  pagesOverLimit: number;
}

export interface AssetCounts {
  assets: number;
  assetsUnique: number;
  assetsOptimized: number;
  assetsMapped: number;
  assetsSkipped: number;
  assetsFailed: number;
  bytesOriginal: number;
  /** Of the mapped ones. */
  bytesSaved: number;
}

/** What is computed of a scan as a whole: its totals, its findings, and what follows from them for pages and assets. */
export class SiteAssessment {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async pageCounts(scanId: string): Promise<ScanCounts> {
    return await this.#db
      .selectFrom('sitePages')
      .select(({ fn }) => [
        fn.countAll<number>().as('pagesFound'),
        sql<number>`coalesce(sum(selected), 0)`.as('pagesSelected'),
        sql<number>`coalesce(sum(status = 'scanned'), 0)`.as('pagesScanned'),
        sql<number>`coalesce(sum(status = 'failed'), 0)`.as('pagesFailed'),
        sql<number>`coalesce(sum(status = 'skipped'), 0)`.as('pagesSkipped'),
        sql<number>`coalesce(sum(over_limit), 0)`.as('pagesOverLimit'),
      ])
      .where('scanId', '=', scanId)
      .executeTakeFirstOrThrow();
  }

  async assetCounts(scanId: string): Promise<AssetCounts> {
    return await this.#db
      .selectFrom('siteAssets')
      .select(({ fn }) => [
        fn.countAll<number>().as('assets'),
        sql<number>`count(distinct sha256)`.as('assetsUnique'),
        sql<number>`coalesce(sum(status = 'optimized'), 0)`.as('assetsOptimized'),
        sql<number>`coalesce(sum(mapped), 0)`.as('assetsMapped'),
        sql<number>`coalesce(sum(status = 'skipped'), 0)`.as('assetsSkipped'),
        sql<number>`coalesce(sum(status = 'failed'), 0)`.as('assetsFailed'),
        sql<number>`coalesce(sum(case when kind <> 'data_uri' then bytes end), 0)`.as('bytesOriginal'),
        sql<number>`coalesce(sum(case when mapped = 1 then bytes_saved end), 0)`.as('bytesSaved'),
      ])
      .where('scanId', '=', scanId)
      .executeTakeFirstOrThrow();
  }

  /** Places in sources that scanned pages lead to. */
  async referenceCount(scanId: string): Promise<number> {
    const { rows } = await sql<{ references: number }>`
      with recursive live(seq) as (
        select s.seq from site_sources s join site_pages p on p.scan_id = s.scan_id and p.seq = s.page_seq
        where s.scan_id = ${scanId} and p.status = 'scanned'
        union
        select l.to_seq from live join site_source_links l on l.scan_id = ${scanId} and l.from_seq = live.seq
      )
      select count(*) as "references"
      from live join site_references r on r.scan_id = ${scanId} and r.source_seq = live.seq
      where r.page_seq is null`.execute(this.#db);
    return rows[0]!.references;
  }

  /** How many assets have each finding. */
  async issues(scanId: string): Promise<Record<string, number>> {
    const rows = await this.#db
      .selectFrom('siteFindings')
      .select(({ fn }) => ['code', fn.countAll<number>().as('assets')])
      .where('scanId', '=', scanId)
      .groupBy('code')
      .execute();
    return Object.fromEntries(rows.map(({ code, assets }) => [code, assets]));
  }

  async setTotals(scanId: string, totals: string): Promise<void> {
    await this.#db.updateTable('siteScans').set({ totals }).where('id', '=', scanId).execute();
  }
}
