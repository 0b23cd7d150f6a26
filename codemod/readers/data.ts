/** Reads values of YAML and TOML data files and of front matter, from their tokens. */
import { Lexer } from 'yaml';
import type { Range } from '../../web-documents/source-text.ts';
import type { CandidateKind } from './candidate.ts';
import { crawledName } from './element.ts';
import { type EmbeddedSource, percentEncode } from './embedded-source.ts';
import { DATA_ESCAPES, jsonString, tomlLiteral, withoutControls, yamlSingle } from './escapes.ts';
import { encodeImageName, namesImage } from './image-name.ts';
import { readPlainText } from './plain-text.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { lexemes, TOML } from './strings.ts';
import { readValue } from './value.ts';

/** Lexer token: a plain scalar follows. */
const SCALAR = '\x1f';
const DOCUMENT = '\x02';

export function readYaml(sink: ReferenceCollector, layer: EmbeddedSource): void {
  let at = 0;
  let isScalar = false;
  /** A scalar that turns out to be a key if a colon follows. */
  let waiting: Range | undefined;
  /** Kind of the current value, from the last key. */
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
    } else if (first === '#') readPlainText(sink, layer.part(range), 'data', 'comment');
    else if (token.trim() === ':') {
      kind = (waiting && crawledName(layer.text.slice(waiting.start, waiting.end))) ?? 'data';
      waiting = undefined;
    } else if (token.trim() !== '') flush();
    isScalar = false;
  }
  flush();
}

function readScalar(sink: ReferenceCollector, layer: EmbeddedSource, range: Range, kind: CandidateKind): void {
  const quote = layer.text[range.start]!;
  const inner = { start: range.start + 1, end: range.end - 1 };
  if (quote === '"') readValue(sink, layer.unescaped(inner, DATA_ESCAPES, jsonString), { kind });
  else if (quote === "'") {
    const doubled = { pattern: /''/g, read: () => "'" };
    readValue(sink, layer.unescaped(inner, doubled, yamlSingle), { kind });
  } else if (layer.text.slice(range.start, range.end).includes('\n')) {
    // A block scalar has no escapes. It may contain HTML content.
    const block = layer.part(range, withoutControls);
    if (block.text.includes('<')) sink.markup(block);
  } else {
    const plain = layer.part(range, yamlPlain);
    if (namesImage(plain.text)) sink.add(plain, { kind, encode: encodeImageName });
    else readValue(sink, layer.part(range, insideYamlPlain), { kind });
  }
}

/** Writes a plain scalar, or a quoted one if it cannot be plain. */
function yamlPlain(text: string): string {
  const special = /^[-?:,[\]{}#&*!|>'"%@`\s]|[,[\]{}]|[^ -\uffff]|:(?:\s|$)|\s#|\s$/;
  return special.test(text) ? `"${jsonString(text)}"` : text;
}

/** Percent-encodes special characters, since a part of a plain scalar cannot be quoted. */
const insideYamlPlain = (text: string): string => percentEncode(withoutControls(text), /[[\]{},]|(?<=\s)#/g);

export function readToml(sink: ReferenceCollector, layer: EmbeddedSource): void {
  const { text } = layer;
  for (const { kind, quote, end, inner } of lexemes(text, TOML)) {
    if (kind === 'comment') readPlainText(sink, layer.part(inner), 'data', 'comment');
    // A string before an equals sign or a dot is a key.
    else if (!/^[ \t]*[=.]/.test(text.slice(end, end + 20))) {
      const value = quote.startsWith('"')
        ? layer.unescaped(inner, DATA_ESCAPES, jsonString)
        : layer.part(inner, tomlLiteral);
      readValue(sink, value, { kind: 'data' });
    }
  }
}

const FENCES: readonly (readonly [
  start: RegExp,
  end: RegExp,
  read: (sink: ReferenceCollector, layer: EmbeddedSource) => void,
])[] = [
  [/^\ufeff?---[ \t]*\r?\n/, /^(?:---|\.\.\.)[ \t]*\r?$/gm, readYaml],
  [/^\ufeff?\+\+\+[ \t]*\r?\n/, /^\+\+\+[ \t]*\r?$/gm, readToml],
];

/** Reads the front matter of a page. @returns the offset where the page content starts */
export function readFrontMatter(sink: ReferenceCollector, layer: EmbeddedSource): number {
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
