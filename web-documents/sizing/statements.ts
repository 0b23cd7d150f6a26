/**
 * Reads the blocks and statements of a style sheet. Works on tokens only: nothing recurses, and the time is linear in
 * the length of the text.
 */
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { resolveEscapes } from '../css-escapes.ts';

const { Semicolon, LeftCurlyBracket, RightCurlyBracket, LeftParenthesis, RightParenthesis } = tokenTypes;
const { LeftSquareBracket, RightSquareBracket, WhiteSpace, Comment, CDO, CDC } = tokenTypes;
const OPENING: ReadonlySet<number> = new Set([tokenTypes.Function, LeftParenthesis, LeftSquareBracket]);
const CLOSING: ReadonlySet<number> = new Set([RightParenthesis, RightSquareBracket]);
const SKIPPED: ReadonlySet<number> = new Set([WhiteSpace, Comment, CDO, CDC]);
const COMMENTS = /\/\*[\s\S]*?(?:\*\/|$)/g;
/** A name with its escapes, a colon, a value. */
const DECLARATION = /^((?:\\[0-9a-f]{1,6}\s?|\\.|[-\w]|[^\p{ASCII}])+)\s*:([\s\S]*)$/iu;

/** Receives the parts of a style sheet in order. Texts are trimmed; each comment in them is replaced by a space. */
export interface StatementHandler {
  /** @param prelude selectors, or an at-rule */
  open(prelude: string): void;
  /**
   * A statement that ends at a semicolon, a bracket or the end of the text. It may be empty, and may be outside of
   * blocks.
   */
  statement(text: string): void;
  /** Also called if no block is open. */
  close(): void;
}

/** Reads a style sheet. Blocks still open at the end are not closed. */
export function readStatements(css: string, handler: StatementHandler): void {
  /** Start of the statement; -1 before its first token. */
  let first = -1;
  /** Number of open parentheses in the statement. */
  let depth = 0;
  const take = (end: number) => {
    const text = first < 0 ? '' : css.slice(first, end).replace(COMMENTS, ' ').trim();
    first = -1;
    depth = 0;
    return text;
  };
  tokenize(css, (type, start) => {
    if (SKIPPED.has(type) && first < 0) return;
    if (type === LeftCurlyBracket) handler.open(take(start));
    else if (type === RightCurlyBracket) {
      handler.statement(take(start));
      handler.close();
    } else if (type === Semicolon && depth === 0) handler.statement(take(start));
    else {
      if (first < 0) first = start;
      if (OPENING.has(type)) depth += 1;
      else if (CLOSING.has(type)) depth = Math.max(0, depth - 1);
    }
  });
  handler.statement(take(css.length));
}

/**
 * Parses a declaration to its name in lower case and its value, both with escapes resolved. Undefined if the statement
 * is no declaration.
 */
export function parseDeclaration(statement: string): { name: string; value: string } | undefined {
  const [, name, value] = DECLARATION.exec(statement) ?? [];
  return name === undefined ? undefined : { name: resolveEscapes(name).toLowerCase(), value: resolveEscapes(value!) };
}
