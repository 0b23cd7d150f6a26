/**
 * Finds the addresses in style sheets and style attributes. Works on tokens only (CSS Syntax 3): addresses in broken
 * rules are found too, nothing recurses, and the time is linear in the length of the text.
 */
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { resolveEscapes } from './css-escapes.ts';
import type { RequiredNames } from './names.ts';
import { neededNames } from './selector.ts';
import type { Range } from './source-text.ts';

/** An address in a style sheet. The offsets are those of its text, without the quotes. */
export interface CssAddress extends Range {
  kind: 'image' | 'image_set' | 'import';
  /** With escapes resolved. */
  address: string;
  /** In an image set: `2x`. */
  descriptor: string | null;
  /** In an image set: `image/webp`. */
  type: string | null;
  /** The condition of the innermost `@media` around it. */
  media: string | null;
  /** What a page must have for the rule to match; undefined if the rule may match on any page. */
  needed: RequiredNames | undefined;
}

/** A rule with a selector. The selector is parsed only if the rule contains an address. */
interface StyleRule {
  selector: Range;
  needed?: { names: RequiredNames | undefined };
}

/** An open block. */
interface Block {
  /** The condition of the innermost `@media` that this block is in; null if there is none. */
  media: string | null;
  /** The block's own rule, or the one around it. */
  rule: StyleRule | undefined;
  isKeyframes: boolean;
}

/** Properties whose addresses are images, without vendor prefixes. Custom properties may hold any address. */
const IMAGE_PROPERTIES: ReadonlySet<string> = new Set([
  'background',
  'background-image',
  'border-image',
  'border-image-source',
  'box-reflect',
  'content',
  'cursor',
  'list-style',
  'list-style-image',
  'mask',
  'mask-border',
  'mask-border-source',
  'mask-box-image',
  'mask-box-image-source',
  'mask-image',
  'shape-outside',
]);
const VENDOR_PREFIX = /^-[a-z]+-/;
const KEYFRAMES = /^@(?:-[a-z]+-)?keyframes$/;
const IMAGE_SETS: ReadonlySet<string> = new Set(['image-set(', '-webkit-image-set(']);

const { Ident, AtKeyword, Url, Dimension, Comma, Colon, Semicolon, Delim, Comment, WhiteSpace, CDO, CDC } = tokenTypes;
const { LeftCurlyBracket, RightCurlyBracket, LeftParenthesis, RightParenthesis } = tokenTypes;
const FunctionToken = tokenTypes.Function;
const StringToken = tokenTypes.String;
const SKIPPED: ReadonlySet<number> = new Set([Comment, WhiteSpace, CDO, CDC]);

const MAX_NAME_LENGTH = 200;

/** Further addresses are ignored. */
const MAX_ADDRESSES = 60_000;

/** The kind of a CSS text: a style sheet, the declarations of a style attribute, or the value of a background. */
export type CssText = 'sheet' | 'declarations' | 'value';

/** Returns the addresses of images and imports in order. Ignores those of fonts, filters and so on. */
export function readCss(css: string, text: CssText): CssAddress[] {
  const reader = new CssReader(css, text);
  tokenize(css, (type, start, end) => reader.token(type, start, end));
  return reader.found;
}

class CssReader {
  readonly #css: string;
  readonly found: CssAddress[] = [];
  readonly #blocks: Block[] = [];
  readonly #text: CssText;
  /** The opening tokens of functions and parentheses that are open in this statement, in lower case. */
  #functions: string[] = [];
  /** How many of them are image sets. */
  #imageSets = 0;
  /** Name of the current property or at-rule, in lower case; '' if not known yet. */
  #property = '';
  #atStart = true;
  /** An identifier at the start of a statement: a property if a colon follows. */
  #name = '';
  /** Where the statement begins. */
  #start = 0;
  /** Where the name of the at-rule ends. */
  #preludeStart = 0;
  /** The image set candidate that the next resolution and type belong to. */
  #candidate: CssAddress | undefined;

  constructor(css: string, text: CssText) {
    this.#css = css;
    this.#text = text;
    if (text !== 'value') return;
    this.#property = 'background';
    this.#atStart = false;
  }

  token(type: number, start: number, end: number): void {
    if (SKIPPED.has(type) || this.found.length >= MAX_ADDRESSES) return;
    if (this.#start < 0) this.#start = start;
    if (type === LeftCurlyBracket) this.#openBlock(start);
    else if (type === RightCurlyBracket) {
      this.#blocks.pop();
      this.#startStatement();
    } else if (type === Semicolon) this.#startStatement();
    else if (this.#atStart) this.#firstToken(type, start, end);
    else if (this.#name !== '') {
      if (type === Colon) this.#property = this.#name;
      this.#name = '';
    } else this.#valueToken(type, start, end);
  }

  #startStatement(): void {
    this.#functions = [];
    this.#imageSets = 0;
    this.#property = '';
    this.#name = '';
    this.#atStart = true;
    this.#start = -1;
    this.#candidate = undefined;
  }

  #openBlock(start: number): void {
    const around = this.#blocks.at(-1);
    const media = this.#property === '@media' ? this.#css.slice(this.#preludeStart, start).trim() : this.#media;
    const isKeyframes = KEYFRAMES.test(this.#property);
    const isRule = !this.#property.startsWith('@') && !around?.isKeyframes;
    this.#blocks.push({
      media,
      rule: isRule ? { selector: { start: this.#start, end: start } } : around?.rule,
      isKeyframes,
    });
    this.#startStatement();
  }

  get #media(): string | null {
    return this.#blocks.at(-1)?.media ?? null;
  }

  get #needed(): RequiredNames | undefined {
    const rule = this.#blocks.at(-1)?.rule;
    if (!rule) return undefined;
    const { start, end } = rule.selector;
    rule.needed ??= { names: neededNames(this.#css.slice(start, end)) };
    return rule.needed.names;
  }

  #firstToken(type: number, start: number, end: number): void {
    // Old style sheets hide declarations from some browsers with a sign before the name.
    if (type === Delim) return;
    this.#atStart = false;
    if (type === Ident) this.#name = this.#nameAt(start, end).replace(/^_/, '');
    else if (type === AtKeyword) {
      this.#property = this.#nameAt(start, end);
      this.#preludeStart = end;
    } else this.#valueToken(type, start, end);
  }

  /** The name in lower case, cut to the length that comparisons need. */
  #nameAt(start: number, end: number): string {
    return resolveEscapes(this.#css.slice(start, Math.min(end, start + MAX_NAME_LENGTH))).toLowerCase();
  }

  #valueToken(type: number, start: number, end: number): void {
    if (type === FunctionToken) this.#open(this.#nameAt(start, end));
    else if (type === LeftParenthesis) this.#open('(');
    else if (type === RightParenthesis) this.#close();
    else if (type === Url) this.#address(urlRange(this.#css, start, end));
    else if (type === StringToken) this.#string(stringRange(this.#css, start, end));
    else if (type === Comma && IMAGE_SETS.has(this.#inside)) this.#candidate = undefined;
    else if (type === Dimension && this.#candidate && IMAGE_SETS.has(this.#inside))
      this.#candidate.descriptor = this.#css.slice(start, end).toLowerCase();
  }

  #open(name: string): void {
    this.#functions.push(name);
    if (IMAGE_SETS.has(name)) this.#imageSets++;
  }

  #close(): void {
    if (IMAGE_SETS.has(this.#functions.pop() ?? '')) this.#imageSets--;
  }

  /** The innermost function. */
  get #inside(): string {
    return this.#functions.at(-1) ?? '';
  }

  #string(range: Range): void {
    const inside = this.#inside;
    if (inside === 'type(' && this.#candidate) this.#candidate.type = this.#css.slice(range.start, range.end);
    else if (inside === 'url(' || IMAGE_SETS.has(inside) || (inside === '' && this.#property === '@import'))
      this.#address(range);
  }

  #address(range: Range): void {
    const kind = this.#kind();
    if (!kind) return;
    const found: CssAddress = {
      kind,
      ...range,
      address: resolveEscapes(this.#css.slice(range.start, range.end)),
      descriptor: null,
      type: null,
      media: this.#media,
      needed: kind === 'import' ? undefined : this.#needed,
    };
    this.found.push(found);
    if (kind === 'image_set') this.#candidate = found;
    // The rest of the statement is the conditions of the import.
    if (kind === 'import') this.#property = '';
  }

  #kind(): CssAddress['kind'] | undefined {
    if (this.#property === '@import') return this.#blocks.length === 0 && this.#text === 'sheet' ? 'import' : undefined;
    if (!isImageProperty(this.#property)) return undefined;
    return this.#imageSets > 0 ? 'image_set' : 'image';
  }
}

const isImageProperty = (property: string): boolean =>
  property.startsWith('--') || IMAGE_PROPERTIES.has(property.replace(VENDOR_PREFIX, ''));

const SPACE = /[ \t\n\r\f]/;

/** Range of the text in the parentheses of a `url()` without quotes, a token from `start` to `end`. */
export function urlRange(css: string, start: number, end: number): Range {
  let first = css.indexOf('(', start) + 1;
  let last = css[end - 1] === ')' ? end - 1 : end;
  while (first < last && SPACE.test(css[first]!)) first++;
  while (last > first && SPACE.test(css[last - 1]!) && css[last - 2] !== '\\') last--;
  return { start: first, end: last };
}

/** Range of the text between the quotes of a token. The closing quote may be missing at the end of the text. */
export function stringRange(css: string, start: number, end: number): Range {
  const closed = end - start > 1 && css[end - 1] === css[start];
  return { start: start + 1, end: closed ? end - 1 : end };
}
