/** What the repositories share: their database and frequent queries. */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Tables } from './schema.ts';

export class Repository {
  protected readonly db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.db = db;
  }
}

/** Queries of the rows of one scan. */
export class SiteRepository extends Repository {
  protected pagesOf(scanId: string) {
    return this.db.selectFrom('sitePages').where('scanId', '=', scanId);
  }

  protected updatePages(scanId: string) {
    return this.db.updateTable('sitePages').where('scanId', '=', scanId);
  }

  protected assetsOf(scanId: string) {
    return this.db.selectFrom('siteAssets').where('scanId', '=', scanId);
  }

  protected updateAssets(scanId: string) {
    return this.db.updateTable('siteAssets').where('scanId', '=', scanId);
  }

  protected sourcesOf(scanId: string) {
    return this.db.selectFrom('siteSources').where('scanId', '=', scanId);
  }

  protected referencesOf(scanId: string) {
    return this.db.selectFrom('siteReferences').where('scanId', '=', scanId);
  }

  protected findingsOf(scanId: string) {
    return this.db.selectFrom('siteFindings').where('scanId', '=', scanId);
  }

  protected outputsOf(scanId: string) {
    return this.db.selectFrom('siteOutputs').where('scanId', '=', scanId);
  }
}

export async function count<T extends keyof Tables>(query: SelectQueryBuilder<Tables, T, object>): Promise<number> {
  const { rows } = await query.select(({ fn }) => fn.countAll<number>().as('rows')).executeTakeFirstOrThrow();
  return rows;
}

/** A list of any length, passed as one value. */
export const inList = <T extends number | string>(values: readonly T[]) => inJson<T>(JSON.stringify(values));

/** @param list a JSON array */
export const inJson = <T extends number | string>(list: string) => sql<T>`(select "value" from json_each(${list}))`;
