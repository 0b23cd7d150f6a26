import { type ExpressionBuilder, type Kysely, type OrderByItemBuilder, type RawBuilder, sql } from 'kysely';
import type {
  AssetFilter,
  AssetSort,
  PageFilter,
  PageSort,
  PlacedReference,
  ReferencePlace,
  SiteInventory,
  Slice,
} from '../../ports/site-inventory.ts';
import type { SiteAsset } from '../../records/site-assets.ts';
import type { SiteDownload } from '../../records/site-downloads.ts';
import type { SiteFinding } from '../../records/site-findings.ts';
import type { SiteOutput } from '../../records/site-outputs.ts';
import type { SitePage } from '../../records/site-pages.ts';
import { count, listOf, SiteRepository } from '../repository.ts';
import type { Tables } from '../schema.ts';
import { syntaxOf } from '../syntax.ts';

/** Number of pages read in one step. */
const BATCH = 1000;

/** Columns of the document that contains a reference. */
const placed = ['siteSources.kind as sourceKind', 'siteSources.url as sourceUrl'] as const;

export class SqlSiteInventory extends SiteRepository implements SiteInventory {
  async pages(
    scanId: string,
    filter: PageFilter,
    slice: Slice<PageSort>,
  ): Promise<{ pages: SitePage[]; total: number }> {
    const matching = this.pagesOf(scanId).where((eb) => eb.and(pageConditions(this.db, eb, filter)));
    const total = await count(matching);
    const pages = await matching
      .selectAll()
      .orderBy(PAGE_ORDER[slice.sort.by], directionOf(slice.sort))
      .orderBy('seq')
      .offset(slice.offset)
      .limit(slice.limit)
      .execute();
    return { pages, total };
  }

  async page(scanId: string, seq: number): Promise<SitePage | undefined> {
    return await this.pagesOf(scanId).selectAll().where('seq', '=', seq).executeTakeFirst();
  }

  async assets(
    scanId: string,
    filter: AssetFilter,
    slice: Slice<AssetSort>,
  ): Promise<{ assets: SiteAsset[]; total: number }> {
    const matching = this.assetsOf(scanId).where((eb) => eb.and(assetConditions(this.db, eb, scanId, filter)));
    const total = await count(matching);
    const assets = await matching
      .selectAll()
      .orderBy(ASSET_ORDER[slice.sort.by], directionOf(slice.sort))
      .orderBy('seq')
      .offset(slice.offset)
      .limit(slice.limit)
      .execute();
    return { assets, total };
  }

  async asset(scanId: string, seq: number): Promise<SiteAsset | undefined> {
    return await this.assetsOf(scanId).selectAll().where('seq', '=', seq).executeTakeFirst();
  }

  async assetsOfPage(scanId: string, pageSeq: number): Promise<SiteAsset[]> {
    return await this.assetsOf(scanId)
      .selectAll()
      .where('seq', 'in', assetsOf(this.db, scanId, [pageSeq]))
      .orderBy('seq')
      .execute();
  }

  async referencesOfPage(scanId: string, pageSeq: number, limit: number): Promise<PlacedReference[]> {
    return await this.#placed(scanId)
      .where('siteReferences.seq', 'in', referencesOf(this.db, scanId, [pageSeq], 'seq'))
      .orderBy('siteReferences.seq')
      .limit(limit)
      .execute();
  }

  async references(scanId: string, seqs: readonly number[]): Promise<PlacedReference[]> {
    return await this.#placed(scanId).where('siteReferences.seq', 'in', this.inList(seqs)).execute();
  }

  async firstReferences(scanId: string, assetSeqs: readonly number[]): Promise<Map<number, PlacedReference>> {
    const firsts = await this.referencesOf(scanId)
      .select(({ fn }) => fn.min<number>('seq').as('seq'))
      .where('assetSeq', 'in', this.inList(assetSeqs))
      .groupBy('assetSeq')
      .execute();
    const references = await this.references(
      scanId,
      firsts.map(({ seq }) => seq),
    );
    return new Map(references.map((reference) => [reference.assetSeq, reference]));
  }

  /** All references of a scan, each with the document that contains it. */
  #placed(scanId: string) {
    return this.db
      .selectFrom('siteReferences')
      .innerJoin('siteSources', (join) =>
        join
          .onRef('siteSources.scanId', '=', 'siteReferences.scanId')
          .onRef('siteSources.seq', '=', 'siteReferences.sourceSeq'),
      )
      .selectAll('siteReferences')
      .select(placed)
      .where('siteReferences.scanId', '=', scanId);
  }

  /** Grouping by an expression prevents SQLite from using the index of another column to avoid sorting. */
  async pagesOfAsset(
    scanId: string,
    assetSeq: number,
    limit: number,
  ): Promise<{ seq: number; url: string; references: number }[]> {
    const { rows } = await sql<{ seq: number; url: string; references: number }>`
      with recursive
        places(source_seq, page_seq, places) as (
          select source_seq + 0, page_seq, count(*) from site_references
          where scan_id = ${scanId} and asset_seq = ${assetSeq} group by source_seq + 0, page_seq
        ),
        users(origin, seq, places) as (
          select source_seq, source_seq, places from places where page_seq is null
          union
          select users.origin, l.from_seq, users.places from users cross join site_source_links l
          where l.scan_id = ${scanId} and l.to_seq = users.seq
        ),
        uses(page_seq, places) as (
          select s.page_seq, users.places from users cross join site_sources s
          where s.scan_id = ${scanId} and s.seq = users.seq and s.page_seq is not null
          union all
          select page_seq, places from places where page_seq is not null
        ),
        counted(page_seq, places) as (select page_seq, sum(places) from uses group by page_seq)
      select p.seq, p.url, counted.places as "references" from counted cross join site_pages p
      where p.scan_id = ${scanId} and p.seq = counted.page_seq and p.status = 'scanned'
      order by p.seq limit ${limit}`.execute(this.db);
    return rows;
  }

  async findings(scanId: string, assetSeqs: readonly number[]): Promise<SiteFinding[]> {
    return await this.findingsOf(scanId)
      .selectAll()
      .where('assetSeq', 'in', this.inList(assetSeqs))
      .orderBy('assetSeq')
      .orderBy('code')
      .execute();
  }

  async referencePlaces(scanId: string, seqs: readonly number[]): Promise<ReferencePlace[]> {
    return await this.db
      .selectFrom('siteReferences as r')
      .innerJoin('siteSources as s', (join) =>
        join.onRef('s.scanId', '=', 'r.scanId').onRef('s.seq', '=', 'r.sourceSeq'),
      )
      .select(['r.seq', 'r.tag', 'r.attribute', 'r.raw', 'r.line', 'r.column', 's.url as sourceUrl'])
      .select(({ fn }) => fn.coalesce('r.pageSeq', 's.pageSeq').as('pageSeq'))
      .where('r.scanId', '=', scanId)
      .where('r.seq', 'in', this.inList(seqs))
      .execute();
  }

  async outputs(scanId: string, assetSeqs: readonly number[]): Promise<SiteOutput[]> {
    return await this.outputsOf(scanId)
      .selectAll()
      .where('assetSeq', 'in', this.inList(assetSeqs))
      .orderBy('assetSeq')
      .orderBy('id')
      .execute();
  }

  async downloads(scanIds: readonly string[], name: string): Promise<SiteDownload[]> {
    return await this.db
      .selectFrom('siteDownloads')
      .selectAll()
      .where('scanId', 'in', this.inList(scanIds))
      .where('name', '=', name)
      .execute();
  }

  async *selectable(scanId: string): AsyncGenerator<{ seq: number; url: string }[]> {
    for (let last = 0; ; ) {
      const pages = await this.pagesOf(scanId)
        .select(['seq', 'url'])
        .where('seq', '>', last)
        .where(isSelectable)
        .where(sql<boolean>`coalesce(skip_reason, '') <> 'excluded'`)
        .orderBy('seq')
        .limit(BATCH)
        .execute();
      if (pages.length === 0) return;
      yield pages;
      last = pages.at(-1)!.seq;
    }
  }

  async untickAll(scanId: string): Promise<void> {
    await this.updatePages(scanId).set({ selected: 0 }).where('selected', '=', 1).where(isSelectable).execute();
  }

  async selectableOf(scanId: string, seqs: readonly number[]): Promise<Pick<SitePage, 'seq' | 'selected'>[]> {
    const rows = await this.pagesOf(scanId)
      .select(['seq', 'selected'])
      .where('seq', 'in', this.inList(seqs))
      .where(isSelectable)
      .execute();
    return rows.sort((one, other) => one.seq - other.seq);
  }

  async tick(scanId: string, seqs: readonly number[], selected: boolean): Promise<void> {
    await this.#changePages(scanId, seqs, selected ? { selected: 1, overLimit: 0 } : { selected: 0 });
  }

  async markOverLimit(scanId: string, seqs: readonly number[]): Promise<void> {
    await this.#changePages(scanId, seqs, { overLimit: 1 });
  }

  async countSelected(scanId: string): Promise<number> {
    return await count(this.pagesOf(scanId).where('selected', '=', 1));
  }

  async retryFailed(scanId: string): Promise<void> {
    const noError = { errorCode: null, errorMessage: null };
    await this.updatePages(scanId)
      .set({ status: 'queued', ...noError })
      .where('status', '=', 'failed')
      .execute();
    await this.updateAssets(scanId)
      .set({ status: 'found', ...noError })
      .where('status', '=', 'failed')
      .execute();
  }

  async countOptimized(scanId: string): Promise<number> {
    return await count(this.assetsOf(scanId).where('status', '=', 'optimized'));
  }

  async unwantAll(scanId: string): Promise<void> {
    await this.updateAssets(scanId).set({ wanted: 0 }).where('wanted', '=', 1).execute();
  }

  async wantAll(scanId: string, again: boolean): Promise<void> {
    const asked = this.updateAssets(scanId)
      .set({ wanted: 1 })
      .where(isFetched)
      .where('status', 'in', again ? ['ready', 'skipped', 'optimized'] : ['ready', 'skipped']);
    await (again ? asked : asked.where(sql<boolean>`coalesce(skip_reason, '') <> 'no_gain'`)).execute();
  }

  async want(scanId: string, seqs: readonly number[]): Promise<number> {
    return await this.#want(scanId, this.inList(seqs));
  }

  async wantOfPages(scanId: string, pageSeqs: readonly number[]): Promise<number> {
    await this.#want(scanId, assetsOf(this.db, scanId, pageSeqs));
    return await count(this.pagesOf(scanId).where('seq', 'in', this.inList(pageSeqs)));
  }

  async #want(scanId: string, seqs: RawBuilder<number>): Promise<number> {
    const { numUpdatedRows } = await this.updateAssets(scanId)
      .set({ wanted: 1 })
      .where('seq', 'in', seqs)
      .where(isFetched)
      .where('status', 'in', ['ready', 'skipped', 'optimized'])
      .executeTakeFirstOrThrow();
    return Number(numUpdatedRows);
  }

  async #changePages(
    scanId: string,
    seqs: readonly number[],
    changes: Partial<Pick<SitePage, 'selected' | 'overLimit'>>,
  ): Promise<void> {
    await this.updatePages(scanId).set(changes).where('seq', 'in', this.inList(seqs)).execute();
  }
}

/** Pages that have not been fetched and are excluded at most by a choice of the owner. */
const isSelectable = sql<boolean>`(status in ('found', 'queued') or (status = 'skipped' and skip_reason in ('not_selected', 'excluded')))`;

/** Assets with content. Whether it can be converted is decided by the conversion. */
const isFetched = sql<boolean>`(sha256 is not null and kind <> 'data_uri' and coalesce(skip_reason, '') <> 'third_party')`;

/**
 * The references of pages: those in their own documents and in all documents that these lead to. In a shared document,
 * references that belong to a single page count only for that page. `cross join` fixes the order of the tables: SQLite
 * has no statistics and would start with the largest.
 */
function referencesOf(
  db: Kysely<Tables>,
  scanId: string,
  pageSeqs: readonly number[],
  column: 'seq' | 'asset_seq',
): RawBuilder<number> {
  const pages = listOf(db, pageSeqs);
  return sql<number>`(
    with recursive live(seq) as (
      select seq from site_sources where scan_id = ${scanId} and page_seq in ${pages}
      union
      select l.to_seq from live cross join site_source_links l where l.scan_id = ${scanId} and l.from_seq = live.seq
    )
    select r.${sql.ref(column)} from live cross join site_references r
    where r.scan_id = ${scanId} and r.source_seq = live.seq and (r.page_seq is null or r.page_seq in ${pages}))`;
}

/** Numbers of the assets that pages use. */
const assetsOf = (db: Kysely<Tables>, scanId: string, pageSeqs: readonly number[]) =>
  referencesOf(db, scanId, pageSeqs, 'asset_seq');

function pageConditions(db: Kysely<Tables>, eb: ExpressionBuilder<Tables, 'sitePages'>, filter: PageFilter) {
  const { statuses, overLimit, text, attention, optimization, minSavings } = filter;
  const conditions = [];
  if (statuses) conditions.push(eb('status', 'in', statuses));
  if (overLimit !== undefined) conditions.push(eb('overLimit', '=', Number(overLimit)));
  if (text !== undefined) conditions.push(eb.or([contains(db, 'url', text), contains(db, 'title', text)]));
  if (typeof attention === 'boolean') conditions.push(eb('attention', attention ? '<>' : '=', '[]'));
  if (typeof attention === 'string') conditions.push(contains(db, 'attention', JSON.stringify(attention)));
  if (optimization !== undefined) conditions.push(eb('optimization', '=', optimization));
  if (minSavings !== undefined) conditions.push(eb('bytesSaved', '>=', minSavings));
  return conditions;
}

function assetConditions(
  db: Kysely<Tables>,
  eb: ExpressionBuilder<Tables, 'siteAssets'>,
  scanId: string,
  filter: AssetFilter,
) {
  const { kinds, statuses, issues, page, text, minSavings, mapped } = filter;
  const conditions = [];
  if (kinds) conditions.push(eb('kind', 'in', kinds));
  if (statuses) conditions.push(eb('status', 'in', statuses));
  if (issues !== undefined) {
    const found = eb.selectFrom('siteFindings').select('assetSeq').where('scanId', '=', scanId);
    const seqs = typeof issues === 'boolean' ? found : found.where('code', 'in', issues);
    conditions.push(eb('seq', issues === false ? 'not in' : 'in', seqs));
  }
  if (page !== undefined) conditions.push(eb('seq', 'in', assetsOf(db, scanId, [page])));
  if (text !== undefined) conditions.push(contains(db, 'url', text));
  if (minSavings !== undefined) conditions.push(eb('bytesSaved', '>=', minSavings));
  if (mapped !== undefined) conditions.push(eb('mapped', '=', Number(mapped)));
  return conditions;
}

/** A condition that ignores case. */
const contains = (db: Kysely<Tables>, column: string, text: string) => syntaxOf(db).contains(sql.ref(column), text);

/** Rows without a value come first in ascending order. */
const directionOf =
  ({ descending }: { descending: boolean }) =>
  (order: OrderByItemBuilder): OrderByItemBuilder =>
    descending ? order.desc().nullsLast() : order.asc().nullsFirst();

const PAGE_ORDER = {
  seq: 'seq',
  url: 'url',
  status: 'status',
  image_bytes: 'imageBytes',
  bytes_saved: 'bytesSaved',
  saved_percent: sql<number>`1.0 * bytes_saved / case when image_bytes > 1 then image_bytes else 1 end`,
  assets: 'assets',
} as const satisfies Record<PageSort, unknown>;

const ASSET_ORDER = {
  bytes_saved: 'bytesSaved',
  seq: 'seq',
  url: 'url',
  bytes: 'bytes',
  saved_percent: 'savedPercent',
  references: 'references',
  pages: 'pages',
  width: 'width',
  status: 'status',
} as const satisfies Record<AssetSort, unknown>;
