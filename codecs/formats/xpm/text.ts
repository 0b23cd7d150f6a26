/** The strings of an X pixmap, as C strings or plain lines. */

/** A range of bytes, without quotes or line end. */
export interface TextRange {
  start: number;
  end: number;
}

const QUOTE = 0x22;
const SLASH = 0x2f;
const STAR = 0x2a;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Yields the strings between quotes from an offset on, without comments and unterminated strings. */
export function* quotedStrings(bytes: Uint8Array, from: number): Generator<TextRange, undefined> {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === SLASH && bytes[at + 1] === STAR) {
      at = endOfComment(bytes, at + 2);
    } else if (bytes[at] === QUOTE) {
      const end = bytes.indexOf(QUOTE, at + 1);
      if (end < 0) return;
      yield { start: at + 1, end };
      at = end;
    }
  }
}

/** Returns the offset of the last byte of the comment, or the end of the file. */
function endOfComment(bytes: Uint8Array, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) if (bytes[at] === STAR && bytes[at + 1] === SLASH) return at + 1;
  return bytes.length;
}

/** Yields the lines after the first. */
export function* linesOf(bytes: Uint8Array): Generator<TextRange, undefined> {
  let start = bytes.indexOf(LINE_FEED) + 1;
  while (start > 0 && start < bytes.length) {
    const next = bytes.indexOf(LINE_FEED, start);
    const end = next < 0 ? bytes.length : next;
    yield { start, end: bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end };
    start = end + 1;
  }
}
