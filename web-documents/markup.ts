/**
 * Reads tags, attributes and text of HTML and XML with their offsets. Keeps no tree: a document that nests a million
 * elements costs no more than another one of the same length.
 */
import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { type Range, SourceText, SourceTextBuilder } from './source-text.ts';

/** The requested attributes of an element, by name in lower case. The first of several with the same name counts. */
export type Attributes = ReadonlyMap<string, SourceText>;

const NO_ATTRIBUTES: Attributes = new Map();

export interface MarkupHandler {
  /** Whether the handler needs an attribute, given its name in lower case. */
  wants(attribute: string): boolean;
  /** Whether the reader is inside SVG or MathML, where other rules hold. */
  foreign(): boolean;
  /**
   * @param empty whether the tag ends in `/>` and this closes the element
   * @param tag range of the tag, with its brackets
   */
  open(name: string, attributes: Attributes, empty: boolean, tag: Range): void;
  close?(name: string): void;
  /** Text as it is written. */
  text?(start: number, end: number): void;
  /** A character reference that stands for `codePoint`. */
  textReference?(codePoint: number, start: number, end: number): void;
  /** `<?name ...?>`, in XML only. */
  instruction?(start: number, end: number): void;
  /** The text between `<!--` and `-->`. */
  comment?(start: number, end: number): void;
}

export class Markup implements TokenizerCallbacks {
  readonly #source: string;
  readonly #handler: MarkupHandler;
  readonly #xml: boolean;
  readonly #tokenizer: Tokenizer;
  #tag = '';
  #tagStart = 0;
  #attributes: Map<string, SourceText> | undefined;
  /** The attribute being read; undefined if the handler does not need it. */
  #attribute: { name: string; nameEnd: number; parts: Part[] } | undefined;

  constructor(source: string, handler: MarkupHandler, xml: boolean) {
    this.#source = source;
    this.#handler = handler;
    this.#xml = xml;
    this.#tokenizer = new Tokenizer({ xmlMode: xml }, this);
  }

  read(): void {
    this.#tokenizer.write(this.#source);
    if (this.#tokenizer.running) this.#tokenizer.end();
  }

  /** Stops reading: the rest of the document is not needed. */
  stop(): void {
    this.#tokenizer.pause();
  }

  isInForeignContext(): boolean {
    return this.#handler.foreign();
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#name(start, end);
    this.#tagStart = start - 1;
    this.#attributes = undefined;
  }

  onattribname(start: number, end: number): void {
    const name = this.#source.slice(start, end).toLowerCase();
    const wanted = this.#handler.wants(name) && !this.#attributes?.has(name);
    this.#attribute = wanted ? { name, nameEnd: end, parts: [] } : undefined;
  }

  onattribdata(start: number, end: number): void {
    this.#attribute?.parts.push({ start, end });
  }

  onattribentity(codePoint: number): void {
    this.#attribute?.parts.push({ codePoint });
  }

  onattribend(quote: QuoteType, end: number): void {
    if (!this.#attribute) return;
    const quoted = quote === QuoteType.Double || quote === QuoteType.Single;
    this.#attributes ??= new Map();
    this.#attributes.set(this.#attribute.name, this.#value(this.#attribute, quoted ? end - 1 : end));
    this.#attribute = undefined;
  }

  #value({ nameEnd, parts }: { nameEnd: number; parts: readonly Part[] }, end: number): SourceText {
    const [only, ...others] = parts;
    if (only === undefined) return SourceText.slice(this.#source, nameEnd, nameEnd);
    if (others.length === 0 && 'start' in only) return SourceText.slice(this.#source, only.start, only.end);
    const builder = new SourceTextBuilder(this.#source);
    // The tokenizer reports offsets only for the text between the references.
    const codePoints: number[] = [];
    const flush = (until: number) => {
      if (codePoints.length === 0) return;
      builder.references(codePoints, builder.end ?? this.#source.indexOf('&', nameEnd), until);
      codePoints.length = 0;
    };
    for (const part of parts) {
      if ('codePoint' in part) codePoints.push(part.codePoint);
      else {
        flush(part.start);
        builder.literal(part.start, part.end);
      }
    }
    flush(end);
    return builder.build();
  }

  onopentagend(end: number): void {
    this.#open(false, end);
  }

  onselfclosingtag(end: number): void {
    this.#open(this.#xml || this.#handler.foreign(), end);
  }

  #open(empty: boolean, end: number): void {
    const tag = { start: this.#tagStart, end: end + 1 };
    this.#handler.open(this.#tag, this.#attributes ?? NO_ATTRIBUTES, empty, tag);
  }

  onclosetag(start: number, end: number): void {
    this.#handler.close?.(this.#name(start, end));
  }

  /** In XML, the name without its prefix. */
  #name(start: number, end: number): string {
    const name = this.#source.slice(start, end).toLowerCase();
    return this.#xml ? name.slice(name.indexOf(':') + 1) : name;
  }

  ontext(start: number, end: number): void {
    this.#handler.text?.(start, end);
  }

  ontextentity(codePoint: number, end: number): void {
    this.#handler.textReference?.(codePoint, this.#source.lastIndexOf('&', end - 1), end);
  }

  oncdata(start: number, end: number, endOffset: number): void {
    // Elsewhere in HTML it is a comment.
    if (this.#xml || this.#handler.foreign()) this.#handler.text?.(start, end - endOffset);
  }

  onprocessinginstruction(start: number, end: number): void {
    this.#handler.instruction?.(start, end);
  }

  oncomment(start: number, end: number, endOffset: number): void {
    this.#handler.comment?.(start, end - endOffset);
  }

  ondeclaration(): void {}

  onend(): void {}
}

/** Part of an attribute's value: literal text, or a character that a reference stands for. */
type Part = { start: number; end: number } | { codePoint: number };
