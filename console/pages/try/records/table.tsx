import type { ComponentChildren } from 'preact';

export interface TableProps {
  label: string;
  columns: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
}

/** A table that scrolls in its own box when it is too wide or too long. */
export function Table({ label, columns, rows }: TableProps) {
  return (
    <section class="scrolls record-table" tabindex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={columns[column]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
