import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type {
  AssessedAsset,
  AssetCounts,
  AssetPlace,
  AssetPrint,
  AssetSummary,
  AssetUse,
  AssetWeight,
  PageCounts,
  PageSource,
  PageSummary,
  ScanDifference,
  SharedParts,
  SiteAssessment,
} from '../../ports/site-assessment.ts';
import type { SiteFinding } from '../../records/site-findings.ts';
import { prepared } from '../prepared.ts';
import { SiteRepository } from '../repository.ts';
import type { SqlSyntax } from '../syntax.ts';
import { faultBits, isLoaded } from './site-reference-faults.ts';

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
      bytesSaved: summary.bytesSaved,
      heaviestAssetSeq: summary.heaviestAssetSeq,
      issues: summary.issues,
      attention: summary.attention,
      optimization: summary.optimization,
    })
    .where('scanId', '=', summary.scanId)
    .where('seq', '=', summary.seq),
);

/** True for candidates that only screens with more than one pixel per CSS pixel load. */
const isForDenseScreens = ({ leadingNumber }: SqlSyntax) =>
  sql`((r.candidates > 1 or r.role = 'css_image_set') and r.descriptor like '%x'
  and ${leadingNumber(sql`r.descriptor`)} <> 1)`;

/**
 * Sources that scanned pages lead to. Image sitemaps are excluded because most of their images belong to other pages.
 * `cross join` fixes the order of the tables: without statistics SQLite starts with the wrong one, which takes seconds
 * instead of milliseconds.
 * @param otherId includes only pages that this scan has scanned as well
 */
const liveSources = (scanId: string, otherId?: string) => sql`live(seq) as (
  select s.seq from site_sources s cross join site_pages p
  where s.scan_id = ${scanId} and s.page_seq is not null
    and p.scan_id = s.scan_id and p.seq = s.page_seq and p.status = 'scanned' ${andScannedBy(otherId)}
  union
  select l.to_seq from live cross join site_source_links l cross join site_sources t
  where l.scan_id = ${scanId} and l.from_seq = live.seq
    and t.scan_id = ${scanId} and t.seq = l.to_seq and t.kind <> 'sitemap'
)`;

/** A condition on a page `p`: the other scan has scanned the same address. */
function andScannedBy(scanId: string | undefined) {
  if (scanId === undefined) return sql``;
  return sql`and exists (
    select 1 from site_pages q where q.scan_id = ${scanId} and q.url = p.url and q.status = 'scanned')`;
}

/** Pages counted in one statement, which takes a few milliseconds. */
const PAGES_PER_COUNT = 5000;

const pageCounts = prepared((db, { scanId, after, upTo }: { scanId: string; after: number; upTo: number }) =>
  db
    .selectFrom('sitePages')
    .select(({ fn }) => [
      fn.countAll<number>().as('pagesFound'),
      sql<number>`coalesce(sum(selected), 0)`.as('pagesSelected'),
      sql<number>`count(*) filter (where status = 'scanned')`.as('pagesScanned'),
      sql<number>`count(*) filter (where status = 'failed')`.as('pagesFailed'),
      sql<number>`count(*) filter (where status = 'skipped')`.as('pagesSkipped'),
      sql<number>`coalesce(sum(over_limit), 0)`.as('pagesOverLimit'),
      sql<number>`coalesce(sum(case when status = 'scanned' then bytes_saved end), 0)`.as('pageBytesSaved'),
    ])
    .where('scanId', '=', scanId)
    .where('seq', '>', after)
    .where('seq', '<=', upTo),
);

export class SqlSiteAssessment extends SiteRepository implements SiteAssessment {
  async pageCounts(scanId: string): Promise<PageCounts> {
    const last = await this.lastPage(scanId);
    const sums: PageCounts = {
      pagesFound: 0,
      pagesSelected: 0,
      pagesScanned: 0,
      pagesFailed: 0,
      pagesSkipped: 0,
      pagesOverLimit: 0,
      pageBytesSaved: 0,
    };
    for (let after = 0; after < last; after += PAGES_PER_COUNT) {
      const [counts] = await pageCounts(this.db, { scanId, after, upTo: after + PAGES_PER_COUNT });
      for (const name of Object.keys(sums) as (keyof PageCounts)[]) sums[name] += counts![name];
      await setImmediate();
    }
    return sums;
  }

  async assetCounts(scanId: string): Promise<AssetCounts> {
    return await this.assetsOf(scanId)
      .select(({ fn }) => [
        fn.countAll<number>().as('assets'),
        sql<number>`count(distinct sha256)`.as('assetsUnique'),
        sql<number>`count(*) filter (where status = 'optimized')`.as('assetsOptimized'),
        sql<number>`coalesce(sum(mapped), 0)`.as('assetsMapped'),
        sql<number>`count(*) filter (where status = 'skipped')`.as('assetsSkipped'),
        sql<number>`count(*) filter (where status = 'failed')`.as('assetsFailed'),
        // An image inside a page is not a file that is sent.
        sql<number>`coalesce(sum(case when kind <> 'data_uri' then bytes end), 0)`.as('bytesOriginal'),
        sql<number>`coalesce(sum(case when mapped = 1 then bytes_saved end), 0)`.as('bytesSaved'),
      ])
      .executeTakeFirstOrThrow();
  }

  async referenceCount(scanId: string): Promise<number> {
    const { rows } = await sql<{ places: number }>`
      with recursive ${liveSources(scanId)}
      select (
        select count(*) from live cross join site_references r
        where r.scan_id = ${scanId} and r.source_seq = live.seq and r.page_seq is null
      ) + (
        select count(*) from site_references r
        join site_pages p on p.scan_id = r.scan_id and p.seq = r.page_seq and p.status = 'scanned'
        where r.scan_id = ${scanId} and r.page_seq is not null
      ) as places`.execute(this.db);
    return rows[0]!.places;
  }

  async issues(scanId: string): Promise<Record<string, number>> {
    const rows = await this.findingsOf(scanId)
      .select(({ fn }) => ['code', fn.countAll<number>().as('assets')])
      .groupBy('code')
      .execute();
    return Object.fromEntries(rows.map(({ code, assets }) => [code, assets]));
  }

  async concerns(scanId: string): Promise<{ needsJavascript: boolean; overLimit: boolean; thirdParty: boolean }> {
    const { rows } = await sql<{ needsJavascript: SqlBool; overLimit: SqlBool; thirdParty: SqlBool }>`
      select
        exists (select 1 from site_pages where scan_id = ${scanId} and status = 'scanned' and needs_javascript = 1)
          as needs_javascript,
        exists (select 1 from site_pages where scan_id = ${scanId} and over_limit = 1)
          or exists (select 1 from site_assets
            where scan_id = ${scanId} and status = 'skipped' and skip_reason = 'over_limit') as over_limit,
        exists (select 1 from site_findings where scan_id = ${scanId} and code = 'third_party') as third_party
      `.execute(this.db);
    const { needsJavascript, overLimit, thirdParty } = rows[0]!;
    return { needsJavascript: !!needsJavascript, overLimit: !!overLimit, thirdParty: !!thirdParty };
  }

  async liveSources(scanId: string, otherId?: string): Promise<number[]> {
    const { rows } = await sql<{ seq: number }>`
      with recursive ${liveSources(scanId, otherId)} select seq from live`.execute(this.db);
    return rows.map(({ seq }) => seq);
  }

  async scannedPages(scanId: string, otherId?: string): Promise<number[]> {
    const { rows } = await sql<{ seq: number }>`
      select p.seq from site_pages p
      where p.scan_id = ${scanId} and p.status = 'scanned' ${andScannedBy(otherId)}`.execute(this.db);
    return rows.map(({ seq }) => seq);
  }

  async lastPage(scanId: string): Promise<number> {
    const { seq } = await this.pagesOf(scanId)
      .select(({ fn }) => fn.max('seq').as('seq'))
      .executeTakeFirstOrThrow();
    return seq ?? 0;
  }

  async assets(scanId: string, after: number, limit: number): Promise<AssessedAsset[]> {
    const rows = await this.db
      .selectFrom('siteAssets as a')
      .selectAll('a')
      .where('a.scanId', '=', scanId)
      .where('a.seq', '>', after)
      .orderBy('a.seq')
      .limit(limit)
      .execute();
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return [];
    const outputs = await this.db
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

  async places(
    scanId: string,
    after: { assetSeq: number; seq: number },
    lastAsset: number,
    limit: number,
  ): Promise<AssetPlace[]> {
    const { rows } = await sql<AssetPlace>`
      select r.asset_seq, r.seq, r.source_seq, r.page_seq, r.role, r.displayed_width, r.displayed_height,
        r.displayed_source, a.width, a.height, r.candidates,
        r.is_size_certain, ${faultBits} as faults
      from site_references r
      join site_assets a on a.scan_id = r.scan_id and a.seq = r.asset_seq
      join site_sources s on s.scan_id = r.scan_id and s.seq = r.source_seq
      where r.scan_id = ${scanId} and (r.asset_seq, r.seq) > (${after.assetSeq}, ${after.seq})
        and r.asset_seq <= ${lastAsset}
      order by r.asset_seq, r.seq limit ${limit}`.execute(this.db);
    return rows;
  }

  async prints(scanId: string, after: number, limit: number): Promise<AssetPrint[]> {
    return (await this.assetsOf(scanId)
      .select(['seq', 'fingerprint', 'width', 'height', 'sha256'])
      .where('seq', '>', after)
      .where('fingerprint', 'is not', null)
      .where('width', 'is not', null)
      .where('height', 'is not', null)
      .where('kind', '<>', 'data_uri')
      .orderBy('seq')
      .limit(limit)
      .execute()) as AssetPrint[];
  }

  async replaceFindings(scanId: string, first: number, last: number, findings: readonly SiteFinding[]): Promise<void> {
    await this.db
      .deleteFrom('siteFindings')
      .where('scanId', '=', scanId)
      .where(({ between }) => between('assetSeq', first, last))
      .execute();
    for (const finding of findings) await insertFinding(this.db, finding);
  }

  async setAssetSummary(scanId: string, summary: AssetSummary): Promise<void> {
    await setAssetSummary(this.db, { scanId, ...summary });
  }

  async setAssetPages(scanId: string, seq: number, pages: number): Promise<void> {
    await setAssetPages(this.db, { scanId, seq, pages });
  }

  async setPageSummary(scanId: string, summary: PageSummary): Promise<void> {
    await setPageSummary(this.db, { scanId, ...summary });
  }

  async summarizeOtherPages(scanId: string): Promise<void> {
    const attention = sql<string>`case when status = 'failed' then '["failed"]' else '[]' end`;
    await this.updatePages(scanId)
      .set({ attention, optimization: 'none' })
      .where('status', '<>', 'scanned')
      .where('attention', '<>', attention)
      .execute();
  }

  async pageSources(scanId: string, first: number, last: number): Promise<PageSource[]> {
    const { rows } = await sql<PageSource>`
      select p.seq as page_seq, p.needs_javascript, p.names, s.seq as source_seq, (
        select ${this.syntax.arrayOf(sql`l.to_seq`)} from site_source_links l cross join site_sources t
        where l.scan_id = ${scanId} and l.from_seq = s.seq
          and t.scan_id = ${scanId} and t.seq = l.to_seq and t.kind <> 'sitemap'
      ) as linked
      from site_pages p left join site_sources s on s.scan_id = ${scanId} and s.page_seq = p.seq
      where p.scan_id = ${scanId} and p.seq between ${first} and ${last} and p.status = 'scanned'
      order by p.seq`.execute(this.db);
    return rows;
  }

  async sharedLinks(scanId: string): Promise<{ fromSeq: number; toSeq: number }[]> {
    const { rows } = await sql<{ fromSeq: number; toSeq: number }>`
      select l.from_seq, l.to_seq from site_sources s cross join site_source_links l
      where s.scan_id = ${scanId} and s.kind not in ('page', 'sitemap')
        and l.scan_id = ${scanId} and l.from_seq = s.seq`.execute(this.db);
    return rows;
  }

  async usesIn(scanId: string, sourceSeqs: readonly number[]): Promise<AssetUse[]> {
    return await this.#uses(
      scanId,
      sql`r.source_seq in ${this.inList(sourceSeqs)} and r.page_seq is null`,
      sql`r.source_seq`,
    );
  }

  async usesOfPages(scanId: string, first: number, last: number): Promise<AssetUse[]> {
    return await this.#uses(scanId, sql`r.page_seq between ${first} and ${last}`, sql`r.page_seq`);
  }

  async #uses(scanId: string, where: RawBuilder<unknown>, holder: RawBuilder<unknown>): Promise<AssetUse[]> {
    const { rows } = await sql<Omit<AssetUse, 'needed'> & { needed: string | null }>`
      select ${holder} as holder, r.asset_seq, r.image_number, r.needed,
        case
          when not ${isLoaded} or r.in_noscript = 1 or a.kind = 'data_uri' or ${isForDenseScreens(this.syntax)} then 0
          when r.image_number is not null and r.candidates > 1 then 2
          else 1
        end as load,
        ${faultBits} as faults
      from site_references r cross join site_assets a cross join site_sources s
      where r.scan_id = ${scanId} and ${where}
        and a.scan_id = ${scanId} and a.seq = r.asset_seq and s.scan_id = ${scanId} and s.seq = r.source_seq`.execute(
      this.db,
    );
    return rows.map((row) => ({ ...row, needed: row.needed === null ? null : JSON.parse(row.needed) }));
  }

  async weights(scanId: string, after: number, limit: number): Promise<AssetWeight[]> {
    const { rows } = await sql<AssetWeight>`
      select seq, coalesce(bytes, 0) as bytes, case when mapped = 1 then bytes_saved else 0 end as bytes_saved,
        case
          when status = 'optimized' and mapped = 1 then 'replaced'
          when kind in ('raster', 'animation') and status in ('found', 'fetching', 'ready', 'optimizing') then 'open'
          when status = 'skipped' and skip_reason = 'over_limit' then 'open'
          when status = 'optimized' and approval = 'auto' then 'open'
          else 'rest'
        end as state
      from site_assets where scan_id = ${scanId} and seq > ${after} order by seq limit ${limit}`.execute(this.db);
    return rows;
  }

  async findingCodes(scanId: string, first: number, last: number): Promise<{ assetSeq: number; code: string }[]> {
    return await this.findingsOf(scanId)
      .select(['assetSeq', 'code'])
      .where(({ between }) => between('assetSeq', first, last))
      .orderBy('assetSeq')
      .orderBy('code')
      .execute();
  }

  async difference(
    scanId: string,
    otherId: string,
    { pages, sources }: SharedParts,
    { first, last }: { first: number; last: number },
  ): Promise<ScanDifference> {
    const { items } = this.syntax;
    const isShared = sql`(
      r.page_seq is null and r.source_seq in ${items(sql`${sources}`, 'integer')}
      or r.page_seq in ${items(sql`${pages}`, 'integer')})`;
    const isOnSharedPage = sql`exists (
      select 1 from site_references r where r.scan_id = a.scan_id and r.asset_seq = a.seq and ${isShared})`;
    // A finding about a file applies wherever the file is used.
    const isFoundOnSharedPage = sql`case f."references" when '[]' then ${isOnSharedPage} else exists (
      select 1 from ${items(sql`f."references"`, 'integer')} n cross join site_references r
      where r.scan_id = f.scan_id and r.seq = n.value and ${isShared}) end`;
    const { rows } = await sql<ScanDifference>`
      select
        (select coalesce(sum(case when a.kind <> 'data_uri' then a.bytes end), 0) from site_assets a
          where a.scan_id = ${scanId} and a.seq between ${first} and ${last} and ${isOnSharedPage}) as bytes,
        (select count(*) from site_assets a where a.scan_id = ${scanId} and a.seq between ${first} and ${last}
          and ${isOnSharedPage}
          and not exists (select 1 from site_assets b where b.scan_id = ${otherId} and b.url = a.url)) as assets_new,
        (select count(*) from site_assets a
          join site_assets b on b.scan_id = ${otherId} and b.url = a.url and b.sha256 <> a.sha256
          where a.scan_id = ${scanId} and a.seq between ${first} and ${last} and ${isOnSharedPage}) as assets_changed,
        (select count(*) from site_findings f
          join site_assets a on a.scan_id = f.scan_id and a.seq = f.asset_seq
          where f.scan_id = ${scanId} and f.asset_seq between ${first} and ${last} and ${isFoundOnSharedPage}
          and not exists (
            select 1 from site_assets b
            join site_findings g on g.scan_id = b.scan_id and g.asset_seq = b.seq and g.code = f.code
            where b.scan_id = ${otherId} and b.url = a.url)) as issues_new`.execute(this.db);
    return rows[0]!;
  }

  async lastAsset(scanId: string): Promise<number> {
    const { seq } = await this.assetsOf(scanId)
      .select(({ fn }) => fn.max('seq').as('seq'))
      .executeTakeFirstOrThrow();
    return seq ?? 0;
  }
}
