/** Sources as text, so that every byte that is not edited stays what it was: line ends, byte order mark, the end of the file. */

/** What is not UTF-8 is read a character a byte, which keeps it whole; the addresses in it are ASCII. */
export type TextEncoding = 'utf8' | 'latin1';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function decodeText(bytes: Buffer): { text: string; encoding: TextEncoding } {
  try {
    return { text: UTF8.decode(bytes), encoding: 'utf8' };
  } catch {
    return { text: bytes.toString('latin1'), encoding: 'latin1' };
  }
}

export function encodeText(text: string, encoding: TextEncoding): Buffer {
  return Buffer.from(text, encoding);
}

export interface Splice {
  start: number;
  end: number;
  after: string;
}

/** @param edits in their order, none within another */
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
