import { sql } from 'kysely';
import type { SqlSyntax } from '../sql/syntax.ts';

export const sqliteSyntax: SqlSyntax = {
  items: (json) => sql`(select "value" from json_each(${json}))`,
  arrayOf: (column) => sql`json_group_array(${column})`,
  append: (array, item) => sql`json_insert(${array}, '$[#]', ${item})`,
  // `fold_case` is defined in database.ts.
  contains: (text, part) => sql`instr(fold_case(${text}), ${part.toLowerCase()}) > 0`,
  leadingNumber: (text) => sql`cast(${text} as real)`,
  rowId: sql.ref('rowid'),
  rows: {
    // Arrays, whose members are found by their positions: faster than by their names.
    encode: (columns, rows) => JSON.stringify(rows.map((row) => columns.map((column) => row[column] ?? null))),
    decode: (_table, columns, rows) =>
      sql`(select ${sql.join(columns.map((column, index) => sql`"value" ->> ${sql.lit(index)} as ${sql.ref(column)}`))}
        from json_each(${rows}))`,
  },
};
