import { sql } from 'kysely';
import { rolesWithUse } from '../../../base/reference-roles.ts';
import type { DisplayedSizes, SiteOutputs } from '../../ports/site-outputs.ts';
import type { SiteAsset } from '../../records/site-assets.ts';
import type { SiteOutput } from '../../records/site-outputs.ts';
import { count, SiteRepository } from '../repository.ts';

const SHOWN_ROLES = sql.join(rolesWithUse('shown', 'opened').map((role) => sql.lit(role)));

export class SqlSiteOutputs extends SiteRepository implements SiteOutputs {
  async markReadyAsWanted(scanId: string): Promise<void> {
    await this.updateAssets(scanId).set({ wanted: 1 }).where('status', '=', 'ready').execute();
  }

  async countWanted(scanId: string): Promise<number> {
    return await count(this.assetsOf(scanId).where('wanted', '=', 1));
  }

  async wanted(scanId: string, after: number, limit: number): Promise<SiteAsset[]> {
    return await this.assetsOf(scanId)
      .selectAll()
      .where('wanted', '=', 1)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  async ofContent(scanId: string, sha256: string): Promise<SiteAsset[]> {
    return await this.assetsOf(scanId)
      .selectAll()
      .where('sha256', '=', sha256)
      .where('kind', '<>', 'data_uri')
      .where('status', 'in', ['ready', 'optimizing', 'optimized', 'skipped'])
      .orderBy('seq')
      .execute();
  }

  async some(scanId: string, seqs: readonly number[]): Promise<SiteAsset[]> {
    return await this.assetsOf(scanId).selectAll().where('seq', 'in', this.inList(seqs)).orderBy('seq').execute();
  }

  async nameAnotherFirst(scanId: string, { seq, sha256 }: Pick<SiteAsset, 'seq' | 'sha256'>): Promise<void> {
    const others = await this.assetsOf(scanId)
      .select('seq')
      .where('sha256', '=', sha256)
      .where('duplicateOf', '=', seq)
      .orderBy('seq')
      .execute();
    const [first, ...rest] = others.map((other) => other.seq);
    if (first === undefined) return;
    await this.change(scanId, [first], { duplicateOf: null });
    await this.change(scanId, rest, { duplicateOf: first });
  }

  async placeFacts(scanId: string, seqs: readonly number[]): Promise<DisplayedSizes> {
    const { rows } = await sql<DisplayedSizes>`
      select count(*) filter (where is_known) as known, count(*) filter (where not is_known) as unknown,
        max(case when is_known then displayed_width end) as width,
        max(case when is_known then displayed_height end) as height
      from (
        select displayed_width, displayed_height,
          displayed_source in ('attribute', 'style') and candidates = 1 and is_size_certain = 1
            and (displayed_width is not null or displayed_height is not null) as is_known
        from site_references
        where scan_id = ${scanId} and asset_seq in ${this.inList(seqs)} and role in (${SHOWN_ROLES})
      ) as places`.execute(this.db);
    return rows[0]!;
  }

  async change(scanId: string, seqs: readonly number[], changes: Partial<SiteAsset>): Promise<void> {
    if (seqs.length === 0) return;
    await this.updateAssets(scanId).set(changes).where('seq', 'in', this.inList(seqs)).execute();
  }

  async of(scanId: string, assetSeq: number): Promise<SiteOutput[]> {
    return await this.outputsOf(scanId).selectAll().where('assetSeq', '=', assetSeq).orderBy('id').execute();
  }

  async replace(scanId: string, assetSeq: number, outputs: readonly SiteOutput[], expiresAt: string): Promise<void> {
    const before = await this.of(scanId, assetSeq);
    await this.db.deleteFrom('siteOutputs').where('scanId', '=', scanId).where('assetSeq', '=', assetSeq).execute();
    if (outputs.length > 0) await this.db.insertInto('siteOutputs').values(outputs).execute();
    if (before.length === 0) return;
    await this.db
      .updateTable('files')
      .set({ expiresAt })
      .where(
        'id',
        'in',
        before.map(({ fileId }) => fileId),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('siteOutputs as o')
              .select('o.id')
              .where('o.scanId', '=', scanId)
              .whereRef('o.fileId', '=', 'files.id'),
          ),
        ),
      )
      .execute();
  }

  async choose(scanId: string, assetSeq: number, id: string): Promise<void> {
    await this.db
      .updateTable('siteOutputs')
      .set({ kind: sql<SiteOutput['kind']>`case when id = ${id} then 'optimized' else 'candidate' end` })
      .where('scanId', '=', scanId)
      .where('assetSeq', '=', assetSeq)
      .where('kind', '<>', 'variant')
      .execute();
  }

  async leaveWanted(scanId: string, seq?: number): Promise<void> {
    await this.updateAssets(scanId)
      .set({
        status: sql`case when chosen is null then 'skipped' else 'optimized' end`,
        skipReason: sql`case when chosen is null then 'over_limit' end`,
        wanted: 0,
      })
      .where('wanted', '=', 1)
      .$if(seq !== undefined, (query) => query.where('seq', '=', seq!))
      .execute();
  }

  async countCharge(scanId: string): Promise<void> {
    await this.db
      .updateTable('siteScans')
      .set(({ eb }) => ({ requestsCharged: eb('requestsCharged', '+', 1) }))
      .where('id', '=', scanId)
      .execute();
  }
}
