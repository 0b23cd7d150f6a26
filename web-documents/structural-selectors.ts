/**
 * Finds selectors (Selectors 4) that may match other elements once an image is wrapped in a `picture`: the image is
 * then no longer a child of its former parent nor a sibling of the elements beside it; the `picture` is. Conditions
 * that names cannot decide count as a match. Works on tokens, like css.ts, so it reads broken style sheets as far as
 * possible.
 */
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import {
  type Alternative,
  type Compound,
  canBe,
  hasChildOrSiblingCombinator,
  parseSelector,
  UNKNOWN,
} from './compound-selectors.ts';
import type { nameNumber } from './names.ts';

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
const MAX_SELECTOR_LENGTH = 20_000;
const MAX_NESTING = 100;
const MAX_TEXT_LENGTH = 120;

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

const { WhiteSpace, Comment, Semicolon, LeftCurlyBracket, RightCurlyBracket, CDO, CDC } = tokenTypes;
const { LeftParenthesis, RightParenthesis, LeftSquareBracket, RightSquareBracket } = tokenTypes;
const OPENING: ReadonlySet<number> = new Set([tokenTypes.Function, LeftParenthesis, LeftSquareBracket]);
const CLOSING: ReadonlySet<number> = new Set([RightParenthesis, RightSquareBracket]);
const SKIPPED: ReadonlySet<number> = new Set([WhiteSpace, Comment, CDO, CDC]);

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

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

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

/** Names of the parent of an element that the compound matches; null if the selector does not name it. */
function parentOf(alternative: Alternative, index: number): readonly number[] | null {
  let at = index;
  while (at > 0 && alternative[at]!.before === '+') at--;
  const parent = alternative[at]!.before === '>' ? alternative[at - 1] : undefined;
  // Then the parent is the new `picture`.
  return !parent || parent.type === 'picture' ? null : parent.names;
}

const canBeNew = (type: 'picture' | 'source', compound: Compound): boolean =>
  !compound.isNarrow && canBe(compound, type);
