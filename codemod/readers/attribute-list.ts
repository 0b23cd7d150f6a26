/** Reads attribute lists of Pug, Haml and Slim: names with values that are literals or expressions. */
import type { Range } from '../../web-documents/source-text.ts';
import { readWrittenAttribute } from './bound.ts';
import type { Element } from './element.ts';
import { type EmbeddedSource, UNKNOWN } from './embedded-source.ts';
import { SCRIPT_ESCAPES, scriptString } from './escapes.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { lexemes, SCRIPT } from './strings.ts';
import { readValue } from './value.ts';

export interface AttributeSyntax {
  /** Sticky. Matches a name and its assignment operator. The name is the first group that matches. */
  assignment: RegExp;
  /** The closing delimiter. Undefined if the list ends at the end of the line. */
  close?: string;
  /**
   * Whether a value in braces is a nested list, whose names get the attribute's as prefix: `data: { src: 'a.png' }`.
   */
  nested?: boolean;
  /** Reads a literal. @param range including its quotes */
  read(layer: EmbeddedSource, range: Range): EmbeddedSource;
}

/** Values by lower-case name; undefined for expressions. */
type Values = Map<string, EmbeddedSource | undefined>;

const STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^'\\]*(?:\\[\s\S][^'\\]*)*'|`[^`\\]*(?:\\[\s\S][^`\\]*)*`/y;
const MAX_DEPTH = 20;
const OPEN = '([{';
const CLOSE = ')]}';
const SPACES = /\s/;
/** Matches the next attribute after a literal and a space, but not an operator that is a word. */
const ATTRIBUTE = /(?!(?:if|unless|or|and|in|instanceof)\b)[\w:@*#([-]/y;

export class AttributeList {
  readonly #sink: ReferenceCollector;
  readonly #layer: EmbeddedSource;
  readonly #text: string;
  readonly values: Values = new Map();

  /** @param end where reading stops; no open construct continues after it */
  constructor(sink: ReferenceCollector, layer: EmbeddedSource, end = layer.text.length) {
    this.#sink = sink;
    this.#layer = layer;
    this.#text = layer.text.slice(0, end);
  }

  /** @param start offset after the opening delimiter @returns the end offset */
  read(start: number, syntax: AttributeSyntax, prefix = ''): number {
    const { close } = syntax;
    let at = start;
    while (at < this.#text.length) {
      const sign = this.#text[at]!;
      if (sign === close) return at + 1;
      if (close === undefined ? sign === ' ' || sign === '\t' : SPACES.test(sign) || sign === ',') {
        at += 1;
        continue;
      }
      const name = matchAt(syntax.assignment, this.#text, at);
      if (name) at = this.#value(at + name[0].length, prefix + nameOf(name), syntax);
      else if (close === undefined) return at;
      else at = endOfTerm(this.#text, at);
    }
    return at;
  }

  #value(from: number, name: string, syntax: AttributeSyntax): number {
    const start = from + /^[ \t]*/.exec(this.#text.slice(from, from + 100))![0].length;
    if (syntax.nested && this.#text[start] === '{' && depthOf(name) < MAX_DEPTH)
      return this.read(start + 1, { ...syntax, close: '}' }, `${name}-`);
    const end = matchAt(STRING, this.#text, start) ? STRING.lastIndex : undefined;
    if (end !== undefined && this.#isWhole(end, syntax)) {
      this.values.set(name, syntax.read(this.#layer, { start, end }));
      return end;
    }
    this.values.set(name, undefined);
    return this.#expression(start, syntax);
  }

  /** Whether the literal that ends here is the whole value, without an operator. */
  #isWhole(end: number, { close, assignment }: AttributeSyntax): boolean {
    const rest = this.#text.slice(end, end + 1000);
    const spaces = (close === undefined ? /^[ \t]*/ : /^\s*/).exec(rest)![0].length;
    const sign = rest[spaces];
    if (sign === undefined || sign === close || (close !== undefined && sign === ',')) return true;
    if (close === undefined) return spaces > 0 || /[\r\n]/.test(sign);
    if (close === '}') return false;
    return (
      spaces > 0 &&
      (matchAt(assignment, this.#text, end + spaces) ?? matchAt(ATTRIBUTE, this.#text, end + spaces)) !== null
    );
  }

  /** Reads an expression up to the next attribute or the end, and reports the literals in it. */
  #expression(start: number, { close, assignment }: AttributeSyntax): number {
    let at = start;
    while (at < this.#text.length) {
      const sign = this.#text[at]!;
      if (sign === close || (close !== undefined && sign === ',')) break;
      if (close === undefined ? SPACES.test(sign) : SPACES.test(sign) && this.#startsAttribute(at, assignment)) break;
      at = endOfTerm(this.#text, at);
    }
    readDynamic(this.#sink, this.#layer.part({ start, end: at }));
    return at;
  }

  #startsAttribute(space: number, assignment: RegExp): boolean {
    return matchAt(assignment, this.#text, space + 1) !== null;
  }
}

/** The end of a term: a literal, a bracketed group or one character. */
export function endOfTerm(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; ) {
    if (matchAt(STRING, text, at)) at = STRING.lastIndex;
    else {
      if (OPEN.includes(text[at]!)) depth += 1;
      else if (CLOSE.includes(text[at]!)) depth -= 1;
      at += 1;
    }
    if (depth <= 0) return at;
  }
  return text.length;
}

/** Reads the attributes of an element. @param name in lower case */
export function readElement(sink: ReferenceCollector, name: string, { values }: AttributeList): Element {
  const get = (attribute: string) => {
    const text = values.get(attribute)?.text;
    return text?.includes(UNKNOWN) ? undefined : text;
  };
  const element: Element = { name, get };
  for (const [attribute, value] of values)
    if (value && value.text !== '') readWrittenAttribute(sink, element, attribute, value);
  return element;
}

/** Reports the literals of code whose result is unknown. */
export function readDynamic(sink: ReferenceCollector, layer: EmbeddedSource): void {
  for (const { kind, quote, inner } of lexemes(layer.text, SCRIPT))
    if (kind === 'string')
      readValue(sink, layer.unescaped(inner, SCRIPT_ESCAPES, scriptString(quote)), {
        kind: 'template',
        reason: 'dynamic',
      });
}

const nameOf = (match: RegExpExecArray): string =>
  (match.slice(1).find((group) => group !== undefined) ?? '').toLowerCase();

/** Maximum nesting depth implied by a name. */
const depthOf = (name: string): number => name.split('-').length;

export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
