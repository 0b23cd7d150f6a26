/** The blocks and statements of a style sheet, from its tokens alone: nothing recurses, and any text takes time by its length. */
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

/** Receives the parts of a style sheet in their order. Texts are trimmed; each comment in them is replaced by a space. */
export interface StatementHandler {
  /** @param prelude selectors, or an at-rule */
  open(prelude: string): void;
  /** A statement that ends at a semicolon, a bracket or the end of the text; it may be empty, and may lie outside of blocks. */
  statement(text: string): void;
  /** Also without a block that is open. */
  close(): void;
}

/** Blocks that are still open at the end are not closed. */
export function readStatements(css: string, handler: StatementHandler): void {
  /** Of the statement; -1 before its first token. */
  let first = -1;
  /** Parentheses that are open in the statement. */
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

/** Name in lower case and value of a declaration, without escapes; undefined for what is none. */
export function parseDeclaration(statement: string): { name: string; value: string } | undefined {
  const [, name, value] = DECLARATION.exec(statement) ?? [];
  return name === undefined ? undefined : { name: resolveEscapes(name).toLowerCase(), value: resolveEscapes(value!) };
}
