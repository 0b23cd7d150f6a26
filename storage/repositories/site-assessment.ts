import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import { prepared } from '../prepared.ts';
import type { SiteAssetTable, SiteFindingTable, SiteOutputTable, SitePageTable, Tables } from '../schema.ts';
import { faultBits, isLoaded, REFERENCE_FAULTS } from './site-reference-faults.ts';

export type SiteFinding = Selectable<SiteFindingTable>;

export interface PageCounts {
  pagesFound: number;
  pagesSelected: number;
  pagesScanned: number;
  pagesFailed: number;
  pagesSkipped: number;
  pagesOverLimit: number;
}

export interface AssetCounts {
  assets: number;
  /** By content. */
  assetsUnique: number;
  assetsOptimized: number;
  assetsMapped: number;
  assetsSkipped: number;
  assetsFailed: number;
  bytesOriginal: number;
  /** Of the mapped ones. */
  bytesSaved: number;
}

/** An asset with what its findings are made from; the output is the chosen one. */
export interface AssessedAsset extends Selectable<SiteAssetTable> {
  output: Selectable<SiteOutputTable> | null;
}

/** A place that names an asset. */
export interface AssetPlace {
  assetSeq: number;
  seq: number;
  sourceSeq: number;
  pageSeq: number | null;
  role: string;
  displayedWidth: number | null;
  displayedHeight: number | null;
  displayedSource: string;
  candidates: number;
  /** See `faultsIn`. */
  faults: number;
}

/** What is known of the picture in an asset, for finding the same in another size. */
export interface AssetPrint {
  seq: number;
  fingerprint: string;
  width: number;
  height: number;
  sha256: string | null;
}

export type AssetSummary = Pick<
  Selectable<SiteAssetTable>,
  'seq' | 'references' | 'roles' | 'displayedWidth' | 'displayedHeight' | 'displayedSource'
>;

export type PageSummary = Pick<
  Selectable<SitePageTable>,
  | 'seq'
  | 'assets'
  | 'references'
  | 'imageRequests'
  | 'imageBytes'
  | 'optimizedBytes'
  | 'bytesSaved'
  | 'heaviestAssetSeq'
  | 'issues'
  | 'attention'
  | 'optimization'
>;

/** What pages have and load. One of several candidates is loaded: the heaviest is taken. */
export interface PageUse {
  pages: {
    pageSeq: number;
    needsJavascript: number;
    assets: number;
    references: number;
    /** Assets that have been replaced, and those that could be and have not. */
    replaced: number;
    open: number;
  }[];
  loads: { pageSeq: number; requests: number; bytes: number; bytesSaved: number; heaviestAssetSeq: number | null }[];
  /** Assets of a page with each finding; of the faults of places those in a place of this page. */
  issues: { pageSeq: number; code: string; assets: number }[];
  /** On how many of these pages each asset is. */
  assets: { assetSeq: number; pages: number }[];
}

export interface ScanDifference {
  assetsNew: number;
  assetsChanged: number;
  issuesNew: number;
}

const insertFinding = prepared((db, finding: SiteFinding) =>
  db.insertInto('siteFindings').values({
    scanId: finding.scanId,
    assetSeq: finding.assetSeq,
    code: finding.code,
    severity: finding.severity,
    message: finding.message,
    savingsBytes: finding.savingsBytes,
    references: finding.references,
    data: finding.data,
  }),
);

const setAssetSummary = prepared((db, summary: AssetSummary & { scanId: string }) =>
  db
    .updateTable('siteAssets')
    .set({
      references: summary.references,
      roles: summary.roles,
      displayedWidth: summary.displayedWidth,
      displayedHeight: summary.displayedHeight,
      displayedSource: summary.displayedSource,
    })
    .where('scanId', '=', summary.scanId)
    .where('seq', '=', summary.seq),
);

const setAssetPages = prepared((db, values: { scanId: string; seq: number; pages: number }) =>
  db
    .updateTable('siteAssets')
    .set({ pages: values.pages })
    .where('scanId', '=', values.scanId)
    .where('seq', '=', values.seq),
);

const setPageSummary = prepared((db, summary: PageSummary & { scanId: string }) =>
  db
    .updateTable('sitePages')
    .set({
      assets: summary.assets,
      references: summary.references,
      imageRequests: summary.imageRequests,
      imageBytes: summary.imageBytes,
      optimizedBytes: summary.optimizedBytes,
      bytesSaved: summary.bytesSaved,
      heaviestAssetSeq: summary.heaviestAssetSeq,
      issues: summary.issues,
      attention: summary.attention,
      optimization: summary.optimization,
    })
    .where('scanId', '=', summary.scanId)
    .where('seq', '=', summary.seq),
);

/**
 * Sources that scanned pages lead to; an image sitemap is none, because most of its images belong to other pages. `cross join`
 * keeps the order: without statistics SQLite begins with the wrong table, which takes seconds where it could take milliseconds.
 */
const liveSources = (scanId: string) => sql`live(seq) as (
  select s.seq from site_sources s cross join site_pages p on p.scan_id = s.scan_id and p.seq = s.page_seq
  where s.scan_id = ${scanId} and s.page_seq is not null and p.status = 'scanned'
  union
  select l.to_seq from live
  cross join site_source_links l on l.scan_id = ${scanId} and l.from_seq = live.seq
  cross join site_sources t on t.scan_id = ${scanId} and t.seq = l.to_seq and t.kind <> 'sitemap'
)`;

/** What is computed of a scan as a whole: its totals, its findings, and what follows from them for pages and assets. */
export class SiteAssessment {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async pageCounts(scanId: string): Promise<PageCounts> {
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
        // What is inside a page is no file that is sent.
        sql<number>`coalesce(sum(case when kind <> 'data_uri' then bytes end), 0)`.as('bytesOriginal'),
        sql<number>`coalesce(sum(case when mapped = 1 then bytes_saved end), 0)`.as('bytesSaved'),
      ])
      .where('scanId', '=', scanId)
      .executeTakeFirstOrThrow();
  }

  /** Places in sources that scanned pages lead to, each once. */
  async referenceCount(scanId: string): Promise<number> {
    const { rows } = await sql<{ places: number }>`
      with recursive ${liveSources(scanId)}
      select (
        select count(*) from live
        cross join site_references r on r.scan_id = ${scanId} and r.source_seq = live.seq and r.page_seq is null
      ) + (
        select count(*) from site_references r
        join site_pages p on p.scan_id = r.scan_id and p.seq = r.page_seq and p.status = 'scanned'
        where r.scan_id = ${scanId} and r.page_seq is not null
      ) as places`.execute(this.#db);
    return rows[0]!.places;
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

  /** Whether a scanned page needs scripts, and whether assets were skipped for each of these reasons. */
  async concerns(scanId: string): Promise<{ needsJavascript: SqlBool; overLimit: SqlBool; thirdParty: SqlBool }> {
    const { rows } = await sql<{ needsJavascript: SqlBool; overLimit: SqlBool; thirdParty: SqlBool }>`
      select
        exists (select 1 from site_pages where scan_id = ${scanId} and status = 'scanned' and needs_javascript = 1)
          as needs_javascript,
        exists (select 1 from site_pages where scan_id = ${scanId} and over_limit = 1)
          or exists (select 1 from site_assets
            where scan_id = ${scanId} and status = 'skipped' and skip_reason = 'over_limit') as over_limit,
        exists (select 1 from site_findings where scan_id = ${scanId} and code = 'third_party') as third_party
      `.execute(this.#db);
    return rows[0]!;
  }

  /** Numbers of the sources that scanned pages lead to. */
  async liveSources(scanId: string): Promise<number[]> {
    const { rows } = await sql<{ seq: number }>`with recursive ${liveSources(scanId)} select seq from live`.execute(
      this.#db,
    );
    return rows.map(({ seq }) => seq);
  }

  /** Numbers of the pages that have been scanned. */
  async scannedPages(scanId: string): Promise<number[]> {
    const rows = await this.#db
      .selectFrom('sitePages')
      .select('seq')
      .where('scanId', '=', scanId)
      .where('status', '=', 'scanned')
      .execute();
    return rows.map(({ seq }) => seq);
  }

  async lastPage(scanId: string): Promise<number> {
    const { seq } = await this.#db
      .selectFrom('sitePages')
      .select(({ fn }) => fn.max('seq').as('seq'))
      .where('scanId', '=', scanId)
      .executeTakeFirstOrThrow();
    return seq ?? 0;
  }

  /** The next assets after one, in the order of their numbers. */
  async assets(scanId: string, after: number, limit: number): Promise<AssessedAsset[]> {
    const rows = await this.#db
      .selectFrom('siteAssets as a')
      .selectAll('a')
      .where('a.scanId', '=', scanId)
      .where('a.seq', '>', after)
      .orderBy('a.seq')
      .limit(limit)
      .execute();
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return [];
    const outputs = await this.#db
      .selectFrom('siteOutputs as o')
      .innerJoin('siteAssets as a', (join) =>
        join.onRef('a.scanId', '=', 'o.scanId').onRef('a.seq', '=', 'o.assetSeq').onRef('a.chosen', '=', 'o.id'),
      )
      .selectAll('o')
      .where('o.scanId', '=', scanId)
      .where(({ between }) => between('o.assetSeq', first.seq, last.seq))
      .execute();
    const chosen = new Map(outputs.map((output) => [output.assetSeq, output]));
    return rows.map((asset) => ({ ...asset, output: chosen.get(asset.seq) ?? null }));
  }

  /**
   * Places of assets, in the order of assets and then of places, also those in sources of pages that were not scanned.
   * @param after the place that the last one was
   * @param lastAsset none of later assets
   */
  async places(
    scanId: string,
    after: { assetSeq: number; seq: number },
    lastAsset: number,
    limit: number,
  ): Promise<AssetPlace[]> {
    const { rows } = await sql<AssetPlace>`
      select r.asset_seq, r.seq, r.source_seq, r.page_seq, r.role, r.displayed_width, r.displayed_height,
        r.displayed_source, r.candidates, ${faultBits} as faults
      from site_references r
      join site_assets a on a.scan_id = r.scan_id and a.seq = r.asset_seq
      join site_sources s on s.scan_id = r.scan_id and s.seq = r.source_seq
      where r.scan_id = ${scanId} and (r.asset_seq, r.seq) > (${after.assetSeq}, ${after.seq})
        and r.asset_seq <= ${lastAsset}
      order by r.asset_seq, r.seq limit ${limit}`.execute(this.#db);
    return rows;
  }

  /** The next assets with a fingerprint after one, in the order of their numbers. */
  async prints(scanId: string, after: number, limit: number): Promise<AssetPrint[]> {
    return (await this.#db
      .selectFrom('siteAssets')
      .select(['seq', 'fingerprint', 'width', 'height', 'sha256'])
      .where('scanId', '=', scanId)
      .where('seq', '>', after)
      .where('fingerprint', 'is not', null)
      .where('width', 'is not', null)
      .where('height', 'is not', null)
      .where('kind', '<>', 'data_uri')
      .orderBy('seq')
      .limit(limit)
      .execute()) as AssetPrint[];
  }

  /** Puts findings of the assets from one to another in the place of those that they had. To be called in a transaction. */
  async replaceFindings(scanId: string, first: number, last: number, findings: readonly SiteFinding[]): Promise<void> {
    await this.#db
      .deleteFrom('siteFindings')
      .where('scanId', '=', scanId)
      .where(({ between }) => between('assetSeq', first, last))
      .execute();
    for (const finding of findings) await insertFinding(this.#db, finding);
  }

  async setAssetSummary(scanId: string, summary: AssetSummary): Promise<void> {
    await setAssetSummary(this.#db, { scanId, ...summary });
  }

  /** @param pages how many it is on */
  async setAssetPages(scanId: string, seq: number, pages: number): Promise<void> {
    await setAssetPages(this.#db, { scanId, seq, pages });
  }

  async setPageSummary(scanId: string, summary: PageSummary): Promise<void> {
    await setPageSummary(this.#db, { scanId, ...summary });
  }

  /** Says of pages that have failed nothing else. */
  async summarizeFailedPages(scanId: string): Promise<void> {
    await this.#db
      .updateTable('sitePages')
      .set({ attention: JSON.stringify(['failed']), optimization: 'none' })
      .where('scanId', '=', scanId)
      .where('status', '=', 'failed')
      .execute();
  }

  /** What the scanned pages from one number to another have, by their own documents and all that these lead to. */
  async pageUse(scanId: string, first: number, last: number): Promise<PageUse> {
    type Row = {
      kind: 'page' | 'load' | 'issue' | 'asset';
      page: number | null;
      asset: number | null;
      code: string | null;
      number1: number;
      number2: number;
      number3: number;
      number4: number;
    };
    const faultCodes = sql.join(REFERENCE_FAULTS.map((code) => sql.lit(code)));
    const faultRows = sql.join(
      REFERENCE_FAULTS.map(
        (code, bit) => sql`
          select 'issue', page_seq, null, ${sql.lit(code)}, count(distinct asset_seq), 0, 0, 0
          from uses where faults & ${sql.lit(1 << bit)} group by page_seq`,
      ),
      sql` union all `,
    );
    const { rows } = await sql<Row>`
      with recursive
      scanned(seq, needs_javascript) as materialized (
        select seq, needs_javascript from site_pages
        where scan_id = ${scanId} and seq between ${first} and ${last} and status = 'scanned'
      ),
      reach(page_seq, source_seq) as (
        select s.page_seq, s.seq from scanned p cross join site_sources s
        where s.scan_id = ${scanId} and s.page_seq = p.seq
        union
        select reach.page_seq, l.to_seq from reach
        cross join site_source_links l on l.scan_id = ${scanId} and l.from_seq = reach.source_seq
        cross join site_sources t on t.scan_id = ${scanId} and t.seq = l.to_seq and t.kind <> 'sitemap'
      ),
      named(page_seq, seq) as materialized (
        select reach.page_seq, r.seq from reach
        cross join site_references r on r.scan_id = ${scanId} and r.source_seq = reach.source_seq and r.page_seq is null
        union all
        select r.page_seq, r.seq from scanned p
        cross join site_references r on r.scan_id = ${scanId} and r.page_seq = p.seq
      ),
      uses(page_seq, asset_seq, source_seq, image_number, bytes, load, faults) as materialized (
        select n.page_seq, r.asset_seq, r.source_seq, r.image_number, coalesce(a.bytes, 0),
          case
            when not ${isLoaded} or r.in_noscript = 1 or a.kind = 'data_uri' then 'no'
            when r.image_number is not null and r.candidates > 1 then 'one of several'
            else 'yes'
          end,
          ${faultBits}
        from named n
        cross join site_references r on r.scan_id = ${scanId} and r.seq = n.seq
        cross join site_assets a on a.scan_id = ${scanId} and a.seq = r.asset_seq
        cross join site_sources s on s.scan_id = ${scanId} and s.seq = r.source_seq
      ),
      pairs(page_seq, asset_seq, places) as materialized (
        select page_seq, asset_seq, count(*) from uses group by page_seq, asset_seq
      ),
      loaded(page_seq, asset_seq) as materialized (
        select page_seq, asset_seq from uses where load = 'yes'
        union
        select page_seq, asset_seq from (
          select page_seq, asset_seq, max(bytes) from uses
          where load = 'one of several' group by page_seq, source_seq, image_number
        )
      )
      select 'page' as kind, p.seq as page, p.needs_javascript as asset, null as code, count(x.asset_seq) as number1,
        coalesce(sum(x.places), 0) as number2,
        coalesce(sum(a.status = 'optimized' and a.mapped = 1), 0) as number3,
        coalesce(sum(
          (a.kind in ('raster', 'animation') and a.status in ('found', 'fetching', 'ready', 'optimizing'))
          or (a.status = 'skipped' and a.skip_reason = 'over_limit')
          or (a.status = 'optimized' and a.mapped = 0 and a.approval = 'auto')
        ), 0) as number4
      from scanned p
      left join pairs x on x.page_seq = p.seq
      left join site_assets a on a.scan_id = ${scanId} and a.seq = x.asset_seq
      group by p.seq
      union all
      select 'load', l.page_seq, a.seq, null, count(*), sum(coalesce(a.bytes, 0)),
        sum(case when a.mapped = 1 then a.bytes_saved else 0 end), max(coalesce(a.bytes, 0))
      from loaded l cross join site_assets a on a.scan_id = ${scanId} and a.seq = l.asset_seq
      group by l.page_seq
      union all
      select 'issue', x.page_seq, null, f.code, count(*), 0, 0, 0
      from pairs x cross join site_findings f on f.scan_id = ${scanId} and f.asset_seq = x.asset_seq
      where f.code not in (${faultCodes}) group by x.page_seq, f.code
      union all ${faultRows}
      union all
      select 'asset', null, asset_seq, null, count(*), 0, 0, 0 from pairs group by asset_seq`.execute(this.#db);
    const of = (kind: Row['kind']) => rows.filter((row) => row.kind === kind);
    return {
      pages: of('page').map((row) => ({
        pageSeq: row.page!,
        needsJavascript: row.asset!,
        assets: row.number1,
        references: row.number2,
        replaced: row.number3,
        open: row.number4,
      })),
      loads: of('load').map((row) => ({
        pageSeq: row.page!,
        requests: row.number1,
        bytes: row.number2,
        bytesSaved: row.number3,
        // Of the row that has the highest number (SQLite documentation, "Bare columns in an aggregate query").
        heaviestAssetSeq: row.number4 > 0 ? row.asset : null,
      })),
      issues: of('issue').map((row) => ({ pageSeq: row.page!, code: row.code!, assets: row.number1 })),
      assets: of('asset').map((row) => ({ assetSeq: row.asset!, pages: row.number1 })),
    };
  }

  /** Assets and findings of one scan, from one number to another, that are not so in the other scan; by addresses. */
  async difference(scanId: string, otherId: string, first: number, last: number): Promise<ScanDifference> {
    const { rows } = await sql<ScanDifference>`
      select
        (select count(*) from site_assets a where a.scan_id = ${scanId} and a.seq between ${first} and ${last}
          and not exists (select 1 from site_assets b where b.scan_id = ${otherId} and b.url = a.url)) as assets_new,
        (select count(*) from site_assets a
          join site_assets b on b.scan_id = ${otherId} and b.url = a.url and b.sha256 <> a.sha256
          where a.scan_id = ${scanId} and a.seq between ${first} and ${last}) as assets_changed,
        (select count(*) from site_findings f
          join site_assets a on a.scan_id = f.scan_id and a.seq = f.asset_seq
          where f.scan_id = ${scanId} and f.asset_seq between ${first} and ${last} and not exists (
            select 1 from site_assets b
            join site_findings g on g.scan_id = b.scan_id and g.asset_seq = b.seq and g.code = f.code
            where b.scan_id = ${otherId} and b.url = a.url)) as issues_new`.execute(this.#db);
    return rows[0]!;
  }

  async lastAsset(scanId: string): Promise<number> {
    const { seq } = await this.#db
      .selectFrom('siteAssets')
      .select(({ fn }) => fn.max('seq').as('seq'))
      .where('scanId', '=', scanId)
      .executeTakeFirstOrThrow();
    return seq ?? 0;
  }
}
