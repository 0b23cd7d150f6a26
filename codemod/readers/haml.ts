/** Reads Haml: elements by indentation, attributes as Ruby hashes or in parentheses. */
import { AttributeList, type AttributeSyntax, endOfTerm, matchAt, readElement } from './attribute-list.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { blockBelow, type Line } from './indented.ts';
import { rubyLiteral, rubyText } from './interpolated.ts';
import { readPlainText } from './plain-text.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { BLOCK_ELEMENTS, lineFrom, readLines, readRest, readText, restOfLine } from './ruby-template.ts';
import { readTextElement } from './text-element.ts';

const HASH: AttributeSyntax = {
  assignment: /(?::?"([^"\s]+)"\s*(?::|=>)|:?'([^'\s]+)'\s*(?::|=>)|:([\w-]+)\s*=>|([\w-]+):(?!:))\s*/y,
  close: '}',
  nested: true,
  read: rubyLiteral,
};
const PARENTHESES: AttributeSyntax = {
  assignment: /([\w:@.-]+)\s*=(?![=>])/y,
  close: ')',
  read: rubyLiteral,
};
const TAG = /(?:%([\w:-]+)(?:[.#][\w:-]+)*|(?:[.#][\w:-]+)+)/y;
const OUTPUT = /^[<>]*[&!~]?={1,2}/;

export function readHaml(sink: ReferenceCollector, layer: EmbeddedSource): void {
  readLines(layer, (lines, index) => readLine(sink, layer, lines, index));
}

/** @returns the index of the next line */
function readLine(sink: ReferenceCollector, layer: EmbeddedSource, lines: readonly Line[], index: number): number {
  const { first, end } = lines[index]!;
  const text = layer.text.slice(first, end);
  const below = blockBelow(lines, index);
  if (text.startsWith('-#') || /^\/(?!\[)/.test(text)) {
    readPlainText(sink, layer.part({ start: first, end: Math.max(end, below.range.end) }), 'template', 'comment');
    return below.next;
  }
  const [, filter] = /^:(\w+)/.exec(text) ?? [];
  if (filter) {
    const name = BLOCK_ELEMENTS[filter];
    if (name) readTextElement(sink, rubyText(layer.part(below.range)), { name, get: () => undefined });
    else if (filter === 'plain') readText(sink, layer, below.range);
    return below.next;
  }
  return lineFrom(lines, index, readContent(sink, layer, first, end));
}

/** @returns the end offset. Attributes may span several lines. */
function readContent(sink: ReferenceCollector, layer: EmbeddedSource, start: number, lineEnd: number): number {
  const { text } = layer;
  const tag = matchAt(TAG, text, start);
  if (!tag) {
    readRest(sink, layer, { start, end: lineEnd }, OUTPUT);
    return lineEnd;
  }
  const list = new AttributeList(sink, layer);
  let at = start + tag[0].length;
  while (/[{([]/.test(text[at] ?? '')) {
    if (text[at] === '{') at = list.read(at + 1, HASH);
    else if (text[at] === '(') at = list.read(at + 1, PARENTHESES);
    else at = endOfTerm(text, at);
  }
  readElement(sink, (tag[1] ?? 'div').toLowerCase(), list);
  const rest = restOfLine(layer, at);
  readRest(sink, layer, rest, OUTPUT);
  return rest.end;
}
