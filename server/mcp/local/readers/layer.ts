/**
 * Texts within texts: a style sheet in an attribute in a string of a script. Each knows where its characters stand in the file,
 * and how to write into it.
 */
import { type Range, SourceText } from '../../../../engine/documents/source-text.ts';

type Place = (range: Range) => Range;
/** How a text is written, so that it reads as itself. */
export type Write = (text: string) => string;

/** How a language writes characters that it cannot write plainly. */
export interface Escapes {
  /** Global. Every match is one escape. */
  pattern: RegExp;
  /** What a match stands for. */
  read(match: RegExpExecArray): string;
}

/** Stands for each character of an expression whose value nobody knows. It is no character of any text (a noncharacter). */
export const UNKNOWN = '\ufdd0';

/** The same text with unknown characters in these ranges, which are in their order. */
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

const asItIs: Write = (text) => text;

export class Layer {
  readonly text: string;
  readonly #place: Place;
  /** How a text is written here, all the way to the file. */
  readonly write: Write;

  /** Whatever is markup can be written here as markup. */
  readonly isMarkup: boolean;

  private constructor(text: string, place: Place, write: Write, isMarkup: boolean) {
    this.text = text;
    this.#place = place;
    this.write = write;
    this.isMarkup = isMarkup;
  }

  static of(source: string): Layer {
    return new Layer(source, (range) => range, asItIs, true);
  }

  /** Where a range of the text, which is not empty, stands in the file. */
  place(range: Range): Range {
    return this.#place(range);
  }

  /** A part that reads as it is written. @param isMarkup what `write` changes is for markup the same */
  part({ start, end }: Range, write: Write = asItIs, isMarkup = write === asItIs): Layer {
    return new Layer(
      this.text.slice(start, end),
      (range) => this.#place({ start: range.start + start, end: range.end + start }),
      this.#inside(write),
      this.isMarkup && isMarkup,
    );
  }

  /** Another reading of the same characters, as many as there are here. */
  reading(text: string): Layer {
    return new Layer(text, this.#place, this.write, this.isMarkup);
  }

  /**
   * A part that was read already.
   * @param text over the text of this layer
   * @param before characters that stand before this layer's text in what `text` is over
   */
  over(text: SourceText, write: Write, before = 0): Layer {
    return new Layer(
      text.text,
      (range) => {
        const { start, end } = text.range(range);
        return this.#place({ start: start - before, end: end - before });
      },
      this.#inside(write),
      this.isMarkup && write === asItIs,
    );
  }

  #inside(write: Write): Write {
    return write === asItIs ? this.write : (text) => this.write(write(text));
  }

  /** A part with escapes. */
  unescaped(range: Range, { pattern, read }: Escapes, write: Write): Layer {
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
    return part.over(SourceText.of(part.text, pieces), asItIs);
  }
}

/** Characters of ASCII, percent-encoded where `pattern` finds them. */
export function percentEncode(text: string, pattern: RegExp): string {
  return text.replace(pattern, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
