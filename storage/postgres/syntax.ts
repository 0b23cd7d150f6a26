import { sql } from 'kysely';
import type { SqlSyntax } from '../sql/syntax.ts';

/** A number as HTML writes it, short enough that PostgreSQL does not refuse it as out of range. */
const NUMBER = '^[-+]?(?:[0-9]{1,15}(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][-+]?[0-9]{1,2})?';

const TYPES = { integer: sql.raw('bigint'), text: sql.raw('text') };

export const postgresSyntax: SqlSyntax = {
  items: (json, type) =>
    sql`(select "value"::${TYPES[type]} as "value" from json_array_elements_text(${json}::json) as items("value"))`,
  arrayOf: (column) => sql`coalesce(json_agg(${column}), '[]'::json)::text`,
  append: (array, item) => sql`(${array}::jsonb || to_jsonb(${item}::text))::text`,
  // Columns have the collation C, whose `lower` converts only ASCII letters.
  contains: (text, part) => sql`strpos(lower(${text} collate "und-x-icu"), ${part.toLowerCase()}) > 0`,
  leadingNumber: (text) => sql`coalesce(substring(${text} from ${sql.lit(NUMBER)})::double precision, 0)`,
  rowId: sql.ref('ctid'),
  rows: {
    encode: (columns, rows) =>
      JSON.stringify(
        rows.map((row) => Object.fromEntries(columns.map((column) => [snakeCase(column), storable(row[column])]))),
      ),
    decode: (table, columns, rows) =>
      sql`(select ${sql.join(columns.map((column) => sql.ref(column)))}
        from json_populate_recordset(null::${sql.table(table)}, ${rows}::json))`,
  },
};

/** PostgreSQL stores neither NUL nor half a surrogate pair, which a page of a website may contain. */
export const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value;

/** As CamelCasePlugin writes names. */
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
