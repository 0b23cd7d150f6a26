import { sql } from 'kysely';
import type { SiteSizes, SizedPlace } from '../../ports/site-sizes.ts';
import { SiteRepository } from '../repository.ts';

export class SqlSiteSizes extends SiteRepository implements SiteSizes {
  async pages(scanId: string, afterSeq: number, limit: number): Promise<number[]> {
    const rows = await this.sourcesOf(scanId)
      .select('seq')
      .where('seq', '>', afterSeq)
      .where('kind', '=', 'page')
      .where('status', '=', 'read')
      .orderBy('seq')
      .limit(limit)
      .execute();
    return rows.map(({ seq }) => seq);
  }

  async places(scanId: string, sourceSeq: number): Promise<SizedPlace[]> {
    return await this.referencesOf(scanId)
      .select(['seq', 'element', 'displayedWidth', 'displayedHeight'])
      .where('sourceSeq', '=', sourceSeq)
      .where('displayedSource', 'in', ['attribute', 'style'])
      .execute();
  }

  async stylesheets(scanId: string, sourceSeq: number): Promise<number[]> {
    const { rows } = await sql<{ seq: number }>`
      with recursive below(seq) as (
        select cast(${sourceSeq} as bigint)
        union
        select l.to_seq from below cross join site_source_links l cross join site_sources t
        where l.scan_id = ${scanId} and l.from_seq = below.seq
          and t.scan_id = ${scanId} and t.seq = l.to_seq and t.kind = 'stylesheet'
      )
      select seq from below where seq <> ${sourceSeq} order by seq`.execute(this.db);
    return rows.map(({ seq }) => seq);
  }

  async sizing(scanId: string, sourceSeq: number): Promise<string | null> {
    const row = await this.sourcesOf(scanId)
      .select('sizing')
      .where('seq', '=', sourceSeq)
      .where('status', '=', 'read')
      .executeTakeFirst();
    return row?.sizing ?? null;
  }

  async setCertain(scanId: string, sourceSeq: number, seqs: readonly number[]): Promise<void> {
    await this.db
      .updateTable('siteReferences')
      .set({ isSizeCertain: sql<number>`case when seq in ${this.inList(seqs)} then 1 else 0 end` })
      .where('scanId', '=', scanId)
      .where('sourceSeq', '=', sourceSeq)
      .where('displayedSource', 'in', ['attribute', 'style'])
      .execute();
  }
}
