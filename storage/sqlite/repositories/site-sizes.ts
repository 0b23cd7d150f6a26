import { type Kysely, sql } from 'kysely';
import type { SiteSizes, SizedPlace } from '../../ports/site-sizes.ts';
import type { Tables } from '../schema.ts';

export class SqliteSiteSizes implements SiteSizes {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async pages(scanId: string, afterSeq: number, limit: number): Promise<number[]> {
    const rows = await this.#db
      .selectFrom('siteSources')
      .select('seq')
      .where('scanId', '=', scanId)
      .where('seq', '>', afterSeq)
      .where('kind', '=', 'page')
      .where('status', '=', 'read')
      .orderBy('seq')
      .limit(limit)
      .execute();
    return rows.map(({ seq }) => seq);
  }

  async places(scanId: string, sourceSeq: number): Promise<SizedPlace[]> {
    return await this.#db
      .selectFrom('siteReferences')
      .select(['seq', 'element', 'displayedWidth', 'displayedHeight'])
      .where('scanId', '=', scanId)
      .where('sourceSeq', '=', sourceSeq)
      .where('displayedSource', 'in', ['attribute', 'style'])
      .execute();
  }

  async stylesheets(scanId: string, sourceSeq: number): Promise<number[]> {
    const { rows } = await sql<{ seq: number }>`
      with recursive below(seq) as (
        select cast(${sourceSeq} as integer)
        union
        select l.to_seq from below
        cross join site_source_links l on l.scan_id = ${scanId} and l.from_seq = below.seq
        cross join site_sources t on t.scan_id = ${scanId} and t.seq = l.to_seq and t.kind = 'stylesheet'
      )
      select seq from below where seq <> ${sourceSeq} order by seq`.execute(this.#db);
    return rows.map(({ seq }) => seq);
  }

  async sizing(scanId: string, sourceSeq: number): Promise<string | null> {
    const row = await this.#db
      .selectFrom('siteSources')
      .select('sizing')
      .where('scanId', '=', scanId)
      .where('seq', '=', sourceSeq)
      .where('status', '=', 'read')
      .executeTakeFirst();
    return row?.sizing ?? null;
  }

  async setCertain(scanId: string, sourceSeq: number, seqs: readonly number[]): Promise<void> {
    await this.#db
      .updateTable('siteReferences')
      .set({ isSizeCertain: sql<number>`seq in (select "value" from json_each(${JSON.stringify(seqs)}))` })
      .where('scanId', '=', scanId)
      .where('sourceSeq', '=', sourceSeq)
      .where('displayedSource', 'in', ['attribute', 'style'])
      .execute();
  }
}
