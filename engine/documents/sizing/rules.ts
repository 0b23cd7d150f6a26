/**
 * The rules of a style sheet that can change how large an image is shown. It works on the tokens alone, as css.ts does: nothing
 * recurses, and any text takes time by its length. Conditions (`@media`, `@container`, `@supports`, `@layer`, `@scope`) count as
 * met: some window meets them.
 */
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { resolveEscapes } from '../css-escapes.ts';
import { effectsOf, type SizingEffect } from './effects.ts';
import { type ElementSelector, parseSelectors } from './selectors.ts';

export interface SizingRule {
  selectors: readonly ElementSelector[];
  effects: readonly SizingEffect[];
}

export interface SizingRules {
  rules: SizingRule[];
  /** Keyframes of it change sizes. */
  animates: boolean;
}

const MAX_RULES = 5000;
const MAX_NESTING = 100;

const { Semicolon, LeftCurlyBracket, RightCurlyBracket, LeftParenthesis, RightParenthesis } = tokenTypes;
const { LeftSquareBracket, RightSquareBracket, WhiteSpace, Comment, CDO, CDC } = tokenTypes;
const OPENING: ReadonlySet<number> = new Set([tokenTypes.Function, LeftParenthesis, LeftSquareBracket]);
const CLOSING: ReadonlySet<number> = new Set([RightParenthesis, RightSquareBracket]);
const SKIPPED: ReadonlySet<number> = new Set([WhiteSpace, Comment, CDO, CDC]);

const KEYFRAMES = /^@(?:-[a-z]+-)?keyframes\b/i;
/** Their declarations are about no element. */
const DESCRIPTORS =
  /^@(?:font-face|page|property|counter-style|font-feature-values|font-palette-values|view-transition|color-profile)\b/i;
const CUSTOM_PROPERTY = /^--[^\s:]*\s*:/;
/** A name with its escapes, a colon, a value. */
const DECLARATION = /^((?:\\[0-9a-f]{1,6}\s?|\\.|[-\w]|[^\p{ASCII}])+)\s*:([\s\S]*)$/iu;
const COMMENTS = /\/\*[\s\S]*?(?:\*\/|$)/g;

/** Tags of elements that show an image of a reference; of others only what they do to those inside them matters. */
const IMAGE_TAGS: ReadonlySet<string> = new Set([
  'img',
  'amp-img',
  'amp-anim',
  'video',
  'input',
  'object',
  'embed',
  'image',
]);
const REACHES_INSIDE: ReadonlySet<string> = new Set(['scale', 'stretch', 'animation']);

interface Block {
  /** Of its own, or of the rule around its condition; undefined outside of rules. */
  selectors: readonly ElementSelector[] | undefined;
  kind: 'rule' | 'condition' | 'keyframes' | 'descriptors';
  effects: SizingEffect[];
}

/**
 * The rules of a style sheet; undefined where there are too many.
 * @param found of the same page, which those of this one are added to
 */
export function readSizingRules(
  css: string,
  found: SizingRules = { rules: [], animates: false },
): SizingRules | undefined {
  const reader = new RuleReader(css, found);
  tokenize(css, (type, start) => reader.token(type, start));
  return reader.end();
}

/** What the declarations of a style attribute do. */
export function readSizingStyle(style: string): SizingEffect[] {
  // A bracket in it closes nothing.
  const found = readSizingRules(`*{${style.replaceAll(/[{}]/g, ' ')}}`);
  return found ? found.rules.flatMap(({ effects }) => effects) : [['grow', null, true]];
}

class RuleReader {
  readonly #css: string;
  readonly #found: SizingRules;
  readonly #blocks: Block[] = [];
  #isTooMuch = false;
  /** Of the statement; -1 before its first token. */
  #start = -1;
  /** Parentheses that are open in the statement. */
  #depth = 0;

  constructor(css: string, found: SizingRules) {
    this.#css = css;
    this.#found = found;
  }

  token(type: number, start: number): void {
    if (SKIPPED.has(type) && this.#start < 0) return;
    if (type === LeftCurlyBracket) this.#open(start);
    else if (type === RightCurlyBracket) this.#close(start);
    else if (type === Semicolon && this.#depth === 0) this.#endStatement(start);
    else {
      if (this.#start < 0) this.#start = start;
      if (OPENING.has(type)) this.#depth++;
      else if (CLOSING.has(type)) this.#depth = Math.max(0, this.#depth - 1);
    }
  }

  end(): SizingRules | undefined {
    // The end of the text closes everything.
    this.#endStatement(this.#css.length);
    while (this.#blocks.length > 0) this.#keep(this.#blocks.pop()!);
    return this.#isTooMuch ? undefined : this.#found;
  }

  #open(end: number): void {
    const around = this.#blocks.at(-1);
    const prelude = this.#statement(end);
    this.#startStatement();
    if (this.#blocks.length >= MAX_NESTING) this.#isTooMuch = true;
    this.#blocks.push({ ...this.#blockOf(prelude, around), effects: [] });
  }

  #blockOf(prelude: string, around: Block | undefined): Omit<Block, 'effects'> {
    if (around?.kind === 'keyframes' || around?.kind === 'descriptors') return around;
    if (DESCRIPTORS.test(prelude) || CUSTOM_PROPERTY.test(prelude))
      return { kind: 'descriptors', selectors: undefined };
    if (KEYFRAMES.test(prelude)) return { kind: 'keyframes', selectors: undefined };
    if (prelude.startsWith('@')) return { kind: 'condition', selectors: around?.selectors };
    return { kind: 'rule', selectors: this.#isTooMuch ? [] : parseSelectors(prelude, around?.selectors) };
  }

  #close(end: number): void {
    this.#endStatement(end);
    const block = this.#blocks.pop();
    if (block) this.#keep(block);
  }

  #keep({ selectors, kind, effects }: Block): void {
    if (effects.length === 0) return;
    if (kind === 'keyframes') this.#found.animates = true;
    if (!selectors || kind === 'keyframes' || kind === 'descriptors') return;
    const reaching = effects.some(([effect]) => REACHES_INSIDE.has(effect));
    const matching = reaching ? selectors : selectors.filter(({ tag }) => tag === undefined || IMAGE_TAGS.has(tag));
    if (matching.length === 0) return;
    if (this.#found.rules.length >= MAX_RULES) this.#isTooMuch = true;
    else this.#found.rules.push({ selectors: matching.map(({ tag: _, ...selector }) => selector), effects });
  }

  #endStatement(end: number): void {
    const block = this.#blocks.at(-1);
    const statement = block && this.#start >= 0 ? this.#statement(end) : '';
    this.#startStatement();
    const [, property, value] = DECLARATION.exec(statement) ?? [];
    if (property === undefined) return;
    block!.effects.push(...effectsOf(resolveEscapes(property).toLowerCase(), resolveEscapes(value!)));
  }

  /** Without comments, which may stand anywhere. */
  #statement(end: number): string {
    return this.#start < 0 ? '' : this.#css.slice(this.#start, end).replace(COMMENTS, ' ').trim();
  }

  #startStatement(): void {
    this.#start = -1;
    this.#depth = 0;
  }
}
