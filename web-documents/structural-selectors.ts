/**
 * Finds selectors (Selectors 4) that may match other elements once an image is wrapped in a `picture`: the image is
 * then no longer a child of its former parent nor a sibling of the elements beside it; the `picture` is. Conditions
 * that names cannot decide count as a match. Works on tokens, like css.ts, so it reads broken style sheets as far as
 * possible.
 */
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { resolveEscapes } from './css-escapes.ts';
import { nameNumber } from './names.ts';
import { STATE_CLASS } from './sizing/selectors.ts';

export interface StructuralSelector {
  /** As written, shortened. */
  text: string;
  /** UTF-16 offset of the rule. */
  at: number;
  /** Names, as returned by {@link nameNumber}, of the images that it may affect; if empty, any image. */
  own: readonly number[];
  /** The same for the image's parent; null for any element. */
  parent: readonly number[] | null;
}

/** `nested`: SCSS and Less, which have line comments. `indented`: Sass and Stylus, whose rules end with their lines. */
export type SheetSyntax = 'css' | 'nested' | 'indented';

const MAX_FOUND = 5000;
const MAX_ALTERNATIVES = 1000;
const MAX_SELECTOR_LENGTH = 20_000;
const MAX_NESTING = 100;
const MAX_FUNCTIONS = 20;
const MAX_TEXT_LENGTH = 120;

/** Stands for text that a preprocessor inserts. A Unicode noncharacter, so no text contains it. */
const UNKNOWN = '\ufdd0';
const INTERPOLATION = /[#@]\{[^{}\n]*\}/g;
/** Line comments, only after white space or a statement: elsewhere `//` may be part of an address. */
const LINE_COMMENT = /(?<=^|[\s;{}])\/\/[^\n]*/g;
/** Matches comments, and also strings, because `/*` in a string starts no comment. */
const COMMENTS = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|\/\*[\s\S]*?(?:\*\/|$)/g;
/** At-rules whose blocks contain no rules for elements. */
const NO_RULES = /^@(?:-[a-z]+-)?(?:keyframes|font-face|page|property|counter-style|font-feature-values)\b/i;
const FORCED_DISPLAY = /^(?:display|all)\s*:[^;]*!\s*important/i;
/** In the indented syntaxes: declarations, variables, at-rules and mixins. */
const NO_SELECTOR = /^(?:[\w-]+\s*:\s|[\w-]+:$|[@$=]|\+[\w-]+(?:\(|$)|[\w-]+\()/;

const STRUCTURAL = /^(?:(?:first|last|only)-(?:child|of-type)|nth-(?:last-)?(?:child|of-type))$/;
/** Pseudo-classes whose arguments describe the element itself. */
const SAME_ELEMENT: ReadonlySet<string> = new Set(['is', 'where', 'matches', 'any', '-webkit-any', '-moz-any', 'not']);

const { Ident, Hash, Delim, Colon, Comma, WhiteSpace, Comment, Semicolon } = tokenTypes;
const { LeftCurlyBracket, RightCurlyBracket, LeftParenthesis, RightParenthesis } = tokenTypes;
const { LeftSquareBracket, RightSquareBracket, CDO, CDC } = tokenTypes;
const FunctionToken = tokenTypes.Function;
const OPENING: ReadonlySet<number> = new Set([FunctionToken, LeftParenthesis, LeftSquareBracket]);
const CLOSING: ReadonlySet<number> = new Set([RightParenthesis, RightSquareBracket]);
const SKIPPED: ReadonlySet<number> = new Set([WhiteSpace, Comment, CDO, CDC]);

/** The part between two combinators. */
interface Compound {
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

type Alternative = readonly Compound[];

const NO_TYPES: ReadonlySet<string> = new Set();

/**
 * Finds the selectors of a style sheet that a `picture` around an image may affect; undefined if there are too many.
 * @param css style sheet in any of the syntaxes
 */
export function structuralSelectors(css: string, syntax: SheetSyntax = 'css'): StructuralSelector[] | undefined {
  const plain = css
    .replace(INTERPOLATION, (found) => UNKNOWN.repeat(found.length))
    .replace(COMMENTS, (found) => (found.startsWith('/') ? blank(found) : found));
  const text = syntax === 'css' ? plain : plain.replace(LINE_COMMENT, blank);
  const reader = new SheetReader(text);
  if (syntax === 'indented') reader.lines();
  else tokenize(text, (type, start) => reader.token(type, start));
  return reader.found;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

interface Block {
  /** Alternatives of the rule, or of the rule around an at-rule; undefined outside of rules. */
  rule: readonly Alternative[] | undefined;
  start: number;
  hasRules: boolean;
}

class SheetReader {
  readonly #text: string;
  readonly #blocks: Block[] = [];
  readonly #found = new Map<string, StructuralSelector>();
  #isTooMuch = false;
  /** Start of the statement; -1 before its first token. */
  #start = -1;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get found(): StructuralSelector[] | undefined {
    return this.#isTooMuch || this.#found.size > MAX_FOUND ? undefined : [...this.#found.values()];
  }

  token(type: number, start: number): void {
    if (SKIPPED.has(type) && this.#start < 0) return;
    if (type === LeftCurlyBracket) this.#open(start);
    else if (type === RightCurlyBracket) {
      this.#declaration(start);
      this.#blocks.pop();
    } else if (type === Semicolon && this.#depth === 0) this.#declaration(start);
    else {
      if (this.#start < 0) this.#start = start;
      if (OPENING.has(type)) this.#depth++;
      else if (CLOSING.has(type)) this.#depth = Math.max(0, this.#depth - 1);
    }
  }

  lines(): void {
    let at = 0;
    for (const line of this.#text.split('\n')) {
      const selector = line.trim();
      // The enclosing rules are not read: they may be anything.
      if (selector !== '' && !NO_SELECTOR.test(selector)) this.#rule(selector, at + line.indexOf(selector), undefined);
      at += line.length + 1;
    }
  }

  #open(end: number): void {
    const around = this.#blocks.at(-1);
    const start = this.#start;
    const prelude = start < 0 ? '' : this.#text.slice(start, end).trim();
    this.#startStatement();
    if (this.#blocks.length >= MAX_NESTING) this.#isTooMuch = true;
    const hasRules = (around?.hasRules ?? true) && !NO_RULES.test(prelude);
    const isRule = hasRules && prelude !== '' && !prelude.startsWith('@') && !this.#isTooMuch;
    const rule = isRule ? this.#rule(prelude, start, around?.rule) : around?.rule;
    this.#blocks.push({ rule, start: isRule ? start : (around?.start ?? start), hasRules });
  }

  /** Finds a style rule that gives a `picture` or its `source` a box, overriding its style attribute. */
  #declaration(end: number): void {
    const block = this.#blocks.at(-1);
    const statement = this.#start < 0 ? '' : this.#text.slice(this.#start, end);
    this.#startStatement();
    if (!block?.rule || !block.hasRules || !FORCED_DISPLAY.test(statement)) return;
    for (const alternative of block.rule)
      if (canBeNew('picture', alternative.at(-1)!) || canBeNew('source', alternative.at(-1)!))
        this.#add(block.start, statement, [], null);
  }

  #startStatement(): void {
    this.#start = -1;
    this.#depth = 0;
  }

  #rule(text: string, at: number, around: readonly Alternative[] | undefined): readonly Alternative[] | undefined {
    const read = text.length > MAX_SELECTOR_LENGTH ? undefined : parseSelector(text, around);
    if (!read) {
      this.#isTooMuch = true;
      return undefined;
    }
    for (const alternative of read.all)
      for (const { own, parent } of changedBy(alternative)) this.#add(at, text, own, parent);
    return read.own;
  }

  #add(at: number, text: string, own: readonly number[], parent: readonly number[] | null): void {
    const key = `${own.join()};${parent?.join()}`;
    if (this.#found.size > MAX_FOUND || this.#found.has(key)) return;
    const plain = text.replaceAll(UNKNOWN, '?').replaceAll(/\s+/g, ' ').trim();
    const shown = plain.length > MAX_TEXT_LENGTH ? `${plain.slice(0, MAX_TEXT_LENGTH)}...` : plain;
    this.#found.set(key, { text: shown, at, own, parent });
  }
}

type Change = Pick<StructuralSelector, 'own' | 'parent'>;

/** The images for which a selector matches differently once they are inside a `picture`. */
function* changedBy(alternative: Alternative): Generator<Change> {
  const subject = alternative.at(-1)!;
  for (const [index, compound] of alternative.entries()) {
    const next = alternative[index + 1];
    const isBesideNext = next?.before === '+';
    const parent = parentOf(alternative, index);
    if (canBe(compound, 'img') && (compound.isStructural || hasChildOrSiblingCombinator(compound) || isBesideNext))
      yield { own: compound.names, parent };
    if (!canBeNew('picture', compound)) continue;
    if (isBesideNext || (compound.isStructural && compound.type === 'picture')) yield { own: [], parent };
    if (next?.before !== ' ' || !canBe(subject, 'img')) continue;
    const isAny = compound.type === undefined && !compound.hasPseudo;
    // Every image already has a parent, with the same ancestors, that this compound may match.
    if (isAny && index === 0) continue;
    yield { own: subject.names, parent: isAny && compound.before === ' ' ? alternative[index - 1]!.names : null };
  }
}

function hasChildOrSiblingCombinator({ before }: Compound): boolean {
  return before === '>' || before === '+';
}

/** Names of the parent of an element that the compound matches; null if the selector does not name it. */
function parentOf(alternative: Alternative, index: number): readonly number[] | null {
  let at = index;
  while (at > 0 && alternative[at]!.before === '+') at--;
  const parent = alternative[at]!.before === '>' ? alternative[at - 1] : undefined;
  // Then the parent is the new `picture`.
  return !parent || parent.type === 'picture' ? null : parent.names;
}

function canBe({ type, types, notTypes }: Compound, wanted: string): boolean {
  return (type === undefined || type === wanted) && (!types || types.has(wanted)) && !notTypes.has(wanted);
}

function canBeNew(type: 'picture' | 'source', compound: Compound): boolean {
  return !compound.isNarrow && canBe(compound, type);
}

/**
 * Parses a selector.
 * @returns the alternatives of the rule as `own`; with those inside its functions as `all`; undefined if there are too
 * many
 */
function parseSelector(
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

function isBareType({ type, names, isNarrow, isStructural }: Compound): boolean {
  return type !== undefined && names.length === 1 && !isNarrow && !isStructural;
}

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
