/** Reads Slim: elements by indentation, attributes as in HTML, with Ruby values. */
import { AttributeList, type AttributeSyntax, matchAt, readElement } from './attribute-list.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { blockBelow, type Line } from './indented.ts';
import { rubyText, slimLiteral } from './interpolated.ts';
import { LANGUAGES, readLiterals } from './literals.ts';
import { readPlainText } from './plain-text.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { BLOCK_ELEMENTS, lineFrom, readLines, readRest, readText, restOfLine } from './ruby-template.ts';
import { readTextElement } from './text-element.ts';

const ATTRIBUTES: AttributeSyntax = { assignment: /([\w:@.-]+)\s*==?(?![=>])/y, read: slimLiteral };
const WRAPPERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const TAG = /(?:([A-Za-z][\w-]*(?::[\w-]+)*)(?:[.#][\w-]+)*|(?:[.#][\w-]+)+)/y;
const OUTPUT = /^[ \t]*==?/;

/** Maximum nesting of tags on one line. */
const MAX_DEPTH = 50;

export function readSlim(sink: ReferenceCollector, layer: EmbeddedSource): void {
  readLines(layer, (lines, index) => readLine(sink, layer, lines, index));
}

/** @returns the index of the next line */
function readLine(sink: ReferenceCollector, layer: EmbeddedSource, lines: readonly Line[], index: number): number {
  const { first, end } = lines[index]!;
  const text = layer.text.slice(first, end);
  const below = blockBelow(lines, index);
  const block = { start: first + 1, end: Math.max(end, below.range.end) };
  if (text.startsWith('/')) {
    readPlainText(sink, layer.part(block), 'template', 'comment');
    return below.next;
  }
  if (/^[|']/.test(text)) {
    readText(sink, layer, block);
    return below.next;
  }
  const [, engine] = /^(\w+):[ \t]*$/.exec(text) ?? [];
  if (engine) {
    const name = BLOCK_ELEMENTS[engine];
    const part = layer.part(below.range);
    if (name) readTextElement(sink, rubyText(part), { name, get: () => undefined });
    else if (engine === 'ruby') readLiterals(sink, part, LANGUAGES.ruby, { kind: 'string' });
    return below.next;
  }
  return lineFrom(lines, index, readContent(sink, layer, first, end));
}

/** @returns the end offset. Attributes in brackets may span several lines. */
function readContent(
  sink: ReferenceCollector,
  layer: EmbeddedSource,
  start: number,
  lineEnd: number,
  depth = 0,
): number {
  const { text } = layer;
  const tag = matchAt(TAG, text, start);
  if (!tag) {
    readRest(sink, layer, { start, end: lineEnd }, OUTPUT);
    return lineEnd;
  }
  const from = start + tag[0].length + /^[<>]*/.exec(text.slice(start + tag[0].length, lineEnd))![0].length;
  const close = WRAPPERS[text[from] ?? ''];
  const list = new AttributeList(sink, layer, close ? text.length : lineEnd);
  const plain = close ? list.read(from + 1, { ...ATTRIBUTES, close }) : list.read(from, ATTRIBUTES);
  readElement(sink, (tag[1] ?? 'div').toLowerCase(), list);
  const { end } = restOfLine(layer, plain);
  const [colon] = /^[ \t]*:[ \t]+/.exec(text.slice(plain, end)) ?? [];
  if (colon !== undefined && depth < MAX_DEPTH) return readContent(sink, layer, plain + colon.length, end, depth + 1);
  readRest(sink, layer, { start: plain, end }, OUTPUT);
  return end;
}
