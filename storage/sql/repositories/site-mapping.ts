import { type SqlBool, sql } from 'kysely';
import {
  type AddressRange,
  type FaultyAsset,
  MAX_NEIGHBOURS,
  type MappedAsset,
  type MappedOutput,
  type MarkupPlaceRow,
  type Neighbour,
  type SiteMapping,
} from '../../ports/site-mapping.ts';
import { EXTRA_OUTPUT_IDS } from '../../records/site-outputs.ts';
import { FIRST_BELOW_FOLD_IMAGE, type ReferenceFault } from '../../records/site-reference-faults.ts';
import { count, SiteRepository } from '../repository.ts';
import { faultBits } from './site-reference-faults.ts';

/** An empty range. */
const EMPTY_RANGE: AddressRange = { key: -1, low: '', high: '', seq: 0, content: 0 };
/** Each range needs five variables; SQLite allows 32,766 in a statement. */
const RANGES_PER_QUERY = 1000;

/** Lists of values are padded to one of these lengths, so that there are few different statements to prepare. */
const LIST_LENGTHS = [1, 10, 100, 1000, 10_000];

export class SqlSiteMapping extends SiteRepository implements SiteMapping {
  async count(scanId: string): Promise<number> {
    return await count(this.assetsOf(scanId).where('mapped', '=', 1));
  }

  async batch(scanId: string, after: number, limit: number): Promise<MappedAsset[]> {
    return await this.#mapped(scanId).where('seq', '>', after).orderBy('seq').limit(limit).execute();
  }

  async seqAt(scanId: string, offset: number): Promise<number | undefined> {
    const row = await this.#mapped(scanId).orderBy('seq').offset(offset).limit(1).executeTakeFirst();
    return row?.seq;
  }

  async urls(scanId: string, seqs: readonly number[]): Promise<Map<number, string>> {
    if (seqs.length === 0) return new Map();
    const rows = await this.assetsOf(scanId).select(['seq', 'url']).where('seq', 'in', padded(seqs)).execute();
    return new Map(rows.map(({ seq, url }) => [seq, url]));
  }

  async outputs(scanId: string, seqs: readonly number[]): Promise<MappedOutput[]> {
    if (seqs.length === 0) return [];
    return await this.db
      .selectFrom('siteOutputs as o')
      .innerJoin('siteAssets as a', (join) => join.onRef('a.scanId', '=', 'o.scanId').onRef('a.seq', '=', 'o.assetSeq'))
      .select([
        'o.assetSeq',
        'o.id',
        'o.kind',
        'o.format',
        'o.bytes',
        'o.width',
        'o.height',
        'o.similarity',
        'o.sha256',
        'o.fileId',
      ])
      .where('o.scanId', '=', scanId)
      .where('o.assetSeq', 'in', padded(seqs))
      .where(({ eb, or }) =>
        or([eb('o.id', '=', eb.ref('a.chosen')), eb('o.id', 'in', EXTRA_OUTPUT_IDS), eb('o.kind', '=', 'variant')]),
      )
      .orderBy('o.assetSeq')
      .orderBy(sql<SqlBool>`"o"."id" is distinct from "a"."chosen"`)
      .orderBy(sql<SqlBool>`"o"."kind" = 'variant'`)
      .orderBy('o.width')
      .orderBy('o.id')
      .execute();
  }

  async spellings(scanId: string, seqs: readonly number[], most: number): Promise<{ assetSeq: number; raw: string }[]> {
    const spelled = this.referencesOf(scanId)
      .select(({ fn }) => ['assetSeq', 'raw', fn.min('seq').as('first')])
      .where('assetSeq', 'in', padded(seqs))
      .groupBy(['assetSeq', 'raw']);
    const numbered = this.db
      .selectFrom(spelled.as('spelled'))
      .select([
        'assetSeq',
        'raw',
        'first',
        sql<number>`row_number() over (partition by asset_seq order by first)`.as('place'),
      ]);
    return await this.db
      .selectFrom(numbered.as('numbered'))
      .select(['assetSeq', 'raw'])
      .where('place', '<=', most)
      .orderBy('assetSeq')
      .orderBy('first')
      .execute();
  }

  async ownPages(scanId: string, seqs: readonly number[], most: number): Promise<{ assetSeq: number; page: number }[]> {
    const { rows } = await sql<{ assetSeq: number; page: number }>`
      select asset_seq, page from (
        select asset_seq, page, row_number() over (partition by asset_seq order by page) as place from (
          select distinct r.asset_seq, p.seq as page
          from site_references r
          join site_sources s on s.scan_id = r.scan_id and s.seq = r.source_seq
          join site_pages p on p.scan_id = r.scan_id and p.seq = coalesce(r.page_seq, s.page_seq)
          where r.scan_id = ${scanId} and r.asset_seq in (${sql.join(padded(seqs))}) and p.status = 'scanned'
        ) as used
      ) as numbered where place <= ${most} order by asset_seq, page`.execute(this.db);
    return rows;
  }

  async sharedSources(scanId: string, seqs: readonly number[]): Promise<{ assetSeq: number; sourceSeq: number }[]> {
    return await this.db
      .selectFrom('siteReferences as r')
      .innerJoin('siteSources as s', (join) =>
        join.onRef('s.scanId', '=', 'r.scanId').onRef('s.seq', '=', 'r.sourceSeq'),
      )
      .select(['r.assetSeq', 'r.sourceSeq'])
      .distinct()
      .where('r.scanId', '=', scanId)
      .where('r.assetSeq', 'in', padded(seqs))
      .where('s.pageSeq', 'is', null)
      .where('r.pageSeq', 'is', null)
      .execute();
  }

  async pagesLeadingTo(scanId: string, sourceSeq: number, most: number): Promise<number[]> {
    const { rows } = await sql<{ page: number }>`
      with recursive above(seq) as (
        select cast(${sourceSeq} as bigint)
        union
        select l.from_seq from above join site_source_links l on l.scan_id = ${scanId} and l.to_seq = above.seq
      )
      select distinct p.seq as page
      from above
      join site_sources s on s.scan_id = ${scanId} and s.seq = above.seq
      join site_pages p on p.scan_id = ${scanId} and p.seq = s.page_seq
      where p.status = 'scanned' order by p.seq limit ${most}`.execute(this.db);
    return rows.map(({ page }) => page);
  }

  async scannedPages(scanId: string, after: number, limit: number): Promise<{ seq: number; url: string }[]> {
    return await this.pagesOf(scanId)
      .select(['seq', 'url'])
      .where('status', '=', 'scanned')
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  async faultyAssets(
    scanId: string,
    codes: readonly ReferenceFault[],
    after: number,
    limit: number,
  ): Promise<FaultyAsset[]> {
    return await this.db
      .selectFrom('siteAssets as a')
      .select(['a.seq', 'a.url', 'a.sha256', 'a.bytes', 'a.references'])
      .where('a.scanId', '=', scanId)
      .where('a.seq', '>', after)
      .where('a.kind', '<>', 'data_uri')
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('siteFindings as f')
            .select('f.code')
            .whereRef('f.scanId', '=', 'a.scanId')
            .whereRef('f.assetSeq', '=', 'a.seq')
            .where('f.code', 'in', codes),
        ),
      )
      .orderBy('a.seq')
      .limit(limit)
      .execute();
  }

  async markupPlaces(scanId: string, seqs: readonly number[], most: number): Promise<MarkupPlaceRow[]> {
    const { rows } = await sql<MarkupPlaceRow>`
      with places as (
        select r.asset_seq, r.seq, r.raw, p.seq as page_seq, p.url as page, r.line, r."column",
          case when r.image_number < ${sql.lit(FIRST_BELOW_FOLD_IMAGE)} or r.preloaded = 1 then 1 else 0 end as is_first,
          ${faultBits} as faults
        from site_references r
        join site_sources s on s.scan_id = r.scan_id and s.seq = r.source_seq
        join site_pages p on p.scan_id = r.scan_id and p.seq = s.page_seq and p.status = 'scanned'
        join site_assets a on a.scan_id = r.scan_id and a.seq = r.asset_seq
        where r.scan_id = ${scanId} and r.asset_seq in (${sql.join(padded(seqs))})
          and r.role = 'img_src' and r.tag = 'img' and r.image_number is not null
      )
      select asset_seq, raw, page, line, "column", is_first, faults from (
        select *, row_number() over (partition by asset_seq, is_first, faults order by page_seq, seq) as place
        from places
      ) as numbered where place <= ${most} order by asset_seq, page_seq, seq`.execute(this.db);
    return rows;
  }

  async pageUrls(scanId: string, seqs: readonly number[]): Promise<Map<number, string>> {
    if (seqs.length === 0) return new Map();
    const rows = await this.pagesOf(scanId).select(['seq', 'url']).where('seq', 'in', padded(seqs)).execute();
    return new Map(rows.map(({ seq, url }) => [seq, url]));
  }

  async neighbours(scanId: string, ranges: readonly AddressRange[]): Promise<Neighbour[]> {
    const found: Neighbour[] = [];
    for (let start = 0; start < ranges.length; start += RANGES_PER_QUERY)
      found.push(...(await this.#neighbours(scanId, ranges.slice(start, start + RANGES_PER_QUERY))));
    return found;
  }

  async #neighbours(scanId: string, ranges: readonly AddressRange[]): Promise<Neighbour[]> {
    const values = padded(ranges, EMPTY_RANGE).map(
      ({ key, low, high, seq, content }) =>
        sql`(cast(${key} as bigint), cast(${low} as text), cast(${high} as text), cast(${seq} as bigint), cast(${content} as bigint))`,
    );
    const { rows } = await sql<Neighbour>`
      with ranges("key", low, high, seq, content) as (values ${sql.join(values)})
      select "key", seq, content, url from (
        select ranges."key", b.seq, coalesce(b.duplicate_of, b.seq) as content, b.url,
          row_number() over (partition by ranges."key" order by b.seq) as place
        from ranges join site_assets b on b.scan_id = ${scanId}
          and lower(b.url) >= ranges.low and lower(b.url) < ranges.high
          and b.seq <> ranges.seq and coalesce(b.duplicate_of, b.seq) <> ranges.content
      ) as numbered where place <= ${MAX_NEIGHBOURS} order by "key", seq`.execute(this.db);
    return rows;
  }

  #mapped(scanId: string) {
    return this.assetsOf(scanId)
      .select([
        'seq',
        'url',
        'sha256',
        'bytes',
        'format',
        'width',
        'height',
        'approval',
        'roles',
        'pages',
        'references',
        'duplicateOf',
      ])
      .where('mapped', '=', 1);
  }
}

/**
 * Pads a list to one of a few lengths.
 * @param filling the padding; default: the last value. Pass another one if repeating that would count it twice
 */
function padded<T>(values: readonly T[], filling = values.at(-1)!): T[] {
  const length = LIST_LENGTHS.find((each) => each >= values.length) ?? values.length;
  return [...values, ...new Array<T>(length - values.length).fill(filling)];
}
