/** Texts of a document with character references resolved, and their positions in its source. */

/** A range of offsets; `end` is exclusive. */
export interface Range {
  start: number;
  end: number;
}

/**
 * The text of an attribute or element, with character references resolved. Each character can be traced back to its
 * position in the source.
 */
export class SourceText {
  readonly #source: string;
  readonly #pieces: readonly Piece[];
  #text: string | undefined;

  private constructor(source: string, pieces: readonly Piece[]) {
    this.#source = source;
    this.#pieces = pieces;
  }

  /** A text without character references. */
  static slice(source: string, start: number, end: number): SourceText {
    return new SourceText(source, [{ at: 0, start, end }]);
  }

  static of(source: string, pieces: readonly Piece[]): SourceText {
    return new SourceText(source, pieces);
  }

  get text(): string {
    this.#text ??= this.#pieces.map(({ start, end, text }) => text ?? this.#source.slice(start, end)).join('');
    return this.#text;
  }

  /** The range in the source of a non-empty `range` of {@link text}. */
  range({ start, end }: Range): Range {
    const first = this.#piece(start);
    const last = this.#piece(end - 1);
    return {
      // No address starts within a code point that is written as a reference.
      start: first.start + start - first.at,
      end: last.text === undefined ? last.start + end - last.at : last.end,
    };
  }

  #piece(at: number): Piece {
    let low = 0;
    let high = this.#pieces.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#pieces[middle]!.at <= at) low = middle;
      else high = middle - 1;
    }
    return this.#pieces[low]!;
  }
}

/** A part of a {@link SourceText}. */
interface Piece {
  /** Offset of its first character in the text. */
  at: number;
  /** Offset in the source. */
  start: number;
  end: number;
  /** The resolved text, if it differs from the source. */
  text?: string;
}

/** Builds a {@link SourceText} from start to end. */
export class SourceTextBuilder {
  readonly #source: string;
  readonly #pieces: Piece[] = [];
  #length = 0;

  constructor(source: string) {
    this.#source = source;
  }

  literal(start: number, end: number): void {
    if (start >= end) return;
    this.#pieces.push({ at: this.#length, start, end });
    this.#length += end - start;
  }

  /** Adds the code points that one or more adjacent character references between `start` and `end` stand for. */
  references(codePoints: readonly number[], start: number, end: number): void {
    const starts = ampersands(this.#source, start, end);
    for (const [index, codePoint] of codePoints.entries()) {
      const text = String.fromCodePoint(codePoint);
      // Some references stand for two code points.
      this.#pieces.push({
        at: this.#length,
        start: starts[index] ?? starts.at(-1)!,
        end: starts[index + 1] ?? end,
        text,
      });
      this.#length += text.length;
    }
  }

  /** Where the last part ended; undefined before the first. */
  get end(): number | undefined {
    return this.#pieces.at(-1)?.end;
  }

  build(): SourceText {
    return SourceText.of(this.#source, this.#pieces);
  }
}

function ampersands(source: string, start: number, end: number): number[] {
  const found: number[] = [];
  for (let at = start; at < end; at++) if (source[at] === '&') found.push(at);
  return found;
}

/** Removes white space and control characters at the ends of an address, as the URL standard does. */
export function trimmed(text: string, { start, end }: Range = { start: 0, end: text.length }): Range {
  while (start < end && text.charCodeAt(start) <= SPACE) start++;
  while (end > start && text.charCodeAt(end - 1) <= SPACE) end--;
  return { start, end };
}

const SPACE = 0x20;

/** Line ends as in HTML. */
const LINE_END = /\r\n?|\n/g;

/** Converts offsets in a source to lines and columns. */
export class LineIndex {
  /** Offsets of the first characters of the lines. */
  readonly #starts = [0];

  constructor(source: string) {
    LINE_END.lastIndex = 0;
    while (LINE_END.test(source)) this.#starts.push(LINE_END.lastIndex);
  }

  /** @returns both from 1 */
  at(offset: number): { line: number; column: number } {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.#starts[low]! + 1 };
  }
}
