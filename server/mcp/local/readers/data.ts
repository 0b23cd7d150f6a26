/** Values of data files and of the front matter of pages: YAML and TOML, by their tokens alone. */
import { Lexer } from 'yaml';
import type { Range } from '../../../../engine/documents/source-text.ts';
import type { CandidateKind } from './candidate.ts';
import { crawledName } from './element.ts';
import { DATA_ESCAPES, jsonString, tomlLiteral, withoutControls, yamlSingle } from './escapes.ts';
import { imageName, namesImage } from './image-name.ts';
import { type Layer, percentEncode } from './layer.ts';
import type { Sink } from './sink.ts';
import { lexemes, TOML } from './strings.ts';
import { readValue } from './value.ts';
import { readWords } from './words.ts';

/** Of the lexer: what comes next is a plain scalar. */
const SCALAR = '\x1f';
const DOCUMENT = '\x02';

export function readYaml(sink: Sink, layer: Layer): void {
  let at = 0;
  let isScalar = false;
  /** A scalar that is a key if a colon follows. */
  let waiting: Range | undefined;
  /** Of the last key: what its value is for. */
  let kind: CandidateKind = 'data';
  const flush = () => {
    if (waiting) readScalar(sink, layer, waiting, kind);
    waiting = undefined;
  };
  for (const token of new Lexer().lex(layer.text)) {
    if (token === SCALAR || token === DOCUMENT) {
      isScalar = token === SCALAR;
      continue;
    }
    const range = { start: at, end: at + token.length };
    at = range.end;
    const [first] = token;
    if (isScalar || ((first === '"' || first === "'") && token.length > 1)) {
      flush();
      waiting = range;
    } else if (first === '#') readWords(sink, layer.part(range), 'data', 'comment');
    else if (token.trim() === ':') {
      kind = (waiting && crawledName(layer.text.slice(waiting.start, waiting.end))) ?? 'data';
      waiting = undefined;
    } else if (token.trim() !== '') flush();
    isScalar = false;
  }
  flush();
}

function readScalar(sink: Sink, layer: Layer, range: Range, kind: CandidateKind): void {
  const quote = layer.text[range.start]!;
  const inner = { start: range.start + 1, end: range.end - 1 };
  if (quote === '"') readValue(sink, layer.unescaped(inner, DATA_ESCAPES, jsonString), { kind });
  else if (quote === "'") {
    const doubled = { pattern: /''/g, read: () => "'" };
    readValue(sink, layer.unescaped(inner, doubled, yamlSingle), { kind });
  } else if (layer.text.slice(range.start, range.end).includes('\n')) {
    // Of a block, which has no escapes: the content of a page, perhaps.
    const block = layer.part(range, withoutControls);
    if (block.text.includes('<')) sink.markup(block);
  } else {
    const plain = layer.part(range);
    const whole = { start: 0, end: plain.text.length };
    if (namesImage(plain.text)) sink.add(layer.part(range, yamlPlain), whole, { kind, encode: imageName });
    else readValue(sink, layer.part(range, insideYamlPlain), { kind });
  }
}

/** A plain scalar, or one with quotes where it cannot be plain. */
function yamlPlain(text: string): string {
  const special = /^[-?:,[\]{}#&*!|>'"%@`\s]|[,[\]{}]|[^ -\uffff]|:(?:\s|$)|\s#|\s$/;
  return special.test(text) ? `"${jsonString(text)}"` : text;
}

/** A part of a plain scalar cannot have quotes. */
function insideYamlPlain(text: string): string {
  return percentEncode(withoutControls(text), /[[\]{},]|(?<=\s)#/g);
}

export function readToml(sink: Sink, layer: Layer): void {
  const { text } = layer;
  for (const { kind, quote, end, inner } of lexemes(text, TOML)) {
    if (kind === 'comment') readWords(sink, layer.part(inner), 'data', 'comment');
    // What an equals sign or a dot follows is a key.
    else if (!/^[ \t]*[=.]/.test(text.slice(end, end + 20))) {
      const value = quote.startsWith('"')
        ? layer.unescaped(inner, DATA_ESCAPES, jsonString)
        : layer.part(inner, tomlLiteral);
      readValue(sink, value, { kind: 'data' });
    }
  }
}

const FENCES: readonly (readonly [start: RegExp, end: RegExp, read: (sink: Sink, layer: Layer) => void])[] = [
  [/^\ufeff?---[ \t]*\r?\n/, /^(?:---|\.\.\.)[ \t]*\r?$/gm, readYaml],
  [/^\ufeff?\+\+\+[ \t]*\r?\n/, /^\+\+\+[ \t]*\r?$/gm, readToml],
];

/** Reads the data at the start of a page. @returns where the page itself starts */
export function readFrontMatter(sink: Sink, layer: Layer): number {
  for (const [opening, closing, read] of FENCES) {
    const start = opening.exec(layer.text)?.[0].length;
    if (start === undefined) continue;
    closing.lastIndex = start;
    const end = closing.exec(layer.text);
    if (!end) return 0;
    read(sink, layer.part({ start, end: end.index }));
    return end.index + end[0].length;
  }
  return 0;
}
