/** Finds strings and comments of C-like languages without a grammar, for text that no parser reads. */
import type { Range } from '../../web-documents/source-text.ts';

export interface Lexeme extends Range {
  kind: 'string' | 'comment';
  /** The quote of a string, possibly tripled. */
  quote: string;
  /** Range between the quotes, or of the comment's text. */
  inner: Range;
}

const DOUBLE = String.raw`"[^"\\]*(?:\\[\s\S][^"\\]*)*"?`;
const SINGLE = String.raw`'[^'\\]*(?:\\[\s\S][^'\\]*)*'?`;
const DOUBLE_LINE = String.raw`"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?`;
const SINGLE_LINE = String.raw`'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?`;
const BACKTICK = '`[^`\\\\]*(?:\\\\[\\s\\S][^`\\\\]*)*`?';
const BLOCK = String.raw`\/\*[\s\S]*?(?:\*\/|$)`;

/** PHP: strings may span several lines, and `?>` ends a line comment. */
export const PHP = new RegExp(`${BLOCK}|(?:\\/\\/|#(?!\\[))(?:(?!\\?>)[^\\n\\r])*|${DOUBLE}|${SINGLE}|\\?>`, 'g');
export const SCRIPT = new RegExp(`${BLOCK}|\\/\\/[^\\n\\r]*|${DOUBLE_LINE}|${SINGLE_LINE}|${BACKTICK}`, 'g');
export const TOML = new RegExp(
  `#[^\\n\\r]*|"""[^"\\\\]*(?:(?:\\\\[\\s\\S]|"(?!""))[^"\\\\]*)*(?:"""|$)|'''[^']*(?:'(?!'')[^']*)*(?:'''|$)|${DOUBLE_LINE}|'[^'\\n]*'?`,
  'g',
);
const HASH = String.raw`#[^\n\r]*`;
export const PYTHON = new RegExp(
  `${HASH}|"""[\\s\\S]*?(?:"""|$)|'''[\\s\\S]*?(?:'''|$)|${DOUBLE_LINE}|${SINGLE_LINE}`,
  'g',
);
/** Ruby: block comments start and end at a line start. */
export const RUBY = new RegExp(
  `(?<![^\\n])=begin\\b[\\s\\S]*?(?:\\n=end\\b|$)|${HASH}|${DOUBLE_LINE}|${SINGLE_LINE}`,
  'g',
);
export const GO = new RegExp(`${BLOCK}|\\/\\/[^\\n\\r]*|${DOUBLE_LINE}|${SINGLE_LINE}|\`[^\`]*\`?`, 'g');
export const JAVA = new RegExp(`${BLOCK}|\\/\\/[^\\n\\r]*|"""[\\s\\S]*?(?:"""|$)|${DOUBLE_LINE}|${SINGLE_LINE}`, 'g');
/** Strings in the tags of template languages. */
export const TEMPLATE = new RegExp(`${DOUBLE_LINE}|${SINGLE_LINE}`, 'g');

/** @param pattern one of the patterns above @param from start offset */
export function* lexemes(text: string, pattern: RegExp, from = 0): Generator<Lexeme> {
  const scan = new RegExp(pattern);
  scan.lastIndex = from;
  for (let match = scan.exec(text); match; match = scan.exec(text)) {
    const lexeme = lexemeOf(match[0], match.index);
    if (lexeme) yield lexeme;
  }
}

function lexemeOf(whole: string, start: number): Lexeme | undefined {
  const end = start + whole.length;
  const [first] = whole;
  if (first === '/' || first === '#') {
    const closed = whole.startsWith('/*') && whole.endsWith('*/') && whole.length >= 4;
    const opening = first === '#' ? 1 : 2;
    return { kind: 'comment', quote: '', start, end, inner: { start: start + opening, end: closed ? end - 2 : end } };
  }
  if (first !== '"' && first !== "'" && first !== '`') return undefined;
  const quote = whole.startsWith(first.repeat(3)) && whole.length >= 6 ? first.repeat(3) : first;
  // An unclosed string is not a string.
  if (whole.length < 2 * quote.length || !whole.endsWith(quote)) return undefined;
  return { kind: 'string', quote, start, end, inner: { start: start + quote.length, end: end - quote.length } };
}

/** Whether the operator that joins strings is directly before `start` or after `end`. */
export function isJoined(text: string, start: number, end: number, operator: string): boolean {
  let before = start - 1;
  while (before >= 0 && isSpace(text, before)) before--;
  let after = end;
  while (after < text.length && isSpace(text, after)) after++;
  return text[before] === operator || text[after] === operator;
}

const isSpace = (text: string, at: number): boolean => text.charCodeAt(at) <= 0x20;
