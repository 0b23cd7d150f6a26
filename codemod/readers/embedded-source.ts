/**
 * A text embedded in another one, such as a style sheet in an attribute in a string of a script. It maps its offsets to
 * the file and knows how to escape text for it.
 */
import { type Range, SourceText } from '../../web-documents/source-text.ts';

type Place = (range: Range) => Range;
/** Escapes a text so that it reads back unchanged. */
export type Encode = (text: string) => string;

/** The escape sequences of a language. */
export interface Escapes {
  /** Global. Every match is one escape sequence. */
  pattern: RegExp;
  /** Returns the text that a match stands for. */
  read(match: RegExpExecArray): string;
}

/** Replaces each character of an expression with an unknown value. A Unicode noncharacter, which occurs in no text. */
export const UNKNOWN = '\ufdd0';

/** The ranges that a global pattern matches. */
export const matchedRanges = (text: string, pattern: RegExp): Range[] =>
  [...text.matchAll(pattern)].map(({ 0: whole, index }) => ({ start: index, end: index + whole.length }));

/** Replaces ranges by unknown characters. The ranges must be in order. */
export function withUnknown(text: string, ranges: readonly Range[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of ranges) {
    parts.push(text.slice(at, start), UNKNOWN.repeat(end - start));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

const unchanged: Encode = (text) => text;

export class EmbeddedSource {
  readonly text: string;
  readonly #place: Place;
  /** Escapes a text for this place, through all enclosing texts. */
  readonly write: Encode;

  /** Whether markup can be inserted here unescaped. */
  readonly isMarkup: boolean;

  private constructor(text: string, place: Place, write: Encode, isMarkup: boolean) {
    this.text = text;
    this.#place = place;
    this.write = write;
    this.isMarkup = isMarkup;
  }

  static of(source: string): EmbeddedSource {
    return new EmbeddedSource(source, (range) => range, unchanged, true);
  }

  /** Maps a non-empty range of the text to the file. */
  place(range: Range): Range {
    return this.#place(range);
  }

  /** Returns a part without escapes. @param isMarkup whether `write` leaves markup unchanged */
  part({ start, end }: Range, write: Encode = unchanged, isMarkup = write === unchanged): EmbeddedSource {
    return new EmbeddedSource(
      this.text.slice(start, end),
      (range) => this.#place({ start: range.start + start, end: range.end + start }),
      this.#inside(write),
      this.isMarkup && isMarkup,
    );
  }

  /** Returns a layer with another text of the same length in this place. */
  reading(text: string): EmbeddedSource {
    return new EmbeddedSource(text, this.#place, this.write, this.isMarkup);
  }

  /**
   * Returns a layer for a text that was already unescaped.
   * @param text mapped to this layer's text
   * @param before number of characters before this layer's text in the source of `text`
   */
  over(text: SourceText, write: Encode, before = 0): EmbeddedSource {
    return new EmbeddedSource(
      text.text,
      (range) => {
        const { start, end } = text.range(range);
        return this.#place({ start: start - before, end: end - before });
      },
      this.#inside(write),
      this.isMarkup && write === unchanged,
    );
  }

  #inside(write: Encode): Encode {
    return write === unchanged ? this.write : (text) => this.write(write(text));
  }

  /** Returns a part with its escapes resolved. */
  unescaped(range: Range, { pattern, read }: Escapes, write: Encode): EmbeddedSource {
    const part = this.part(range, write);
    const pieces: { at: number; start: number; end: number; text?: string }[] = [];
    let at = 0;
    let written = 0;
    const literal = (end: number) => {
      if (end > written) pieces.push({ at, start: written, end });
      at += end - written;
    };
    pattern.lastIndex = 0;
    for (let match = pattern.exec(part.text); match; match = pattern.exec(part.text)) {
      literal(match.index);
      const text = read(match);
      written = match.index + match[0].length;
      pieces.push({ at, start: match.index, end: written, text });
      at += text.length;
    }
    if (pieces.length === 0) return part;
    literal(part.text.length);
    return part.over(SourceText.of(part.text, pieces), unchanged);
  }
}

/** Percent-encodes the ASCII characters that `pattern` matches. */
export const percentEncode = (text: string, pattern: RegExp): string =>
  text.replace(pattern, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
