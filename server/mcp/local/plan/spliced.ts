export interface Splice {
  /** UTF-16 offsets. */
  start: number;
  end: number;
  after: string;
}

/**
 * A text with some of its places changed. Of a source whose UTF-8 has been checked every byte that is not edited stays what it
 * was: line ends, byte order mark, the end of the file.
 * @param edits in their order, none within another
 */
export function spliced(text: string, edits: readonly Splice[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, after } of edits) {
    parts.push(text.slice(at, start), after);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}
