/**
 * Parses selectors (Selectors 4, CSS Nesting and what preprocessors add) into compounds: what each says about the type,
 * the names and the position of its element. Works on tokens, so it reads broken selectors as far as possible.
 */
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { resolveEscapes } from './css-escapes.ts';
import { nameNumber } from './names.ts';
import { STATE_CLASS } from './sizing/selectors.ts';

const MAX_ALTERNATIVES = 1000;
const MAX_FUNCTIONS = 20;

/** Stands for text that a preprocessor inserts. A Unicode noncharacter, so no text contains it. */
export const UNKNOWN = '\ufdd0';

const STRUCTURAL = /^(?:(?:first|last|only)-(?:child|of-type)|nth-(?:last-)?(?:child|of-type))$/;
/** Pseudo-classes whose arguments describe the element itself. */
const SAME_ELEMENT: ReadonlySet<string> = new Set(['is', 'where', 'matches', 'any', '-webkit-any', '-moz-any', 'not']);

const { Ident, Hash, Delim, Colon, Comma, WhiteSpace, Comment } = tokenTypes;
const { LeftParenthesis, RightParenthesis, LeftSquareBracket, RightSquareBracket } = tokenTypes;
const FunctionToken = tokenTypes.Function;

/** The part between two combinators. */
export interface Compound {
  /** `+` stands for both sibling combinators. */
  before: '' | ' ' | '>' | '+';
  type: string | undefined;
  names: number[];
  /** Whether it has a class, an id or an attribute, which a new `picture` lacks. */
  isNarrow: boolean;
  isStructural: boolean;
  hasPseudo: boolean;
  /** Whether it contains `&`, the enclosing rule (CSS Nesting). */
  isNesting: boolean;
  isEmpty: boolean;
  /** From `:is()` and `:not()`: the only types that the element may have, and types that it does not have. */
  types: ReadonlySet<string> | undefined;
  notTypes: ReadonlySet<string>;
}

export type Alternative = readonly Compound[];

const NO_TYPES: ReadonlySet<string> = new Set();

/**
 * Parses a selector.
 * @returns the alternatives of the rule as `own`; with those inside its functions as `all`; undefined if there are too
 * many
 */
export function parseSelector(
  text: string,
  around: readonly Alternative[] | undefined,
): { own: Alternative[]; all: Alternative[] } | undefined {
  const parser = new SelectorParser(text);
  const own = parser.list(0).filter((alternative) => !alternative.every(({ isEmpty }) => isEmpty));
  const whole = around ? own.flatMap((alternative) => nested(alternative, around)) : own;
  const all = [...whole, ...parser.inner];
  return all.length > MAX_ALTERNATIVES || parser.isTooDeep ? undefined : { own: whole, all };
}

/** Replaces `&` with the subject of the enclosing rule, or puts the enclosing rule in front. */
function nested(alternative: Alternative, around: readonly Alternative[]): Alternative[] {
  const hasNesting = alternative.some(({ isNesting }) => isNesting);
  return around.slice(0, MAX_ALTERNATIVES + 1).map((outer) => {
    if (hasNesting)
      return alternative.flatMap((each, index) => {
        if (!each.isNesting) return [each];
        // If `&` comes first, what precedes the subject of the enclosing rule precedes this one too.
        return [...(index === 0 ? outer.slice(0, -1) : []), merged(each, outer.at(-1)!, index === 0)];
      });
    const [first, ...rest] = alternative;
    return [...outer, { ...first!, before: first!.before === '' ? ' ' : first!.before }, ...rest];
  });
}

function merged(own: Compound, outer: Compound, isFirst: boolean): Compound {
  return {
    ...own,
    before: isFirst ? outer.before : own.before,
    type: own.type ?? outer.type,
    names: [...outer.names, ...own.names],
    isNarrow: own.isNarrow || outer.isNarrow,
    isStructural: own.isStructural || outer.isStructural,
    hasPseudo: own.hasPseudo || outer.hasPseudo,
    types: own.types ?? outer.types,
    notTypes: new Set([...own.notTypes, ...outer.notTypes]),
    isNesting: false,
  };
}

export const canBe = ({ type, types, notTypes }: Compound, wanted: string): boolean =>
  (type === undefined || type === wanted) && (!types || types.has(wanted)) && !notTypes.has(wanted);

export const hasChildOrSiblingCombinator = ({ before }: Compound): boolean => before === '>' || before === '+';

const emptyCompound = (before: Compound['before']): Compound => ({
  before,
  type: undefined,
  names: [],
  isNarrow: false,
  isStructural: false,
  hasPseudo: false,
  isNesting: false,
  isEmpty: true,
  types: undefined,
  notTypes: NO_TYPES,
});

interface Token {
  type: number;
  text: string;
}

class SelectorParser {
  /** Selectors of several compounds inside functions such as `:has()`. */
  readonly inner: Alternative[] = [];
  isTooDeep = false;
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(text: string) {
    tokenize(text, (type, start, end) => {
      if (type !== Comment) this.#tokens.push({ type, text: text.slice(start, end) });
    });
  }

  /** Parses alternatives up to a closing parenthesis or the end. */
  list(depth: number): Compound[][] {
    if (depth > MAX_FUNCTIONS) this.isTooDeep = true;
    const alternatives: Compound[][] = [[emptyCompound('')]];
    for (; this.#at < this.#tokens.length; this.#at++) {
      const { type } = this.#tokens[this.#at]!;
      if (type === RightParenthesis && depth > 0) break;
      if (this.isTooDeep) continue;
      if (type === Comma) {
        endAlternative(alternatives.at(-1)!);
        alternatives.push([emptyCompound('')]);
      } else this.#part(alternatives.at(-1)!, depth);
    }
    endAlternative(alternatives.at(-1)!);
    return alternatives;
  }

  #part(compounds: Compound[], depth: number): void {
    const { type, text } = this.#tokens[this.#at]!;
    const compound = compounds.at(-1)!;
    if (type === WhiteSpace) combine(compounds, ' ');
    else if (type === Delim && text === '>') combine(compounds, '>');
    else if (type === Delim && (text === '+' || text === '~')) combine(compounds, '+');
    else {
      compound.isEmpty = false;
      if (type === Delim) this.#delimiter(compound, text);
      else if (type === Hash) addName(compound, '#', text.slice(1));
      else if (type === Ident) setType(compound, text);
      else if (type === Colon) this.#pseudo(compound, depth);
      else if (type === LeftSquareBracket) {
        compound.isNarrow = true;
        this.#skip(RightSquareBracket);
      } else if (type === LeftParenthesis || type === FunctionToken) this.#skip(RightParenthesis);
    }
  }

  #delimiter(compound: Compound, text: string): void {
    const next = this.#tokens[this.#at + 1];
    if (text === '&') {
      compound.isNesting = true;
      // In preprocessors, `&` may be followed by the rest of a name.
      if (next?.type === Ident) {
        this.#at++;
        compound.isNarrow = true;
      }
    } else if (text === '.' || text === '%') {
      compound.isNarrow = true;
      if (next?.type !== Ident) return;
      this.#at++;
      if (text === '.') addName(compound, '.', next.text);
    } else if (text === '|') {
      // The part before was a namespace.
      compound.type = undefined;
      compound.names = [];
    }
  }

  #pseudo(compound: Compound, depth: number): void {
    compound.hasPseudo = true;
    let colons = 1;
    while (this.#tokens[this.#at + 1]?.type === Colon) {
      this.#at++;
      colons++;
    }
    const next = this.#tokens[this.#at + 1];
    if (next?.type !== Ident && next?.type !== FunctionToken) return;
    this.#at++;
    const name = next.text.replace(/\($/, '').toLowerCase();
    if (STRUCTURAL.test(name)) compound.isStructural = true;
    if (next.type === Ident) {
      if (name === 'root') setType(compound, 'html');
      return;
    }
    if (colons > 1 || !(SAME_ELEMENT.has(name) || name === 'has')) {
      this.#skip(RightParenthesis);
      return;
    }
    this.#at++;
    this.#function(compound, name, this.list(depth + 1));
  }

  #function(compound: Compound, name: string, alternatives: readonly Compound[][]): void {
    for (const alternative of alternatives) {
      const [first] = alternative;
      if (alternative.length > 1 || hasChildOrSiblingCombinator(first!)) this.inner.push(alternative);
      else if (SAME_ELEMENT.has(name) && first!.isStructural && canBe(first!, 'img')) compound.isStructural = true;
    }
    const subjects = alternatives.map((alternative) => alternative.at(-1)!);
    if (name === 'not') {
      const bare = alternatives.flatMap((each) => (each.length === 1 && isBareType(each[0]!) ? [each[0]!.type!] : []));
      compound.notTypes = new Set([...compound.notTypes, ...bare]);
    } else if (name !== 'has' && subjects.every(({ type }) => type !== undefined)) {
      compound.types = new Set(subjects.map(({ type }) => type!));
    }
    if (name !== 'not' && name !== 'has' && subjects.every(({ isNarrow }) => isNarrow)) compound.isNarrow = true;
  }

  /** Skips to the token that closes the open bracket. */
  #skip(closing: number): void {
    const opening = closing === RightSquareBracket ? [LeftSquareBracket] : [LeftParenthesis, FunctionToken];
    for (let depth = 1; depth > 0 && this.#at + 1 < this.#tokens.length; ) {
      this.#at++;
      const { type } = this.#tokens[this.#at]!;
      if (opening.includes(type)) depth++;
      else if (type === closing) depth--;
    }
  }
}

const isBareType = ({ type, names, isNarrow, isStructural }: Compound): boolean =>
  type !== undefined && names.length === 1 && !isNarrow && !isStructural;

function setType(compound: Compound, text: string): void {
  const type = resolveEscapes(text).toLowerCase();
  if (type.includes(UNKNOWN)) return;
  compound.type = type;
  compound.names.push(nameNumber(type));
}

/** Ignores names that scripts set at run time and names that a preprocessor makes: any element may have them. */
function addName(compound: Compound, sign: '.' | '#', text: string): void {
  compound.isNarrow = true;
  const name = resolveEscapes(text);
  if (!name.includes(UNKNOWN) && !STATE_CLASS.test(name)) compound.names.push(nameNumber(sign + name));
}

function combine(compounds: Compound[], combinator: ' ' | '>' | '+'): void {
  const current = compounds.at(-1)!;
  if (!current.isEmpty) compounds.push(emptyCompound(combinator));
  else if (combinator !== ' ') current.before = combinator;
}

function endAlternative(compounds: Compound[]): void {
  while (compounds.length > 1 && compounds.at(-1)!.isEmpty && compounds.at(-1)!.before === ' ') compounds.pop();
}
