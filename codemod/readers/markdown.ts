/**
 * Reads Markdown and MDX without building a tree: images, links to images, reference definitions and markup. Code
 * blocks and code spans are found by the rules of CommonMark. Nested emphasis is not resolved, because it does not move
 * addresses.
 */
import { hasImageExtension } from '../../web-documents/address.ts';
import type { Range } from '../../web-documents/source-text.ts';
import type { CandidateKind } from './candidate.ts';
import { readFrontMatter } from './data.ts';
import {
  type EmbeddedSource,
  type Encode,
  type Escapes,
  matchedRanges,
  percentEncode,
  withUnknown,
} from './embedded-source.ts';
import { withoutSpaces } from './escapes.ts';
import { type MarkupSyntax, readMarkup } from './markup.ts';
import { readPlainText } from './plain-text.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { readScript } from './script.ts';
import { lexemes, TEMPLATE } from './strings.ts';
import { withoutTemplateTags } from './template.ts';
import { readValue } from './value.ts';

export function readMarkdown(sink: ReferenceCollector, layer: EmbeddedSource): void {
  readText(sink, layer, false);
}

export function readMdx(sink: ReferenceCollector, layer: EmbeddedSource): void {
  readText(sink, layer, true);
}

function readText(sink: ReferenceCollector, layer: EmbeddedSource, mdx: boolean): void {
  const start = readFrontMatter(sink, layer);
  const body = layer.part({ start, end: layer.text.length }, (text) => percentEncode(text, /`/g), true);
  const { code, scripts } = blocksOf(body.text, mdx);
  for (const range of scripts) readScript(sink, body.part(range), 'tsx');
  const spans = codeSpans(withBlanks(body.text, [...code, ...scripts]));
  // Code is read in the same way, but its references are only reported.
  for (const range of [...code, ...spans]) {
    sink.within('code_block', () => readProse(sink, body.part(range), { braces: 'plain' }));
    readPlainText(sink, body.part(range), 'string', 'code_block');
  }
  const visible = body.reading(withBlanks(body.text, [...code, ...scripts, ...spans]));
  const known = mdx ? visible : withoutTemplateTags(sink, withoutShortcodes(sink, visible), 'tags');
  readProse(sink, known, mdx ? { braces: 'plain' } : {});
}

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;

function readProse(sink: ReferenceCollector, layer: EmbeddedSource, syntax: MarkupSyntax): void {
  readMarkup(sink, layer, syntax);
  const comments = matchedRanges(layer.text, COMMENT);
  for (const range of comments) {
    const comment = layer.part(range, (text) => percentEncode(text, />/g));
    sink.within('comment', () => readLinks(sink, comment));
  }
  const visible = comments.length > 0 ? layer.reading(withBlanks(layer.text, comments)) : layer;
  readLinks(sink, visible);
  readDefinitions(sink, visible);
}

// Blocks

interface Blocks {
  code: Range[];
  /** Imports and exports of MDX. */
  scripts: Range[];
}

const LINE = /[^\r\n]*(?:\r\n|\r|\n|$)/y;
const FENCE = /^(`{3,}|~{3,})([^\r\n]*)/;
const LIST_ITEM = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/;
const SCRIPT_LINE = /^(?:import|export)\b[^\n]/;

/** Finds the ranges of code blocks, without fences, and of scripts. */
function blocksOf(text: string, mdx: boolean): Blocks {
  const blocks: Blocks = { code: [], scripts: [] };
  /** Indentation of the content of each open list item. */
  const items: number[] = [];
  let fence: { sign: string; length: number; quotes: number; start: number } | undefined;
  let indentedStart: number | undefined;
  let indentedEnd = 0;
  let script: number | undefined;
  let inParagraph = false;
  const endIndented = () => {
    if (indentedStart !== undefined) blocks.code.push({ start: indentedStart, end: indentedEnd });
    indentedStart = undefined;
  };
  for (let start = 0, end = 0; start < text.length; start = end) {
    LINE.lastIndex = start;
    LINE.exec(text);
    end = LINE.lastIndex;
    const line = new Line(text.slice(start, end).trimEnd());
    if (fence) {
      const quotes = line.takeQuotes(fence.quotes);
      line.takeSpaces();
      const rest = line.rest;
      const closes = rest.length >= fence.length && /^(`+|~+)$/.test(rest) && rest[0] === fence.sign;
      if (!closes && quotes === fence.quotes) continue;
      blocks.code.push({ start: fence.start, end: start });
      fence = undefined;
      if (closes) continue;
      line.reset();
    }
    if (script !== undefined) {
      if (!line.isBlank) continue;
      blocks.scripts.push({ start: script, end: start });
      script = undefined;
    }
    if (line.isBlank) {
      inParagraph = false;
      continue;
    }
    if (mdx && items.length === 0 && !inParagraph && SCRIPT_LINE.test(line.rest)) {
      endIndented();
      script = start;
      continue;
    }
    const quotes = line.takeQuotes(Number.POSITIVE_INFINITY);
    line.takeSpaces();
    if (!inParagraph || quotes > 0) while (items.length > 0 && line.column < items.at(-1)!) items.pop();
    const base = items.at(-1) ?? 0;
    if (!mdx && !inParagraph && line.column - base >= 4 && quotes === 0) {
      indentedStart ??= start;
      indentedEnd = end;
      continue;
    }
    endIndented();
    for (
      let item = LIST_ITEM.exec(line.rest);
      item && items.length < MAX_LIST_DEPTH;
      item = LIST_ITEM.exec(line.rest)
    ) {
      while (items.length > 0 && line.column < items.at(-1)!) items.pop();
      line.take(item[0].length);
      const before = line.column;
      line.takeSpaces();
      items.push(line.column - before > 4 || line.rest === '' ? before + 1 : line.column);
      inParagraph = false;
    }
    const [, signs, info] = FENCE.exec(line.rest) ?? [];
    if (signs !== undefined && !(signs.startsWith('`') && info!.includes('`'))) {
      fence = { sign: signs[0]!, length: signs.length, quotes, start: end };
      inParagraph = false;
    } else inParagraph = !/^(?:#{1,6}(?:\s|$)|(?:[-*_][ \t]*){3,}$)/.test(line.rest.slice(0, 200));
  }
  endIndented();
  if (fence) blocks.code.push({ start: fence.start, end: text.length });
  if (script !== undefined) blocks.scripts.push({ start: script, end: text.length });
  return blocks;
}

const MAX_LIST_DEPTH = 100;

/** A line that is consumed from its start. Tabs advance to the next multiple of four. */
class Line {
  readonly #text: string;
  #at = 0;
  column = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isBlank(): boolean {
    return this.#text.trim() === '';
  }

  get rest(): string {
    return this.#text.slice(this.#at);
  }

  reset(): void {
    this.#at = 0;
    this.column = 0;
  }

  take(characters: number): void {
    this.#at += characters;
    this.column += characters;
  }

  takeSpaces(): void {
    for (; this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t'; this.#at++)
      this.column += this.#text[this.#at] === '\t' ? 4 - (this.column % 4) : 1;
  }

  /** @returns the number of block quote markers consumed */
  takeQuotes(most: number): number {
    let quotes = 0;
    while (quotes < most) {
      const marker = /^ {0,3}>/.exec(this.#text.slice(this.#at, this.#at + 5));
      if (!marker) break;
      this.take(marker[0].length);
      quotes++;
    }
    return quotes;
  }
}

/** Replaces ranges by spaces, keeping line ends. */
function withBlanks(text: string, ranges: readonly Range[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    if (start < at) continue;
    parts.push(text.slice(at, start), text.slice(start, end).replace(/[^\r\n]/g, ' '));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

// Inlines

const BACKTICKS = /\\`|`+|\n[ \t]*\r?\n/g;

/** Finds code spans: text between backtick runs of equal length in one paragraph. */
function codeSpans(text: string): Range[] {
  const spans: Range[] = [];
  let runs: Range[] = [];
  for (const { 0: found, index } of text.matchAll(BACKTICKS)) {
    if (found.startsWith('`')) runs.push({ start: index, end: index + found.length });
    else if (found.startsWith('\n')) {
      addSpans(runs, spans);
      runs = [];
    }
  }
  addSpans(runs, spans);
  return spans;
}

function addSpans(runs: readonly Range[], spans: Range[]): void {
  /** For each run, the index of the next run with the same length. Filled from the end. */
  const next: (number | undefined)[] = new Array(runs.length);
  const latest = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index--) {
    const length = runs[index]!.end - runs[index]!.start;
    next[index] = latest.get(length);
    latest.set(length, index);
  }
  for (let index = 0; index < runs.length; index++) {
    const closing = next[index];
    if (closing === undefined) continue;
    if (runs[closing]!.start > runs[index]!.end) spans.push({ start: runs[index]!.end, end: runs[closing]!.start });
    index = closing;
  }
}

const ESCAPES: Escapes = {
  pattern: /\\([!-/:-@[-`{-~])|&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot));/gi,
  read: ([whole, character, hex, decimal, name]) => {
    if (character !== undefined) return character;
    if (name !== undefined) return { amp: '&', lt: '<', gt: '>', quot: '"' }[name.toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  },
};

const MARKUP_SIGNS = /[<>`]/g;
/** Escapes what would be read as an escape or a character reference. */
const written = (text: string) => text.replace(/\\(?=[!-/:-@[-`{-~])|&(?=#?\w{1,31};)/g, '\\$&');

const bareDestination: Encode = (text) =>
  written(percentEncode(withoutSpaces(text), MARKUP_SIGNS)).replace(/[()]/g, '\\$&');
const anglesDestination: Encode = (text) => written(percentEncode(text, /[<>`]|[^ -\uffff]/g));

/** Maximum nesting of parentheses in a destination. */
const MAX_PARENTHESES = 32;

/** Reads `![...](address)` and links to images. */
function readLinks(sink: ReferenceCollector, layer: EmbeddedSource): void {
  const { text } = layer;
  /** The open brackets: true for those of an image. */
  let open: boolean[] = [];
  const SIGNS = /\\[\s\S]|!?\[|\]\(?|\n[ \t]*\r?\n/g;
  for (let sign = SIGNS.exec(text); sign; sign = SIGNS.exec(text)) {
    const [found] = sign;
    if (found.startsWith('\\')) continue;
    if (found.endsWith('[')) open.push(found.startsWith('!'));
    else if (found.startsWith('\n')) open = [];
    else {
      const isImage = open.pop();
      if (isImage === undefined || found === ']') continue;
      const destination = destinationAt(text, SIGNS.lastIndex);
      if (!destination) continue;
      readDestination(sink, layer, destination, isImage ? 'img_src' : 'linked_image', !isImage);
      SIGNS.lastIndex = destination.after;
    }
  }
}

interface Destination extends Range {
  inAngles: boolean;
  after: number;
}

/** @param named whether to accept only addresses with an image extension */
function readDestination(
  sink: ReferenceCollector,
  layer: EmbeddedSource,
  { start, end, inAngles }: Destination,
  kind: CandidateKind,
  named: boolean,
): void {
  const address = layer.unescaped({ start, end }, ESCAPES, inAngles ? anglesDestination : bareDestination);
  if (!named || hasImageExtension(address.text)) sink.add(address, { kind });
}

const SPACES = /[ \t]*(?:\r?\n[ \t]*)?/y;
const ANGLES = /<((?:[^<>\\\r\n]|\\.)*)>/y;

/** @param from offset after the preceding bracket or colon */
function destinationAt(text: string, from: number, isDefinition = false): Destination | undefined {
  SPACES.lastIndex = from;
  SPACES.exec(text);
  const start = SPACES.lastIndex;
  if (text[start] === '<') {
    ANGLES.lastIndex = start;
    const angles = ANGLES.exec(text);
    if (!angles || angles[1] === '') return undefined;
    return { start: start + 1, end: start + 1 + angles[1]!.length, inAngles: true, after: ANGLES.lastIndex };
  }
  let depth = 0;
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20 || code === 0x7f) break;
    if (text[at] === '\\') at++;
    else if (text[at] === '(') depth++;
    else if (text[at] === ')') {
      if (depth === 0 && !isDefinition) break;
      depth--;
    }
    if (depth > MAX_PARENTHESES) return undefined;
  }
  at = Math.min(at, text.length);
  if (at === start) return undefined;
  // After the destination comes the closing parenthesis or a title.
  SPACES.lastIndex = at;
  SPACES.exec(text);
  const next = text[SPACES.lastIndex];
  if (!isDefinition && (next === undefined || !`)"'(`.includes(next) || depth !== 0)) return undefined;
  return { start, end: at, inAngles: false, after: at };
}

const DEFINITION = /^[ \t>]*(?:[-+*] +)?\[(?!\^)((?:[^[\]\\\r\n]|\\.){1,999})\]:/gm;

/** Reads definitions `[name]: address`. Whether an image uses them is not checked. */
function readDefinitions(sink: ReferenceCollector, layer: EmbeddedSource): void {
  for (const { 0: label, index } of layer.text.matchAll(DEFINITION)) {
    const destination = destinationAt(layer.text, index + label.length, true);
    if (destination) readDestination(sink, layer, destination, 'img_src', true);
  }
}

// Shortcodes

const SHORTCODE = /\{\{[<%][^{}]{0,5000}[>%]\}\}/g;

/** Reads the literals in the parameters of Hugo shortcodes and blanks the shortcodes. */
function withoutShortcodes(sink: ReferenceCollector, layer: EmbeddedSource): EmbeddedSource {
  const found = matchedRanges(layer.text, SHORTCODE);
  for (const range of found) {
    const part = layer.part(range);
    for (const { inner, quote } of lexemes(part.text, TEMPLATE))
      readValue(
        sink,
        part.part(inner, (text) => percentEncode(text, quote === '"' ? /["\\\n]/g : /['\\\n]/g)),
        { kind: 'string' },
      );
  }
  return layer.reading(withUnknown(layer.text, found));
}
