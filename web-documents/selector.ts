/** Reads which names a page must have for a selector of a style sheet to match (Selectors 4). */
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { resolveEscapes } from './css-escapes.ts';
import { nameNumber, type RequiredNames } from './names.ts';

/** Selectors beyond these limits are assumed to match. */
const MAX_ALTERNATIVES = 20;
const MAX_REQUIRED_NAMES = 4;
const MAX_SELECTOR_LENGTH = 10_000;
/** Pseudo-classes that never match when a page is loaded. */
const INTERACTION_PSEUDO_CLASSES: ReadonlySet<string> = new Set([
  'hover',
  'active',
  'focus',
  'focus-visible',
  'focus-within',
  'target',
]);

const { Ident, Hash, Delim, Colon, Comma } = tokenTypes;
const { LeftParenthesis, RightParenthesis, LeftSquareBracket, RightSquareBracket } = tokenTypes;
const OPENING: ReadonlySet<number> = new Set([tokenTypes.Function, LeftParenthesis, LeftSquareBracket]);
const CLOSING: ReadonlySet<number> = new Set([RightParenthesis, RightSquareBracket]);

/** The names that a selector needs; undefined if it may match on any page. */
export function neededNames(selector: string): RequiredNames | undefined {
  if (selector.length > MAX_SELECTOR_LENGTH) return undefined;
  const alternatives: { names: number[]; isLater: boolean }[] = [{ names: [], isLater: false }];
  let depth = 0;
  /** Kind of the identifier that follows. */
  let mark = '';
  let isNamespaced = false;
  tokenize(selector, (type, start, end) => {
    if (OPENING.has(type)) depth++;
    else if (CLOSING.has(type)) depth--;
    else if (depth === 0) {
      const current = alternatives.at(-1)!;
      const text = resolveEscapes(selector.slice(start, end));
      if (type === Comma) alternatives.push({ names: [], isLater: false });
      else if (type === Hash) current.names.push(nameNumber(text));
      else if (type === Ident && mark === ':') current.isLater ||= INTERACTION_PSEUDO_CLASSES.has(text.toLowerCase());
      else if (type === Ident) current.names.push(nameNumber(mark + text));
      if (type === Delim && text === '|') isNamespaced = true;
      mark = type === Colon ? ':' : type === Delim && text === '.' ? '.' : '';
      return;
    }
    mark = '';
  });
  const now = alternatives.filter(({ isLater }) => !isLater);
  if (isNamespaced || alternatives.length > MAX_ALTERNATIVES) return undefined;
  // A subset of the needed names is still a necessary condition.
  const needed = now.map(({ names }) => names.slice(0, MAX_REQUIRED_NAMES));
  return needed.some((names) => names.length === 0) ? undefined : needed;
}
