/** What the SQL of the repositories has to say differently in each database. Everything else is the same text in all. */

import type { Dialect, DialectAdapter, Kysely, RawBuilder, SqlBool } from 'kysely';
import type { Tables } from './schema.ts';

/** The type of the items of a JSON array. */
export type ItemType = 'integer' | 'text';

export interface SqlSyntax {
  /**
   * The items of a JSON array as a subquery with one column, `value`: a list of any length, passed as one value.
   * @param json an expression whose value is the text of a JSON array
   */
  items<T extends number | string>(json: RawBuilder<unknown>, type: ItemType): RawBuilder<T>;
  /** Aggregates integers as the text of a JSON array; `[]` if there are none. */
  arrayOf(column: RawBuilder<unknown>): RawBuilder<string>;
  /** Adds a string at the end of the text of a JSON array. */
  append(array: RawBuilder<unknown>, item: string): RawBuilder<string>;
  /** Whether a text contains another, ignoring case in all scripts. */
  contains(text: RawBuilder<unknown>, part: string): RawBuilder<SqlBool>;
  /** The number at the beginning of a text; 0 if there is none. */
  leadingNumber(text: RawBuilder<unknown>): RawBuilder<number>;
  /** The database's own identifier of a row of the table that is queried. */
  readonly rowId: RawBuilder<unknown>;
  /** Many rows that are passed as one value, so that not every number of rows needs a statement of its own. */
  readonly rows: {
    encode(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string;
    /**
     * @param rows an expression whose value was made by `encode`
     * @returns a subquery whose columns have the names and the types of the columns of the table
     */
    decode(table: string, columns: readonly string[], rows: RawBuilder<unknown>): RawBuilder<unknown>;
  };
}

/** An adapter of Kysely that knows the syntax of its database. */
interface AdapterWithSyntax extends DialectAdapter {
  readonly syntax: SqlSyntax;
}

/** A dialect of Kysely for the repositories. */
export interface RepositoryDialect extends Dialect {
  createAdapter(): AdapterWithSyntax;
}

/** The syntax of the database that runs a query. */
export const syntaxOf = (db: Kysely<Tables>): SqlSyntax => (db.getExecutor().adapter as AdapterWithSyntax).syntax;
