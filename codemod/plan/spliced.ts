export interface TextEdit {
  /** UTF-16 offsets. */
  start: number;
  end: number;
  after: string;
}

/**
 * Applies edits to a text. If the source is valid UTF-8, all bytes outside the edits are preserved, including line
 * ends, the byte order mark and the end of the file.
 * @param edits in order, without overlaps
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, after } of edits) {
    parts.push(text.slice(at, start), after);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}
