import { type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import { rolesThatAre } from '../../base/reference-roles.ts';
import type { SiteAssetTable, SiteOutputTable, Tables } from '../schema.ts';

export type SiteAsset = Selectable<SiteAssetTable>;
export type SiteOutput = Selectable<SiteOutputTable>;

/** How large the places of assets show them. */
export interface PlaceFacts {
  /** Places that say it themselves, by attribute or style, where no style sheet can show it larger. */
  known: number;
  /** Places that show an asset at a size that is only guessed or not known, or that offer other sizes too. */
  unknown: number;
  /** Largest of the known ones. */
  width: number | null;
  height: number | null;
}

/** The output as large as the original, beside a chosen one that is resized. */
export const UNRESIZED_ID = 'f1';

/** The same as AVIF, beside WebP: of the chosen output, and of the one as large as the original. */
export const AVIF_ID = 'a1';
export const UNRESIZED_AVIF_ID = 'a2';

/** Outputs that stand beside the chosen one in the replacement map. */
export const BESIDE_CHOSEN: readonly string[] = [UNRESIZED_ID, AVIF_ID, UNRESIZED_AVIF_ID];

const SHOWN_ROLES = sql.join(rolesThatAre('shown', 'opened').map((role) => sql.lit(role)));

/** A list of any length as one value. */
const among = (seqs: readonly number[]) => sql<number>`(select "value" from json_each(${JSON.stringify(seqs)}))`;

/** What conversion takes up and leaves: assets that are asked for, and their results. */
export class SiteOutputs {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Asks for all assets that are ready. */
  async markReadyAsWanted(scanId: string): Promise<void> {
    await this.#db
      .updateTable('siteAssets')
      .set({ wanted: 1 })
      .where('scanId', '=', scanId)
      .where('status', '=', 'ready')
      .execute();
  }

  async countWanted(scanId: string): Promise<number> {
    const { assets } = await this.#db
      .selectFrom('siteAssets')
      .select(({ fn }) => fn.countAll<number>().as('assets'))
      .where('scanId', '=', scanId)
      .where('wanted', '=', 1)
      .executeTakeFirstOrThrow();
    return assets;
  }

  /** The next assets after one that are asked for, in the order of their numbers. */
  async wanted(scanId: string, after: number, limit: number): Promise<SiteAsset[]> {
    return await this.#db
      .selectFrom('siteAssets')
      .selectAll()
      .where('scanId', '=', scanId)
      .where('wanted', '=', 1)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  /** Assets whose content was fetched and has this hash. */
  async ofContent(scanId: string, sha256: string): Promise<SiteAsset[]> {
    return await this.#db
      .selectFrom('siteAssets')
      .selectAll()
      .where('scanId', '=', scanId)
      .where('sha256', '=', sha256)
      .where('kind', '<>', 'data_uri')
      .where('status', 'in', ['ready', 'optimizing', 'optimized', 'skipped'])
      .orderBy('seq')
      .execute();
  }

  /** Assets by their numbers. */
  async some(scanId: string, seqs: readonly number[]): Promise<SiteAsset[]> {
    return await this.#db
      .selectFrom('siteAssets')
      .selectAll()
      .where('scanId', '=', scanId)
      .where('seq', 'in', among(seqs))
      .orderBy('seq')
      .execute();
  }

  /** Those that had the content of an asset, which has another one now, are duplicates of the next of them. */
  async nameAnotherFirst(scanId: string, { seq, sha256 }: Pick<SiteAsset, 'seq' | 'sha256'>): Promise<void> {
    const others = await this.#db
      .selectFrom('siteAssets')
      .select('seq')
      .where('scanId', '=', scanId)
      .where('sha256', '=', sha256)
      .where('duplicateOf', '=', seq)
      .orderBy('seq')
      .execute();
    const [first, ...rest] = others.map((other) => other.seq);
    if (first === undefined) return;
    await this.change(scanId, [first], { duplicateOf: null });
    await this.change(scanId, rest, { duplicateOf: first });
  }

  /** What the places of assets say of their size; of pages that were not scanned too. */
  async placeFacts(scanId: string, seqs: readonly number[]): Promise<PlaceFacts> {
    const { rows } = await sql<PlaceFacts>`
      select coalesce(sum(is_known), 0) as known, coalesce(sum(1 - is_known), 0) as unknown,
        max(case when is_known then displayed_width end) as width,
        max(case when is_known then displayed_height end) as height
      from (
        select displayed_width, displayed_height,
          displayed_source in ('attribute', 'style') and candidates = 1 and is_size_certain = 1
            and (displayed_width is not null or displayed_height is not null) as is_known
        from site_references
        where scan_id = ${scanId} and asset_seq in (${sql.join(seqs)}) and role in (${SHOWN_ROLES})
      )`.execute(this.#db);
    return rows[0]!;
  }

  async change(scanId: string, seqs: readonly number[], changes: Updateable<SiteAssetTable>): Promise<void> {
    if (seqs.length === 0) return;
    await this.#db
      .updateTable('siteAssets')
      .set(changes)
      .where('scanId', '=', scanId)
      .where('seq', 'in', among(seqs))
      .execute();
  }

  /** Outputs of an asset, by their ids. */
  async of(scanId: string, assetSeq: number): Promise<SiteOutput[]> {
    return await this.#db
      .selectFrom('siteOutputs')
      .selectAll()
      .where('scanId', '=', scanId)
      .where('assetSeq', '=', assetSeq)
      .orderBy('id')
      .execute();
  }

  /**
   * Gives an asset other outputs; files that no output names any more expire. To be called in a transaction.
   * @param expiresAt when they do
   */
  async replace(scanId: string, assetSeq: number, outputs: readonly SiteOutput[], expiresAt: string): Promise<void> {
    const before = await this.of(scanId, assetSeq);
    await this.#db.deleteFrom('siteOutputs').where('scanId', '=', scanId).where('assetSeq', '=', assetSeq).execute();
    if (outputs.length > 0) await this.#db.insertInto('siteOutputs').values(outputs).execute();
    if (before.length === 0) return;
    await this.#db
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

  /** Makes an output the chosen one, and the one that was it a candidate. To be called in a transaction. */
  async choose(scanId: string, assetSeq: number, id: string): Promise<void> {
    await this.#db
      .updateTable('siteOutputs')
      .set({ kind: sql<SiteOutput['kind']>`case when id = ${id} then 'optimized' else 'candidate' end` })
      .where('scanId', '=', scanId)
      .where('assetSeq', '=', assetSeq)
      .where('kind', '<>', 'variant')
      .execute();
  }

  /** Leaves out all that is still asked for, or one of it; what was converted before stays as it is. */
  async leaveWanted(scanId: string, seq?: number): Promise<void> {
    await this.#db
      .updateTable('siteAssets')
      .set({
        status: sql`case when chosen is null then 'skipped' else 'optimized' end`,
        skipReason: sql`case when chosen is null then 'over_limit' end`,
        wanted: 0,
      })
      .where('scanId', '=', scanId)
      .where('wanted', '=', 1)
      .$if(seq !== undefined, (query) => query.where('seq', '=', seq!))
      .execute();
  }

  async countCharge(scanId: string): Promise<void> {
    await this.#db
      .updateTable('siteScans')
      .set(({ eb }) => ({ requestsCharged: eb('requestsCharged', '+', 1) }))
      .where('id', '=', scanId)
      .execute();
  }
}
