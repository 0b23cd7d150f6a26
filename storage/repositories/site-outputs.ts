import type { Kysely, Selectable } from 'kysely';
import type { SiteAssetTable, SiteOutputTable, Tables } from '../schema.ts';

export type SiteAsset = Selectable<SiteAssetTable>;
export type SiteOutput = Selectable<SiteOutputTable>;

/** Kinds that are converted; `vector` is where SVG is minified. */
const CONVERTED = ['raster', 'animation'] as const;

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
      .where('kind', 'in', [...CONVERTED, 'vector', 'icon'])
      .execute();
  }
}
