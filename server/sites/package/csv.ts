/** CSV for spreadsheets (RFC 4180), in UTF-8. */

export type Cell = string | number | null;

/** A spreadsheet treats text that begins like this as a formula and runs it (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r\n]/;
const QUOTED = /[",\r\n]/;

/** Writes one line, including its line end. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`;

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
