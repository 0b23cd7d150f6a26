/** Splits texts of indentation-based languages into lines and blocks. */
import type { Range } from '../../web-documents/source-text.ts';

export interface Line extends Range {
  /** Offset of the first non-space character; the line's end if it is blank. */
  first: number;
  /** Number of white space characters before it. */
  indent: number;
}

/** The lines without their line ends. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const { 0: whole, index } of text.matchAll(/[^\r\n]*(?:\r\n|\r|\n|$)/g)) {
    if (whole === '' && index === text.length && lines.length > 0) break;
    const end = index + whole.replace(/[\r\n]+$/, '').length;
    const first = index + /^[\ufeff \t]*/.exec(whole)![0].length;
    lines.push({ start: index, end, first, indent: first - index });
  }
  return lines;
}

/**
 * Finds the block after line `last` that is indented deeper than line `index`, including blank lines.
 * @returns the range of the block and the index of the line after it
 */
export function blockBelow(lines: readonly Line[], index: number, last = index): { range: Range; next: number } {
  const { indent } = lines[index]!;
  let next = last + 1;
  for (let at = next; at < lines.length && (isBlank(lines[at]!) || lines[at]!.indent > indent); at += 1)
    if (!isBlank(lines[at]!)) next = at + 1;
  const start = lines[last + 1]?.start ?? lines[last]!.end;
  return { range: { start, end: next > last + 1 ? lines[next - 1]!.end : start }, next };
}

export const isBlank = ({ first, end }: Line): boolean => first >= end;
