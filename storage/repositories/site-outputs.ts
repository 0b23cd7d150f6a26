import { type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import { rolesWithUse } from '../../base/reference-roles.ts';
import type { SiteAssetTable, SiteOutputTable, Tables } from '../schema.ts';

export type SiteAsset = Selectable<SiteAssetTable>;
export type SiteOutput = Selectable<SiteOutputTable>;

/** The displayed sizes in the places of assets. */
export interface DisplayedSizes {
  /** Number of places whose attributes or style give a size that no style sheet can enlarge. */
  known: number;
  /** Number of places whose size is guessed or unknown, or that offer other sizes too. */
  unknown: number;
  /** The largest of the known sizes. */
  width: number | null;
  height: number | null;
}

/** The id of the output in full size, made when the chosen one is resized. */
export const UNRESIZED_ID = 'f1';

/** The ids of the AVIF files made beside WebP files: for the chosen output, and for the output in full size. */
export const AVIF_ID = 'a1';
export const UNRESIZED_AVIF_ID = 'a2';

/** Outputs listed beside the chosen one in the replacement map. */
export const EXTRA_OUTPUT_IDS: readonly string[] = [UNRESIZED_ID, AVIF_ID, UNRESIZED_AVIF_ID];

const SHOWN_ROLES = sql.join(rolesWithUse('shown', 'opened').map((role) => sql.lit(role)));

/** A list of any length, passed as one value. */
const inList = (seqs: readonly number[]) => sql<number>`(select "value" from json_each(${JSON.stringify(seqs)}))`;

/** Reads and stores the state of conversions: wanted assets and their results. */
export class SiteOutputs {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Marks all ready assets as wanted. */
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

  /** The next wanted assets after a number, ordered by number. */
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

  /** Fetched assets with this content hash. */
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
      .where('seq', 'in', inList(seqs))
      .orderBy('seq')
      .execute();
  }

  /** Called when an asset's content has changed: its former duplicates become duplicates of the first inList them. */
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

  /** Summarizes the sizes in the places of assets, including pages that were not scanned. */
  async placeFacts(scanId: string, seqs: readonly number[]): Promise<DisplayedSizes> {
    const { rows } = await sql<DisplayedSizes>`
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
      .where('seq', 'in', inList(seqs))
      .execute();
  }

  /** Outputs of an asset, ordered by id. */
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
   * Replaces the outputs of an asset. Files that no output uses any more expire. Must be called in a transaction.
   * @param expiresAt the expiry time of those files
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

  /** Chooses an output and makes the former choice a candidate. Must be called in a transaction. */
  async choose(scanId: string, assetSeq: number, id: string): Promise<void> {
    await this.#db
      .updateTable('siteOutputs')
      .set({ kind: sql<SiteOutput['kind']>`case when id = ${id} then 'optimized' else 'candidate' end` })
      .where('scanId', '=', scanId)
      .where('assetSeq', '=', assetSeq)
      .where('kind', '<>', 'variant')
      .execute();
  }

  /** Skips all wanted assets, or one of them. Earlier results are kept. */
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
