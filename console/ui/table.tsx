import type { ComponentChildren } from 'preact';

interface ScrollBoxProps {
  /** Describes the content for screen readers. */
  label: string;
  class?: string;
  children: ComponentChildren;
}

/**
 * Wraps content that may be wider than the page. It scrolls on its own, and is focusable so that the keyboard can
 * scroll it.
 */
export function ScrollBox({ label, class: name = '', children }: ScrollBoxProps) {
  return (
    <section class={`scrolls ${name}`} tabindex={0} aria-label={label}>
      {children}
    </section>
  );
}

interface TableProps extends Omit<ScrollBoxProps, 'children'> {
  /** Titles of the columns, or pairs of a title and the class of the cells. */
  columns: readonly (string | readonly [title: string, cells: string])[];
  rows: readonly (readonly ComponentChildren[])[];
  /** True if the first cell of each row is its heading. */
  hasRowHeadings?: boolean;
}

/** A table in a box that scrolls. */
export function Table({ columns, rows, hasRowHeadings = false, ...box }: TableProps) {
  const heads = columns.map((column) => (typeof column === 'string' ? ([column] as const) : column));
  return (
    <ScrollBox {...box}>
      <table>
        <thead>
          <tr>
            {heads.map(([title, cells]) =>
              title === '' ? (
                <td key={title} />
              ) : (
                <th key={title} scope="col" class={cells}>
                  {title}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => {
                const [title, cells] = heads[column]!;
                const isHeading = hasRowHeadings && column === 0;
                return isHeading ? (
                  <th key={title} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={title} class={cells}>
                    {cell}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
