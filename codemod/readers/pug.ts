/** Reads Pug: elements by indentation, attributes as JavaScript. */
import type { Range } from '../../web-documents/source-text.ts';
import { AttributeList, type AttributeSyntax, endOfTerm, matchAt, readDynamic, readElement } from './attribute-list.ts';
import type { Element } from './element.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { blockBelow, isBlank, type Line, linesOf } from './indented.ts';
import { pugLiteral, pugText } from './interpolated.ts';
import { readPlainText } from './plain-text.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { readScript } from './script.ts';
import { readTextElement } from './text-element.ts';

const ATTRIBUTES: AttributeSyntax = {
  assignment: /(?:["']([^"'\s=]+)["']|([^\s,=!()"'`{}]+|\([^\s()="']+\)|\[[^\s[\]="']+\]))\s*!?=(?![=>])/y,
  close: ')',
  read: pugLiteral,
};
const KEYWORD =
  /(?:if|else|unless|case|when|default|each|for|while|include|extends|block|append|prepend|mixin|doctype)(?![\w:.#=-])/y;
const TAG = /(?:([A-Za-z][\w-]*(?::[\w-]+)*)(?:[.#][\w-]+)*|(?:[.#][\w-]+)+)/y;
const TEXTS = new Set(['style', 'script']);
const SPACES = /[ \t]*/y;

const MAX_DEPTH = 50;

export function readPug(sink: ReferenceCollector, layer: EmbeddedSource): void {
  new PugReader(sink, layer).read();
}

class PugReader {
  readonly #sink: ReferenceCollector;
  readonly #layer: EmbeddedSource;
  readonly #lines: readonly Line[];
  /** The element whose text is the block below it. */
  #textOf: Element | undefined;
  /** Nesting depth of tags on one line. */
  #depth = 0;

  constructor(sink: ReferenceCollector, layer: EmbeddedSource) {
    this.#sink = sink;
    this.#layer = layer;
    this.#lines = linesOf(layer.text);
  }

  read(): void {
    for (let index = 0; index < this.#lines.length; ) index = this.#line(index);
  }

  /** @returns the index of the next line */
  #line(index: number): number {
    const line = this.#lines[index]!;
    if (isBlank(line)) return index + 1;
    const { first, end } = line;
    const below = blockBelow(this.#lines, index);
    const text = this.#layer.text.slice(first, end);
    if (text.startsWith('//')) {
      const comment = { start: first, end: Math.max(end, below.range.end) };
      readPlainText(this.#sink, this.#layer.part(comment), 'template', 'comment');
      return below.next;
    }
    // A filter contains another language.
    if (text.startsWith(':')) return below.next;
    if (/^[|<]/.test(text)) this.#text({ start: text.startsWith('|') ? first + 1 : first, end });
    else if (text.trimEnd() === '-') {
      this.#script(below.range);
      return below.next;
    } else if (text.startsWith('-')) this.#script({ start: first + 1, end });
    else return this.#afterTag(index, this.#tag(first, end));
    return index + 1;
  }

  #script(range: Range): void {
    const part = this.#layer.part(range);
    // Skip lines without strings, because each parser call is slow.
    if (/["'`]/.test(part.text)) readScript(this.#sink, part, 'js');
  }

  /** Continues after a tag, whose attributes may span several lines. @param end offset of the tag's end */
  #afterTag(index: number, end: number): number {
    let last = index;
    while (last + 1 < this.#lines.length && this.#lines[last + 1]!.start < end) last += 1;
    const element = this.#textOf;
    this.#textOf = undefined;
    if (!element) return last + 1;
    const { range, next } = blockBelow(this.#lines, index, last);
    if (TEXTS.has(element.name)) readTextElement(this.#sink, this.#layer.part(range), element);
    else this.#text(range);
    return next;
  }

  /**
   * @param lineEnd end of the line on which it starts
   * @param isInline whether the tag ends at `lineEnd` at the latest
   * @returns the end offset, including the tag's text
   */
  #tag(start: number, lineEnd: number, isInline = false): number {
    const { text } = this.#layer;
    if (this.#depth >= MAX_DEPTH) return lineEnd;
    const isCode = matchAt(KEYWORD, text, start) || /^(?:\+|!?=)/.test(text.slice(start, start + 2));
    const tag = isCode ? null : matchAt(TAG, text, start);
    if (!tag) {
      readDynamic(this.#sink, this.#layer.part({ start, end: lineEnd }));
      return lineEnd;
    }
    const name = (tag[1] ?? 'div').toLowerCase();
    const limit = isInline ? lineEnd : text.length;
    const list = new AttributeList(this.#sink, this.#layer, limit);
    let at = start + tag[0].length;
    while (text[at] === '(' || text.startsWith('&attributes(', at))
      at = text[at] === '(' ? list.read(at + 1, ATTRIBUTES) : this.#dynamicTerm(at + '&attributes'.length, limit);
    const element = readElement(this.#sink, name, list);
    const end = isInline ? Math.max(at, lineEnd) : Math.max(lineEnd, this.#endOfLine(at));
    this.#depth += 1;
    const last = this.#tail(element, at, end, isInline);
    this.#depth -= 1;
    return last;
  }

  #dynamicTerm(start: number, limit: number): number {
    const end = endOfTerm(this.#layer.text.slice(0, limit), start);
    readDynamic(this.#sink, this.#layer.part({ start, end }));
    return end;
  }

  #tail(element: Element, start: number, end: number, isInline: boolean): number {
    const { text } = this.#layer;
    const rest = text.slice(start, end);
    if (/^:[ \t]/.test(rest)) return this.#tag(start + 1 + matchAt(SPACES, text, start + 1)![0].length, end, isInline);
    if (/^!?=/.test(rest)) readDynamic(this.#sink, this.#layer.part({ start, end }));
    else if (rest.trimEnd() === '.') this.#textOf = element;
    else this.#text({ start, end });
    return end;
  }

  #endOfLine(at: number): number {
    const end = this.#layer.text.slice(at).search(/[\r\n]/);
    return end < 0 ? this.#layer.text.length : at + end;
  }

  /** Reads markup and inline tags in a text. */
  #text({ start, end }: Range): void {
    if (end <= start) return;
    const part = this.#layer.part({ start, end });
    let read = start;
    for (const { index } of part.text.matchAll(/#\[(?=[A-Za-z.#])/g)) {
      const inner = start + index + 2;
      // It is inside another inline tag, which has been read already.
      if (inner < read) continue;
      read = this.#closing(inner, end);
      this.#tag(inner, read, true);
    }
    if (part.text.includes('<')) this.#sink.markup(pugText(part));
  }

  /** Offset of the bracket that closes an inline tag. */
  #closing(start: number, end: number): number {
    const text = this.#layer.text.slice(0, end);
    let at = start;
    while (at < end && text[at] !== ']') at = endOfTerm(text, at);
    return at;
  }
}
