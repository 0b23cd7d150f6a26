/** Reads HTML, XML and similar languages. */
import { ElementStack } from '../../web-documents/element-stack.ts';
import { FOREIGN_TEXT_ELEMENTS, TEXT_ELEMENTS } from '../../web-documents/image-elements.ts';
import { type Attributes, Markup, type MarkupHandler } from '../../web-documents/markup.ts';
import { type Range, type SourceText, SourceTextBuilder } from '../../web-documents/source-text.ts';
import { readWrittenAttribute } from './bound.ts';
import { bracesInTags } from './braces.ts';
import type { ImageTag, TagAttribute } from './candidate.ts';
import type { Element } from './element.ts';
import { type EmbeddedSource, type Encode, percentEncode, UNKNOWN, withUnknown } from './embedded-source.ts';
import { attributeValue, markupText, rawText } from './escapes.ts';
import { attributeName, isSpread } from './image-element.ts';
import { encodeImageName, namesImage } from './image-name.ts';
import { readPlainText } from './plain-text.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { readExpression } from './script.ts';
import { type TemplateSyntax, withoutTemplateTags } from './template.ts';
import { readTextElement } from './text-element.ts';
import { readValue } from './value.ts';

export interface MarkupSyntax {
  xml?: boolean;
  templates?: TemplateSyntax;
  /** Whether attribute values may be expressions in braces; `quoted`: also inside quotes. */
  braces?: 'plain' | 'quoted';
  /** Whether attribute values are script expressions, in which quoted text has no character references. */
  scriptValues?: boolean;
  /** Whether the way to escape attribute values is unknown. Then elements are not edited. */
  foreignValues?: boolean;
}

export function readMarkup(sink: ReferenceCollector, layer: EmbeddedSource, syntax: MarkupSyntax = {}): void {
  const known = withoutTemplateTags(sink, layer, syntax.templates ?? 'none');
  const braces = syntax.braces ? bracesInTags(known.text, syntax.braces === 'quoted') : [];
  const read = braces.length > 0 ? known.reading(withUnknown(known.text, braces)) : known;
  new MarkupReader(sink, layer, read, braces, syntax).read();
}

/** Components that convert their images at build time, even without an import. */
const OPTIMIZING_COMPONENTS = new Set([
  'nuxt-img',
  'nuxtimg',
  'nuxt-picture',
  'nuxtpicture',
  'enhanced:img',
  'g-image',
]);

const DATA = '<![CDATA[';
const characterData: Encode = (text) => text.replaceAll(']]>', ']]%3E');

/** For quoted script values. A markup tokenizer knows no escapes in them, so special characters are percent-encoded. */
const scriptValue: Encode = (text) => percentEncode(text, /["'`\\]|[^ -\uffff]/g);

class MarkupReader implements MarkupHandler {
  readonly #sink: ReferenceCollector;
  /** The text as written. */
  readonly #written: EmbeddedSource;
  /** The text with expressions replaced by unknown characters. */
  readonly #layer: EmbeddedSource;
  readonly #braces: ReadonlyMap<number, Range>;
  readonly #xml: boolean;
  readonly #scriptValues: boolean;
  readonly #editsElements: boolean;
  readonly #elements = new ElementStack();
  #raw: { name: string; get: Element['get']; builder: SourceTextBuilder; isData: boolean } | undefined;
  /** In XML, the text between two tags. */
  #text: SourceTextBuilder | undefined;

  constructor(
    sink: ReferenceCollector,
    written: EmbeddedSource,
    layer: EmbeddedSource,
    braces: readonly Range[],
    syntax: MarkupSyntax,
  ) {
    this.#sink = sink;
    this.#written = written;
    this.#layer = layer;
    this.#braces = new Map(braces.map((range) => [range.start, range]));
    this.#xml = syntax.xml ?? false;
    this.#scriptValues = syntax.scriptValues ?? false;
    this.#editsElements = layer.isMarkup && !syntax.scriptValues && !syntax.foreignValues;
  }

  read(): void {
    new Markup(this.#layer.text, this, this.#xml).read();
    this.#endRaw();
    this.#endText();
  }

  wants(): boolean {
    return true;
  }

  foreign(): boolean {
    return this.#elements.foreign;
  }

  open(tag: string, attributes: Attributes, empty: boolean, place: Range): void {
    if (this.#raw) return;
    this.#endText();
    this.#elements.leaveForeign(tag);
    const foreign = this.#elements.foreign || this.#xml;
    const written = this.#nameAt(place);
    const name = tag.replaceAll(UNKNOWN, '');
    const named =
      attributes.size > 0
        ? new Map([...attributes].map(([key, text]) => [key.replaceAll(UNKNOWN, ''), text]))
        : attributes;
    const get = (attribute: string) => {
      const text = named.get(attribute)?.text;
      return text?.includes(UNKNOWN) ? undefined : text;
    };
    const element: Element = {
      name: name === 'image' && !foreign && written === 'image' ? 'img' : name,
      get,
      inNoscript: this.#elements.inNoscript,
      optimizes: OPTIMIZING_COMPONENTS.has(name) || this.#sink.optimizers.has(written),
      image: name === 'img' && !foreign && this.#layer.isMarkup ? this.#imageTag(named, place) : undefined,
    };
    // `Img` with other capitalization is a component.
    if (name === 'img' && !foreign && /^(?:img|IMG)$/.test(written)) this.#addElement(attributes, place);
    for (const [attribute, text] of named) if (text.text !== '') this.#attribute(element, attribute, text);
    if (empty) return;
    this.#elements.open(name, attributes.has('shadowrootmode'));
    if ((foreign ? FOREIGN_TEXT_ELEMENTS : TEXT_ELEMENTS).has(name))
      this.#raw = { name, get, builder: new SourceTextBuilder(this.#layer.text), isData: false };
  }

  close(tag: string): void {
    if (this.#raw) {
      if (this.#raw.name === tag) this.#endRaw();
      return;
    }
    this.#endText();
    this.#elements.close(tag);
  }

  text(start: number, end: number): void {
    const isData = this.#layer.text.startsWith(DATA, start - DATA.length);
    if (this.#raw) {
      this.#raw.builder.literal(start, end);
      this.#raw.isData ||= isData;
    } else if (!this.#xml) return;
    else if (isData) readValue(this.#sink, this.#layer.part({ start, end }, characterData), { kind: 'string' });
    else {
      this.#text ??= new SourceTextBuilder(this.#layer.text);
      this.#text.literal(start, end);
    }
  }

  textReference(codePoint: number, start: number, end: number): void {
    if (this.#raw) this.#raw.builder.references([codePoint], start, end);
    else if (this.#xml) {
      this.#text ??= new SourceTextBuilder(this.#layer.text);
      this.#text.references([codePoint], start, end);
    }
  }

  comment(start: number, end: number): void {
    if (end <= start) return;
    const inner = this.#written.part({ start, end }, (text) => percentEncode(text, />/g));
    this.#sink.within('comment', () => this.#sink.markup(inner));
    readPlainText(this.#sink, inner, 'string', 'comment');
  }

  #nameAt({ start }: Range): string {
    return /^[^\s/>\ufdd0]{0,100}/.exec(this.#layer.text.slice(start + 1, start + 101))![0];
  }

  // Attributes

  #attribute(element: Element, attribute: string, text: SourceText): void {
    const { start } = text.range({ start: 0, end: 1 });
    const expression = this.#braces.get(start);
    // The text may end with the slash that closes an unquoted element.
    if (expression && /^\ufdd0+\/?$/.test(text.text)) {
      const inner = this.#written.part({ start: expression.start + 1, end: expression.end - 1 });
      readExpression(this.#sink, inner, { element, attribute });
      return;
    }
    const quote = this.#quoteBefore(start);
    const layer =
      this.#scriptValues && quote
        ? this.#layer.part(text.range({ start: 0, end: text.text.length }), scriptValue)
        : this.#layer.over(text, attributeValue(quote));
    readWrittenAttribute(this.#sink, element, attribute, layer);
  }

  #quoteBefore(start: number): string {
    const quote = this.#layer.text[start - 1]!;
    return quote === '"' || quote === "'" ? quote : '';
  }

  #imageTag(attributes: Attributes, tag: Range): ImageTag {
    const place = this.#layer.place(tag);
    const values = new Map<string, TagAttribute>();
    for (const [name, text] of attributes) {
      const range =
        text.text === ''
          ? { start: place.end, end: place.end }
          : this.#layer.place(text.range({ start: 0, end: text.text.length }));
      values.set(name, { ...range, value: text.text });
    }
    return { ...place, hasPicture: this.#elements.parent === 'picture', attributes: values };
  }

  #addElement(attributes: Attributes, tag: Range): void {
    if (!this.#editsElements) return;
    const known = new Map<string, string | undefined>();
    let hasUnknownAttributes = false;
    for (const [name, { text }] of attributes) {
      const plain = name.replaceAll(UNKNOWN, '');
      if (plain !== name || isSpread(plain)) hasUnknownAttributes = true;
      const bare = attributeName(plain);
      known.set(bare, bare !== plain || text.includes(UNKNOWN) ? undefined : text);
    }
    const { start, end } = this.#layer.place(tag);
    this.#sink.addElement({
      start,
      end,
      insertAt: start + '<img'.length,
      attributes: known,
      hasUnknownAttributes,
      hasPicture: this.#elements.parent === 'picture',
    });
  }

  // Elements whose content is text

  #endRaw(): void {
    const raw = this.#raw;
    this.#raw = undefined;
    if (!raw) return;
    const references: Encode = this.#xml ? (text) => markupText(rawText(text)) : rawText;
    const layer = this.#layer.over(raw.builder.build(), raw.isData ? characterData : references);
    if (layer.text === '') return;
    readTextElement(this.#sink, layer, raw);
  }

  // Texts of XML

  #endText(): void {
    const text = this.#text?.build();
    this.#text = undefined;
    if (!text) return;
    const layer = this.#layer.over(text, markupText);
    if (namesImage(layer.text)) this.#sink.add(layer, { kind: 'string', encode: encodeImageName });
    else if (layer.text.includes('<')) readValue(this.#sink, layer, { kind: 'string' });
  }
}
