/** Reads style sheets of all dialects from their tokens (CSS Syntax 3). */
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { hasImageExtension, hasNonImageExtension } from '../../web-documents/address.ts';
import { stringRange, urlRange } from '../../web-documents/css.ts';
import type { Range } from '../../web-documents/source-text.ts';
import type { CandidateKind, Reason } from './candidate.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { CSS_ESCAPES, cssString, cssUrl } from './escapes.ts';
import { readPlainText } from './plain-text.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { isJoined } from './strings.ts';

export interface CssPlace {
  /** Kind of an address in `url()`. */
  kind: CandidateKind;
  text: 'sheet' | 'value';
  reason?: Reason | undefined;
  /** Whether `//` starts a comment, as in all dialects except plain CSS. */
  lineComments?: boolean;
}

const { AtKeyword, Url, BadUrl, Semicolon, Comment, LeftSquareBracket, RightSquareBracket } = tokenTypes;
const { LeftCurlyBracket, RightCurlyBracket, LeftParenthesis, RightParenthesis, WhiteSpace } = tokenTypes;
const FunctionToken = tokenTypes.Function;
const StringToken = tokenTypes.String;

const IMAGE_SETS: ReadonlySet<string> = new Set(['image-set(', '-webkit-image-set(']);
const MAX_NAME_LENGTH = 100;

export function readCssText(sink: ReferenceCollector, layer: EmbeddedSource, place: CssPlace): void {
  const reader = new CssReader(sink, place.lineComments ? withoutLineComments(sink, layer) : layer, place);
  tokenize(reader.text, (type, start, end) => reader.token(type, start, end));
}

class CssReader {
  readonly #sink: ReferenceCollector;
  readonly #layer: EmbeddedSource;
  readonly #place: CssPlace;
  /** Functions and parentheses that are open in this statement, in lower case. */
  #functions: string[] = [];
  #imageSets = 0;
  #importing = false;
  /** Depth of attribute selectors. Their strings are compared with attribute values of pages and are not addresses. */
  #brackets = 0;

  constructor(sink: ReferenceCollector, layer: EmbeddedSource, place: CssPlace) {
    this.#sink = sink;
    this.#layer = layer;
    this.#place = place;
  }

  get text(): string {
    return this.#layer.text;
  }

  token(type: number, start: number, end: number): void {
    switch (type) {
      case Comment:
        readComment(this.#sink, this.#layer, { start: start + 2, end });
        break;
      case LeftCurlyBracket:
      case RightCurlyBracket:
      case Semicolon:
        this.#startStatement();
        break;
      case WhiteSpace:
        // The indented syntax has no semicolons, so a line end ends an import. In the others an import rarely spans
        // lines.
        if (this.#importing && /[\n\r]/.test(this.text.slice(start, end))) this.#importing = false;
        break;
      case AtKeyword:
        this.#importing = this.#place.text === 'sheet' && this.#nameAt(start, end) === '@import';
        break;
      case LeftSquareBracket:
        this.#brackets++;
        break;
      case RightSquareBracket:
        this.#brackets = Math.max(0, this.#brackets - 1);
        break;
      case FunctionToken:
        this.#open(this.#nameAt(start, end));
        break;
      case LeftParenthesis:
        this.#open('(');
        break;
      case RightParenthesis:
        if (IMAGE_SETS.has(this.#functions.pop() ?? '')) this.#imageSets--;
        break;
      case Url:
        this.#url(urlRange(this.text, start, end), undefined);
        break;
      case BadUrl:
        this.#partsOfUrl(start, end);
        break;
      case StringToken:
        this.#string(stringRange(this.text, start, end), this.text[start]!);
        break;
    }
  }

  #startStatement(): void {
    this.#functions = [];
    this.#imageSets = 0;
    this.#brackets = 0;
    this.#importing = false;
  }

  #nameAt(start: number, end: number): string {
    return this.text.slice(start, Math.min(end, start + MAX_NAME_LENGTH)).toLowerCase();
  }

  #open(name: string): void {
    this.#functions.push(name);
    if (IMAGE_SETS.has(name)) this.#imageSets++;
  }

  #string(range: Range, quote: string): void {
    if (this.#brackets > 0) return;
    const inside = this.#functions.at(-1) ?? '';
    if (this.#importing && inside === '') this.#add(range, 'import', quote);
    else if (inside === 'url(' || IMAGE_SETS.has(inside)) this.#url(range, quote);
    else if (hasImageExtension(this.text.slice(range.start, range.end)))
      this.#add(range, inside.endsWith('url(') ? this.#place.kind : 'string', quote);
  }

  #url(range: Range, quote: string | undefined): void {
    if (this.#importing) this.#add(range, 'import', quote);
    else if (!hasNonImageExtension(this.text.slice(range.start, range.end)))
      this.#add(
        range,
        this.#imageSets > 0 && this.#place.kind === 'css_background' ? 'css_image_set' : this.#place.kind,
        quote,
      );
  }

  /** Reads `url($base + "/a.png")` of preprocessors. */
  #partsOfUrl(start: number, end: number): void {
    for (const { 0: whole, index } of this.text.slice(start, end).matchAll(/"[^"\n]*"|'[^'\n]*'/g)) {
      const range = { start: start + index + 1, end: start + index + whole.length - 1 };
      if (hasImageExtension(this.text.slice(range.start, range.end)))
        this.#add(range, this.#place.kind, whole[0], 'dynamic');
    }
  }

  /** @param quote undefined without quotes */
  #add(range: Range, kind: CandidateKind, quote: string | undefined, reason = this.#place.reason): void {
    if (range.start >= range.end) return;
    const written = this.text.slice(range.start, range.end);
    const interpolated = /[#@]\{/.test(written) || (quote === undefined && /^[$@]/.test(written));
    const joined = quote !== undefined && isJoined(this.text, range.start - 1, range.end + 1, '+');
    const layer = this.#layer.unescaped(range, CSS_ESCAPES, quote === undefined ? cssUrl : cssString(quote));
    this.#sink.add(layer, { kind, reason: interpolated || joined ? 'dynamic' : reason });
  }
}

function readComment(sink: ReferenceCollector, layer: EmbeddedSource, { start, end }: Range): void {
  const closed = layer.text.startsWith('*/', end - 2) && end - 2 >= start;
  readPlainText(sink, layer.part({ start, end: closed ? end - 2 : end }), 'css_background', 'comment');
}

const LEXEME =
  /\/\*[\s\S]*?(?:\*\/|$)|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?|url\([^)"'\\\n]*(?:\\[^\n][^)"'\\\n]*)*\)?|\/\/[^\n\r]*/gi;

/** Replaces `//` comments by spaces. */
function withoutLineComments(sink: ReferenceCollector, layer: EmbeddedSource): EmbeddedSource {
  const text = layer.text.replace(LEXEME, (found, at: number) => {
    if (!found.startsWith('//')) return found;
    readPlainText(sink, layer.part({ start: at + 2, end: at + found.length }), 'css_background', 'comment');
    return ' '.repeat(found.length);
  });
  return layer.reading(text);
}
