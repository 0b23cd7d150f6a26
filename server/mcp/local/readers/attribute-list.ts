/** Lists of attributes as Pug, Haml and Slim write them: names with values that are literals or expressions. */
import type { Range } from '../../../../engine/documents/source-text.ts';
import { readWrittenAttribute } from './bound.ts';
import type { Element } from './element.ts';
import { SCRIPT_ESCAPES, scriptString } from './escapes.ts';
import { type Layer, UNKNOWN } from './layer.ts';
import type { Sink } from './sink.ts';
import { lexemes, SCRIPT } from './strings.ts';
import { readValue } from './value.ts';

export interface AttributeSyntax {
  /** Sticky: a name and what gives it a value. The name is its first group that has matched. */
  assignment: RegExp;
  /** What closes the list; undefined where the end of the line does. */
  close?: string;
  /** A value in braces is a list of its own, whose names follow that of the attribute: `data: { src: 'a.png' }`. */
  nested?: boolean;
  /** What a literal says. @param range with its quotes */
  read(layer: Layer, range: Range): Layer;
}

/** By names in lower case. Those that are expressions have no value. */
type Values = Map<string, Layer | undefined>;

const STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^'\\]*(?:\\[\s\S][^'\\]*)*'|`[^`\\]*(?:\\[\s\S][^`\\]*)*`/y;
const MAX_DEPTH = 20;
const OPEN = '([{';
const CLOSE = ')]}';
const SPACES = /\s/;
/** After a literal and a space: another attribute, and no operator that is a word. */
const ATTRIBUTE = /(?!(?:if|unless|or|and|in|instanceof)\b)[\w:@*#([-]/y;

export class AttributeList {
  readonly #sink: Sink;
  readonly #layer: Layer;
  readonly #text: string;
  readonly values: Values = new Map();

  /** @param end of what is read: nothing that is open goes on behind it */
  constructor(sink: Sink, layer: Layer, end = layer.text.length) {
    this.#sink = sink;
    this.#layer = layer;
    this.#text = layer.text.slice(0, end);
  }

  /** @param start after what opens the list @returns where it ends */
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
    if (syntax.nested && this.#text[start] === '{' && prefixed(name) < MAX_DEPTH)
      return this.read(start + 1, { ...syntax, close: '}' }, `${name}-`);
    const end = matchAt(STRING, this.#text, start) ? STRING.lastIndex : undefined;
    if (end !== undefined && this.#isWhole(end, syntax)) {
      this.values.set(name, syntax.read(this.#layer, { start, end }));
      return end;
    }
    this.values.set(name, undefined);
    return this.#expression(start, syntax);
  }

  /** Whether nothing is done with the literal that ends here. */
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

  /** Up to the next attribute or the end; literals in it are reported. */
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

/** Past a literal, what is in brackets, or one character. */
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
export function readElement(sink: Sink, name: string, { values }: AttributeList): Element {
  const get = (attribute: string) => {
    const text = values.get(attribute)?.text;
    return text?.includes(UNKNOWN) ? undefined : text;
  };
  const element: Element = { name, get };
  for (const [attribute, value] of values)
    if (value && value.text !== '') readWrittenAttribute(sink, element, attribute, value);
  return element;
}

/** Literals of code whose result is not known. */
export function readDynamic(sink: Sink, layer: Layer): void {
  for (const { kind, quote, inner } of lexemes(layer.text, SCRIPT))
    if (kind === 'string')
      readValue(sink, layer.unescaped(inner, SCRIPT_ESCAPES, scriptString(quote)), {
        kind: 'template',
        reason: 'dynamic',
      });
}

function nameOf(match: RegExpExecArray): string {
  return (match.slice(1).find((group) => group !== undefined) ?? '').toLowerCase();
}

/** How many lists are around it, at most. */
function prefixed(name: string): number {
  return name.split('-').length;
}

export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
