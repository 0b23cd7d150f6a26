/**
 * Stores what the crawl of a website finds, as rows. Methods for many rows use one statement each, however many rows
 * there are.
 */

import { type Kysely, type Selectable, sql } from 'kysely';
import type {
  CrawlProgress,
  KnownPage,
  LastSeqs,
  NewSiteAsset,
  NewSitePage,
  QueuedPage,
  SiteCrawl,
} from '../../ports/site-crawl.ts';
import type { SiteAsset } from '../../records/site-assets.ts';
import type { SitePage } from '../../records/site-pages.ts';
import type { ScanStatus } from '../../records/site-scans.ts';
import type { ReadSiteSource, SiteReference, SiteSource } from '../../records/site-sources.ts';
import { prepared } from '../prepared.ts';
import { count, SiteRepository, textsIn } from '../repository.ts';
import type { Tables } from '../schema.ts';
import { syntaxOf } from '../syntax.ts';

/** Inserts any number of rows with one statement. */
function inserting<T extends keyof Tables & string>(table: T, columns: readonly (keyof Tables[T] & string)[]) {
  const insert = prepared((db: Kysely<Tables>, { rows }: { rows: string }) =>
    (db as Kysely<Record<string, Record<string, unknown>>>)
      .insertInto(table)
      .columns(columns)
      .expression(
        db
          .selectFrom(syntaxOf(db).rows.decode(table, columns, sql`${rows}`).as('row'))
          .select(columns.map((column) => sql.ref(`row.${column}`).as(column))),
      ),
  );
  return async (db: Kysely<Tables>, rows: readonly Partial<Selectable<Tables[T]>>[]): Promise<void> => {
    if (rows.length > 0) await insert(db, { rows: syntaxOf(db).rows.encode(columns, rows) });
  };
}

const insertPages = inserting('sitePages', [
  'scanId',
  'seq',
  'url',
  'status',
  'skipReason',
  'selected',
  'overLimit',
  'depth',
  'foundBy',
]);

const insertSources = inserting('siteSources', ['scanId', 'seq', 'kind', 'url', 'pageSeq', 'status']);

const insertAssets = inserting('siteAssets', [
  'scanId',
  'seq',
  'url',
  'kind',
  'status',
  'skipReason',
  'approval',
  'external',
  'format',
  'contentType',
  'bytes',
  'width',
  'height',
  'sha256',
]);

const insertReferences = inserting('siteReferences', [
  'scanId',
  'seq',
  'sourceSeq',
  'pageSeq',
  'assetSeq',
  'role',
  'tag',
  'attribute',
  'raw',
  'descriptor',
  'media',
  'sizes',
  'type',
  'alt',
  'loading',
  'declaredWidth',
  'declaredHeight',
  'displayedWidth',
  'displayedHeight',
  'displayedSource',
  'line',
  'column',
  'inNoscript',
  'imageNumber',
  'lacksDimensions',
  'lacksAlt',
  'lazy',
  'preloaded',
  'candidates',
  'needed',
  'element',
]);

const lastSeqs = prepared((db, { scanId }: { scanId: string }) => {
  const last = (table: 'sitePages' | 'siteSources' | 'siteReferences' | 'siteAssets') =>
    db
      .selectFrom(table)
      .select(({ fn, lit }) => fn.coalesce(fn.max<number>('seq'), lit(0)).as('seq'))
      .where('scanId', '=', scanId);
  return db.selectNoFrom([
    last('sitePages').as('page'),
    last('siteSources').as('source'),
    last('siteReferences').as('reference'),
    last('siteAssets').as('asset'),
  ]);
});

const knownPages = prepared((db, { scanId, urls }: { scanId: string; urls: string }) =>
  db
    .selectFrom('sitePages')
    .select(['seq', 'url', 'status', 'selected'])
    .where('scanId', '=', scanId)
    .where('url', 'in', textsIn(db, urls)),
);

const knownSources = prepared((db, { scanId, urls }: { scanId: string; urls: string }) =>
  db
    .selectFrom('siteSources')
    .select(['seq', 'url', 'kind', 'pageSeq'])
    .where('scanId', '=', scanId)
    .where('url', 'in', textsIn(db, urls)),
);

const knownAssets = prepared((db, { scanId, urls }: { scanId: string; urls: string }) =>
  db.selectFrom('siteAssets').select(['seq', 'url']).where('scanId', '=', scanId).where('url', 'in', textsIn(db, urls)),
);

/** For each path, the number of pages with that path and a query, up to a maximum. */
const queryVariants = prepared((db, { scanId, paths, most }: { scanId: string; paths: string; most: number }) =>
  db.selectFrom(syntaxOf(db).items<string>(sql`${paths}`, 'text').as('path')).select([
    sql<string>`"path"."value"`.as('path'),
    // `@` is the character after `?`: this is the range of addresses that begin with the path and `?`.
    sql<number>`(select count(*) from (select 1 from site_pages where scan_id = ${scanId}
        and url >= "path"."value" || '?' and url < "path"."value" || '@' limit ${most}) as variants)`.as('pages'),
  ]),
);

const linkSources = prepared((db, { scanId, fromSeq, to }: { scanId: string; fromSeq: number; to: string }) =>
  db
    .insertInto('siteSourceLinks')
    .columns(['scanId', 'fromSeq', 'toSeq'])
    .expression(
      db
        .selectFrom(syntaxOf(db).items<number>(sql`${to}`, 'integer').as('to'))
        .select([
          sql<string>`${scanId}`.as('scanId'),
          sql<number>`${fromSeq}`.as('fromSeq'),
          sql<number>`"to"."value"`.as('toSeq'),
        ])
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) => conflict.doNothing()),
);

const readSource = prepared((db, { scanId, seq, kind, url, pageSeq, status, sizing }: ReadSiteSource) =>
  db
    .insertInto('siteSources')
    .values({ scanId, seq, kind, url, pageSeq, status, sizing })
    .onConflict((conflict) =>
      conflict.columns(['scanId', 'url']).doUpdateSet(({ ref }) => ({
        kind: ref('excluded.kind'),
        pageSeq: ref('excluded.pageSeq'),
        status: ref('excluded.status'),
        sizing: ref('excluded.sizing'),
      })),
    )
    .returning('seq'),
);

const clearReferences = prepared((db, { scanId, sourceSeq }: { scanId: string; sourceSeq: number }) =>
  db.deleteFrom('siteReferences').where('scanId', '=', scanId).where('sourceSeq', '=', sourceSeq),
);

interface Report {
  id: string;
  status: ScanStatus;
  done: number;
  total: number | null;
  url: string | null;
  bytes: number;
  isEnd: number;
}

const report = prepared((db, { id, status, done, total, url, bytes, isEnd }: Report) =>
  db
    .updateTable('siteScans')
    .set(({ eb }) => ({
      progressDone: done,
      progressTotal: total,
      progressUrl: url,
      bytesFetched: eb('bytesFetched', '+', bytes),
      attempts: sql<number>`case when ${isEnd} = 1 or ${done} > progress_done then 0 else attempts end`,
    }))
    .where('id', '=', id)
    .where('status', '=', status)
    .returning('bytesFetched'),
);

/** The smallest number of links or imports that lead to a source from a page or from a source that nothing links. */
const levelOf = prepared((db, { scanId, seq }: { scanId: string; seq: number }) =>
  db
    .withRecursive('up(seq, steps)', (on) =>
      on
        .selectFrom('siteSources')
        .select(['seq', sql<number>`0`.as('steps')])
        .where('scanId', '=', scanId)
        .where('seq', '=', seq)
        .union(
          on
            .selectFrom('up')
            .innerJoin('siteSourceLinks as link', (join) =>
              join.on('link.scanId', '=', scanId).onRef('link.toSeq', '=', 'up.seq'),
            )
            .select(['link.fromSeq as seq', sql<number>`up.steps + 1`.as('steps')])
            .where('up.steps', '<', 4),
        ),
    )
    .selectFrom('up')
    .innerJoin('siteSources as source', (join) =>
      join.on('source.scanId', '=', scanId).onRef('source.seq', '=', 'up.seq'),
    )
    .select(({ fn }) => fn.min<number | null>('up.steps').as('level'))
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb('source.kind', '=', 'page'),
        not(
          exists(
            selectFrom('siteSourceLinks as parent')
              .select('parent.fromSeq')
              .where('parent.scanId', '=', scanId)
              .whereRef('parent.toSeq', '=', 'source.seq'),
          ),
        ),
      ]),
    ),
);

export class SqlSiteCrawl extends SiteRepository implements SiteCrawl {
  // The scan.

  async report(id: string, status: ScanStatus, progress: CrawlProgress): Promise<number | undefined> {
    const { isEnd = false, ...others } = progress;
    const [row] = await report(this.db, { id, status, ...others, isEnd: Number(isEnd) });
    return row?.bytesFetched;
  }

  async warn(id: string, warning: string): Promise<void> {
    const { append, items } = this.syntax;
    const warnings = sql`warnings`;
    await sql`
      update site_scans set warnings = ${append(warnings, warning)}
      where id = ${id} and ${warning} not in ${items(warnings, 'text')}`.execute(this.db);
  }

  async lastSeqs(scanId: string): Promise<LastSeqs> {
    const [last] = await lastSeqs(this.db, { scanId });
    return last as LastSeqs;
  }

  async putBack(scanId: string): Promise<void> {
    await this.#changePages(scanId, 'scanning', { status: 'queued' });
    await this.#changeAssets(scanId, 'fetching', { status: 'found' });
    await this.#changeAssets(scanId, 'optimizing', { status: 'ready' });
  }

  async #changePages(scanId: string, from: SitePage['status'], changes: Partial<SitePage>): Promise<void> {
    await this.updatePages(scanId).set(changes).where('status', '=', from).execute();
  }

  async #changeAssets(scanId: string, from: SiteAsset['status'], changes: Partial<SiteAsset>): Promise<void> {
    await this.updateAssets(scanId).set(changes).where('status', '=', from).execute();
  }

  // Pages.

  async insertPages(pages: readonly NewSitePage[]): Promise<void> {
    await insertPages(this.db, pages);
  }

  async knownPages(scanId: string, urls: readonly string[]): Promise<KnownPage[]> {
    return urls.length === 0 ? [] : await knownPages(this.db, { scanId, urls: JSON.stringify(urls) });
  }

  async queryVariants(scanId: string, paths: readonly string[], most: number): Promise<Map<string, number>> {
    if (paths.length === 0) return new Map();
    const rows = await queryVariants(this.db, { scanId, paths: JSON.stringify(paths), most });
    return new Map(rows.map(({ path, pages }) => [path, pages]));
  }

  async changePage(scanId: string, seq: number, changes: Partial<SitePage>): Promise<void> {
    await this.updatePages(scanId).set(changes).where('seq', '=', seq).execute();
  }

  async unreadPages(scanId: string, after: { depth: number; seq: number }, limit: number): Promise<QueuedPage[]> {
    return await this.pagesOf(scanId)
      .select(['seq', 'url', 'depth', 'foundBy', 'isRead', 'isCharged'])
      .where('status', '=', 'found')
      .where(({ eb, refTuple, tuple }) => eb(refTuple('depth', 'seq'), '>', tuple(after.depth, after.seq)))
      .where('selected', '=', 1)
      .where('isRead', '=', 0)
      .orderBy('depth')
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  async queuedPages(scanId: string, after: { depth: number; seq: number }, limit: number): Promise<QueuedPage[]> {
    return await this.pagesOf(scanId)
      .select(['seq', 'url', 'depth', 'foundBy', 'isRead', 'isCharged'])
      .where('status', '=', 'queued')
      .where(({ eb, refTuple, tuple }) => eb(refTuple('depth', 'seq'), '>', tuple(after.depth, after.seq)))
      .orderBy('depth')
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  async chosenPages(scanId: string, afterSeq: number, limit: number): Promise<Pick<SitePage, 'seq' | 'url'>[]> {
    return await this.pagesOf(scanId)
      .select(['seq', 'url'])
      .where('seq', '>', afterSeq)
      .where(({ or, eb }) => or([eb('selected', '=', 1), eb('overLimit', '=', 1)]))
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  async countLeftOut(scanId: string): Promise<number> {
    return await count(this.pagesOf(scanId).where('status', '=', 'skipped').where('fetchedAt', 'is not', null));
  }

  async selectNext(scanId: string, status: SitePage['status']): Promise<boolean> {
    const next = this.pagesOf(scanId)
      .select('seq')
      .where('overLimit', '=', 1)
      .where('status', '=', 'found')
      .orderBy('depth')
      .orderBy('seq')
      .limit(1);
    const { numUpdatedRows } = await this.updatePages(scanId)
      .set({ selected: 1, overLimit: 0, status })
      .where('seq', '=', next)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0;
  }

  async queueSelected(scanId: string): Promise<void> {
    await this.updatePages(scanId)
      .set({ status: 'queued', skipReason: null })
      .where('selected', '=', 1)
      .where(({ or, and, eb }) =>
        or([
          eb('status', '=', 'found'),
          and([eb('status', '=', 'skipped'), eb('skipReason', 'in', ['not_selected', 'excluded'])]),
        ]),
      )
      .execute();
    await this.updatePages(scanId)
      .set({ status: 'skipped', skipReason: 'not_selected' })
      .where('selected', '=', 0)
      .where('overLimit', '=', 0)
      .where('status', '=', 'found')
      .execute();
  }

  async leaveQueued(scanId: string): Promise<void> {
    await this.#changePages(scanId, 'queued', { status: 'found', selected: 0, overLimit: 1 });
  }

  async countPages(scanId: string): Promise<{ selected: number; queued: number; ended: number }> {
    return await this.pagesOf(scanId)
      .select([
        sql<number>`coalesce(sum(selected), 0)`.as('selected'),
        sql<number>`count(*) filter (where status = 'queued')`.as('queued'),
        sql<number>`count(*) filter (where status in ('scanned', 'failed'))`.as('ended'),
      ])
      .executeTakeFirstOrThrow();
  }

  async chargePage(scanId: string, seq: number, packageId: string, now: string): Promise<boolean> {
    const taken = await this.db
      .updateTable('packages')
      .set(({ eb }) => ({ pagesLeft: eb('pagesLeft', '-', 1) }))
      .where('id', '=', packageId)
      .where('pagesLeft', '>', 0)
      .where(({ or, eb }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
      .returning('id')
      .executeTakeFirst();
    if (!taken) return false;
    await this.changePage(scanId, seq, { isCharged: 1 });
    await this.db
      .updateTable('siteScans')
      .set(({ eb }) => ({ packagePagesCharged: eb('packagePagesCharged', '+', 1) }))
      .where('id', '=', scanId)
      .execute();
    return true;
  }

  // Sources.

  async readSource(source: ReadSiteSource): Promise<number> {
    const [row] = await readSource(this.db, source);
    const { seq } = row!;
    if (seq !== source.seq) await clearReferences(this.db, { scanId: source.scanId, sourceSeq: seq });
    return seq;
  }

  async knownSources(scanId: string, urls: readonly string[]) {
    return urls.length === 0 ? [] : await knownSources(this.db, { scanId, urls: JSON.stringify(urls) });
  }

  async insertSources(sources: readonly SiteSource[]): Promise<void> {
    await insertSources(this.db, sources);
  }

  async linkSources(scanId: string, fromSeq: number, to: readonly number[]): Promise<void> {
    if (to.length > 0) await linkSources(this.db, { scanId, fromSeq, to: JSON.stringify(to) });
  }

  async failSource(scanId: string, seq: number): Promise<void> {
    await this.db
      .updateTable('siteSources')
      .set({ status: 'failed' })
      .where('scanId', '=', scanId)
      .where('seq', '=', seq)
      .execute();
  }

  async retrySources(scanId: string): Promise<void> {
    await this.db
      .updateTable('siteSources')
      .set({ status: 'found' })
      .where('scanId', '=', scanId)
      .where('status', '=', 'failed')
      .where('kind', 'in', ['stylesheet', 'manifest'])
      .execute();
  }

  async levelOf(scanId: string, seq: number): Promise<number> {
    const [row] = await levelOf(this.db, { scanId, seq });
    return row?.level ?? 4;
  }

  async unreadSitemaps(scanId: string, afterSeq: number, limit: number): Promise<SiteSource[]> {
    return await this.sourcesOf(scanId)
      .selectAll()
      .where('seq', '>', afterSeq)
      .where('kind', '=', 'sitemap')
      .where('status', '=', 'found')
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  async unreadSources(scanId: string, afterSeq: number, limit: number): Promise<SiteSource[]> {
    return await this.db
      .selectFrom('siteSources as source')
      .selectAll('source')
      .where('source.scanId', '=', scanId)
      .where('source.seq', '>', afterSeq)
      .where('source.kind', 'in', ['stylesheet', 'manifest'])
      .where('source.status', '=', 'found')
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('siteSourceLinks as link')
            .innerJoin('siteSources as parent', (join) =>
              join.onRef('parent.scanId', '=', 'link.scanId').onRef('parent.seq', '=', 'link.fromSeq'),
            )
            .leftJoin('sitePages as page', (join) =>
              join.onRef('page.scanId', '=', 'parent.scanId').onRef('page.seq', '=', 'parent.pageSeq'),
            )
            .select('link.fromSeq')
            .whereRef('link.scanId', '=', 'source.scanId')
            .whereRef('link.toSeq', '=', 'source.seq')
            .where(({ or, and, eb }) =>
              or([
                eb('page.status', '=', 'scanned'),
                and([eb('parent.kind', '<>', 'page'), eb('parent.status', '=', 'read')]),
              ]),
            ),
        ),
      )
      .orderBy('source.seq')
      .limit(limit)
      .execute();
  }

  async countSources(scanId: string, kind: SiteSource['kind']): Promise<number> {
    return await count(this.sourcesOf(scanId).where('kind', '=', kind));
  }

  // Assets and references.

  async knownAssets(scanId: string, urls: readonly string[]): Promise<Map<string, number>> {
    if (urls.length === 0) return new Map();
    const rows = await knownAssets(this.db, { scanId, urls: JSON.stringify(urls) });
    return new Map(rows.map(({ url, seq }) => [url, seq]));
  }

  async insertAssets(assets: readonly NewSiteAsset[]): Promise<void> {
    await insertAssets(this.db, assets);
  }

  async insertReferences(references: readonly SiteReference[]): Promise<void> {
    await insertReferences(this.db, references);
  }

  async knownImage(scanId: string, url: string): Promise<SiteAsset | undefined> {
    return await this.assetsOf(scanId)
      .selectAll()
      .where('url', '=', url)
      .where('httpStatus', '=', 200)
      .where('sha256', 'is not', null)
      .where('facts', 'is not', null)
      .where('status', 'in', ['ready', 'optimized', 'skipped'])
      .where(({ or, eb }) => or([eb('etag', 'is not', null), eb('lastModified', 'is not', null)]))
      .executeTakeFirst();
  }

  async changeAsset(scanId: string, seq: number, changes: Partial<SiteAsset>): Promise<void> {
    await this.updateAssets(scanId).set(changes).where('seq', '=', seq).execute();
  }

  async unfetchedAssets(scanId: string, afterSeq: number, limit: number): Promise<Pick<SiteAsset, 'seq' | 'url'>[]> {
    return await this.db
      .selectFrom('siteAssets as asset')
      .select(['asset.seq', 'asset.url'])
      .where('asset.scanId', '=', scanId)
      .where('asset.status', '=', 'found')
      .where('asset.seq', '>', afterSeq)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('siteReferences as reference')
            .innerJoin('siteSources as source', (join) =>
              join.onRef('source.scanId', '=', 'reference.scanId').onRef('source.seq', '=', 'reference.sourceSeq'),
            )
            .leftJoin('sitePages as page', (join) =>
              join
                .onRef('page.scanId', '=', 'reference.scanId')
                .on(({ eb, fn, ref }) =>
                  eb('page.seq', '=', fn.coalesce(ref('reference.pageSeq'), ref('source.pageSeq'))),
                ),
            )
            .select('reference.seq')
            .whereRef('reference.scanId', '=', 'asset.scanId')
            .whereRef('reference.assetSeq', '=', 'asset.seq')
            .where(({ or, eb }) => or([eb('page.seq', 'is', null), eb('page.status', '=', 'scanned')])),
        ),
      )
      .orderBy('asset.seq')
      .limit(limit)
      .execute();
  }

  async leaveUnfetched(scanId: string, seqs: readonly number[]): Promise<void> {
    await this.updateAssets(scanId)
      .set({ status: 'skipped', skipReason: 'over_limit' })
      .where('status', '=', 'found')
      .where('seq', 'in', this.inList(seqs))
      .execute();
  }

  async countAssets(scanId: string): Promise<{ found: number; ended: number }> {
    return await this.assetsOf(scanId)
      .select([
        sql<number>`count(*) filter (where status = 'found')`.as('found'),
        sql<number>`count(*) filter (where status in ('ready', 'optimizing', 'optimized', 'failed')
          or (status = 'skipped' and http_status is not null))`.as('ended'),
      ])
      .executeTakeFirstOrThrow();
  }

  async isDuplicate(scanId: string, seq: number, sha256: string): Promise<boolean> {
    const row = await this.assetsOf(scanId)
      .select('seq')
      .where('sha256', '=', sha256)
      .where('seq', '<', seq)
      .where('status', 'in', ['ready', 'optimizing', 'optimized'])
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async markDuplicates(scanId: string): Promise<void> {
    await sql`
      update site_assets set duplicate_of = (
        select nullif(min(first.seq), site_assets.seq) from site_assets first
        where first.scan_id = site_assets.scan_id and first.sha256 = site_assets.sha256 and first.kind <> 'data_uri'
          and (first.skip_reason is null or first.skip_reason not in ('third_party', 'excluded')))
      where scan_id = ${scanId} and sha256 is not null and kind <> 'data_uri'
        and (skip_reason is null or skip_reason not in ('third_party', 'excluded'))`.execute(this.db);
  }

  async negotiatedUrls(scanId: string): Promise<string[]> {
    const rows = await this.assetsOf(scanId).select('url').where('negotiated', '=', 1).execute();
    return rows.map(({ url }) => url);
  }

  async markNegotiated(scanId: string, origin: string): Promise<void> {
    await this.updateAssets(scanId)
      .set({ negotiated: 1 })
      // `0` is the character after `/`.
      .where('url', '>=', `${origin}/`)
      .where('url', '<', `${origin}0`)
      .where('kind', 'in', ['raster', 'animation'])
      .where('format', 'not in', ['webp', 'avif'])
      .execute();
  }
}
