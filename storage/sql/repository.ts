/** What the repositories share: their database and frequent queries. */
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Tables } from './schema.ts';
import { type SqlSyntax, syntaxOf } from './syntax.ts';

export class Repository {
  protected readonly db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.db = db;
  }

  protected get syntax(): SqlSyntax {
    return syntaxOf(this.db);
  }

  /** A list of any length, passed as one value, for the operator `in`. */
  protected inList<T extends number | string>(values: readonly T[]): RawBuilder<T> {
    return listOf(this.db, values);
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

/** A list of any length, passed as one value, for the operator `in`. */
export function listOf<T extends number | string>(db: Kysely<Tables>, values: readonly T[]): RawBuilder<T> {
  // An empty list has no type. No value is in it.
  if (values.length === 0) return sql<T>`(null)`;
  return syntaxOf(db).items(sql`${JSON.stringify(values)}`, typeof values[0] === 'string' ? 'text' : 'integer');
}

/** @param list a JSON array of strings */
export const textsIn = (db: Kysely<Tables>, list: string): RawBuilder<string> =>
  syntaxOf(db).items(sql`${list}`, 'text');
