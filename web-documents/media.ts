/**
 * Evaluates media conditions and source sizes for the screens that sizes are judged by (docs/spec/shapes.md, section 16.3).
 * There is no browser: conditions about anything but the screen are unknown.
 */
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { CSS_UNITS } from '../codecs/css-lengths.ts';

export interface View {
  /** CSS pixels. */
  width: number;
  height: number;
  /** Device pixels per CSS pixel. */
  density: number;
}

/** A phone and a desktop screen, as Lighthouse emulates them. */
export const VIEWS: readonly View[] = [
  { width: 412, height: 823, density: 1.75 },
  { width: 1350, height: 940, density: 1 },
];

/** Lists that are longer, or have more parts, count as unknown. */
const MAX_LENGTH = 2000;
const MAX_PARTS = 50;
const MAX_DEPTH = 32;

interface Token {
  type: number;
  text: string;
}

/** True, false, or undefined for unknown; combined by Kleene's logic (Media Queries 4, 3.1). */
type Truth = boolean | undefined;

/** Whether a list of media queries applies. A query that cannot be parsed does not. */
export function matchesMedia(media: string, view: View): Truth {
  const queries = partsOf(media);
  if (!queries) return undefined;
  if (queries.length === 1 && queries[0]!.length === 0) return true;
  return queries
    .map((query) => read(query, (reader) => reader.query(view)) ?? { value: false })
    .reduce<Truth>((sum, { value }) => or(sum, value), false);
}

/**
 * The width that `sizes` gives an image, in CSS pixels.
 * @returns undefined if `sizes` does not say
 */
export function evaluateSizes(sizes: string, view: View): number | undefined {
  const entries = partsOf(sizes);
  if (!entries) return undefined;
  for (const entry of entries) {
    const at = lastValue(entry);
    const length = read(entry.slice(at), (reader) => reader.length(view))?.value;
    if (length === undefined || length < 0) continue;
    if (at === 0) return length;
    if (read(entry.slice(0, at), (reader) => reader.condition(view, true))?.value) return length;
  }
  // The default of the HTML standard. `auto` depends on the layout, which is not known here.
  return entries.flat().some(({ text }) => text === 'auto') ? undefined : view.width;
}

const { WhiteSpace, Comment, Comma, Ident, Dimension, LeftParenthesis, RightParenthesis } = tokenTypes;
const NumberToken = tokenTypes.Number;
const FunctionToken = tokenTypes.Function;

/** Splits a text into its comma-separated parts. */
function partsOf(text: string): Token[][] | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const tokens: Token[] = [];
  tokenize(text, (type, start, end) => {
    if (type !== WhiteSpace && type !== Comment) tokens.push({ type, text: text.slice(start, end).toLowerCase() });
  });
  const parts = splitAtCommas(tokens);
  return parts.length <= MAX_PARTS ? parts : undefined;
}

const opens = ({ type }: Token) => type === LeftParenthesis || type === FunctionToken;

function splitAtCommas(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (opens(token)) depth++;
    else if (token.type === RightParenthesis) depth--;
    if (token.type === Comma && depth === 0) parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return parts;
}

/** Index of the last component value: a token, or a function with its arguments. */
function lastValue(tokens: readonly Token[]): number {
  let at = tokens.length - 1;
  if (tokens[at]?.type !== RightParenthesis) return Math.max(0, at);
  for (let depth = 1; depth > 0 && at > 0; ) {
    at--;
    if (tokens[at]!.type === RightParenthesis) depth++;
    else if (opens(tokens[at]!)) depth--;
  }
  return at;
}

/** @returns undefined if the tokens are not as expected, or some are left over */
function read<T>(tokens: readonly Token[], part: (reader: Reader) => T): { value: T } | undefined {
  const reader = new Reader(tokens);
  try {
    const value = part(reader);
    return reader.done ? { value } : undefined;
  } catch (error) {
    if (error === UNREADABLE) return undefined;
    throw error;
  }
}

/** A single instance: creating an error takes longer than the parsing itself. */
const UNREADABLE = new Error();

const RELATIONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '=': (a, b) => a === b,
};
const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '=': '=' };

const RESOLUTIONS: Readonly<Record<string, number>> = { x: 1, dppx: 1, dpi: 1 / 96, dpcm: 2.54 / 96 };

/** A number, or a length in pixels. */
interface Quantity {
  value: number;
  pixels: boolean;
}

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get done(): boolean {
    return this.#at >= this.#tokens.length;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  #next(): Token {
    const token = this.#tokens[this.#at++];
    if (!token) throw UNREADABLE;
    return token;
  }

  #accept(text: string): boolean {
    if (this.#peek()?.text !== text) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw UNREADABLE;
  }

  /** Parses a part nested in brackets. */
  #nested<T>(part: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw UNREADABLE;
    const value = part();
    this.#depth--;
    return value;
  }

  query(view: View): Truth {
    const start = this.#at;
    const negated = this.#accept('not');
    if (!negated) this.#accept('only');
    if (this.#peek()?.type !== Ident) {
      this.#at = start;
      return this.condition(view, true);
    }
    const type = this.#next().text;
    let result: Truth = type === 'all' || type === 'screen';
    if (this.#accept('and')) result = and(result, this.condition(view, false));
    return negated ? not(result) : result;
  }

  condition(view: View, mayOr: boolean): Truth {
    if (this.#accept('not')) return not(this.#inParentheses(view));
    let result = this.#inParentheses(view);
    const word = this.#peek()?.text;
    if (word === 'and') while (this.#accept('and')) result = and(result, this.#inParentheses(view));
    else if (word === 'or' && mayOr) while (this.#accept('or')) result = or(result, this.#inParentheses(view));
    return result;
  }

  #inParentheses(view: View): Truth {
    const token = this.#next();
    if (token.type === FunctionToken) {
      this.#skipBrackets();
      return undefined;
    }
    if (token.type !== LeftParenthesis) throw UNREADABLE;
    return this.#nested(() => {
      const next = this.#peek();
      const result =
        next?.type === LeftParenthesis || next?.text === 'not' ? this.condition(view, true) : this.#feature(view);
      this.#expect(')');
      return result;
    });
  }

  /** Skips to the bracket that closes the one just read. */
  #skipBrackets(): void {
    for (let depth = 1; depth > 0; ) {
      const token = this.#next();
      if (opens(token)) depth++;
      else if (token.type === RightParenthesis) depth--;
    }
  }

  #feature(view: View): Truth {
    if (this.#peek()?.type !== Ident) return this.#rangeFromValue(view);
    const name = this.#next().text;
    if (this.#accept(':')) return this.#plainFeature(name, view);
    const relation = this.#relation();
    if (relation === undefined) return withoutValue(name, view);
    return compare(featureValue(name, view), relation, this.#value(view));
  }

  /** `400px <= width <= 900px` */
  #rangeFromValue(view: View): Truth {
    const first = this.#value(view);
    const relation = this.#relation();
    if (relation === undefined) throw UNREADABLE;
    const value = featureValue(this.#next().text, view);
    const left = compare(value, MIRRORED[relation]!, first);
    const second = this.#relation();
    return second === undefined ? left : and(left, compare(value, second, this.#value(view)));
  }

  #relation(): string | undefined {
    const sign = this.#peek()?.text;
    if (sign !== '<' && sign !== '>' && sign !== '=') return undefined;
    this.#at++;
    return sign !== '=' && this.#accept('=') ? `${sign}=` : sign;
  }

  #plainFeature(name: string, view: View): Truth {
    if (name === 'orientation') return this.#next().text === (view.width > view.height ? 'landscape' : 'portrait');
    const [, bound, feature] = /^((?:-webkit-)?(?:min-|max-)?)(.*)$/.exec(name)!;
    const value = featureValue(feature!, view);
    if (value === undefined) {
      while (this.#peek() && this.#peek()!.type !== RightParenthesis) this.#at++;
      return undefined;
    }
    const relation = bound!.endsWith('min-') ? '>=' : bound!.endsWith('max-') ? '<=' : '=';
    return compare(value, relation, this.#value(view));
  }

  /** A length in pixels, a resolution in dppx, or a ratio. */
  #value(view: View): number {
    const token = this.#peek();
    if (token?.type === Dimension) {
      const [number, unit] = dimension(token.text);
      if (unit in RESOLUTIONS) {
        this.#at++;
        return number * RESOLUTIONS[unit]!;
      }
    }
    const { value } = this.#factor(view);
    return this.#accept('/') ? value / this.#factor(view).value : value;
  }

  length(view: View): number {
    const { value, pixels } = this.#factor(view);
    if (!pixels && value !== 0) throw UNREADABLE;
    return value;
  }

  #sum(view: View): Quantity {
    let sum = this.#product(view);
    for (let sign = this.#peek()?.text; sign === '+' || sign === '-'; sign = this.#peek()?.text) {
      this.#at++;
      const next = this.#product(view);
      if (next.pixels !== sum.pixels) throw UNREADABLE;
      sum = { ...sum, value: sign === '+' ? sum.value + next.value : sum.value - next.value };
    }
    return sum;
  }

  #product(view: View): Quantity {
    let product = this.#factor(view);
    for (let sign = this.#peek()?.text; sign === '*' || sign === '/'; sign = this.#peek()?.text) {
      this.#at++;
      const next = this.#factor(view);
      if (next.pixels && (product.pixels || sign === '/')) throw UNREADABLE;
      product = {
        value: sign === '*' ? product.value * next.value : product.value / next.value,
        pixels: product.pixels || next.pixels,
      };
    }
    return product;
  }

  #factor(view: View): Quantity {
    const token = this.#next();
    if (token.type === NumberToken) return { value: Number(token.text), pixels: false };
    if (token.type === Dimension) return { value: toPixels(token.text, view), pixels: true };
    if (token.type === LeftParenthesis || token.text === 'calc(')
      return this.#nested(() => {
        const sum = this.#sum(view);
        this.#expect(')');
        return sum;
      });
    if (token.type === FunctionToken) return this.#nested(() => this.#comparison(token.text, view));
    throw UNREADABLE;
  }

  #comparison(name: string, view: View): Quantity {
    const first = this.#sum(view);
    const values = [first.value];
    while (this.#accept(',')) {
      const next = this.#sum(view);
      if (next.pixels !== first.pixels) throw UNREADABLE;
      values.push(next.value);
    }
    this.#expect(')');
    const { pixels } = first;
    if (name === 'min(') return { value: Math.min(...values), pixels };
    if (name === 'max(') return { value: Math.max(...values), pixels };
    const [least, value, most] = values;
    if (name !== 'clamp(' || values.length !== 3) throw UNREADABLE;
    return { value: Math.max(least!, Math.min(value!, most!)), pixels };
  }
}

function dimension(text: string): [number: number, unit: string] {
  const number = Number.parseFloat(text);
  // In `1em`, `e` is not an exponent.
  return [number, /[a-z]+$/.exec(text.replace(/^[+-]?[\d.]+(?:e[+-]?\d+)?/, ''))?.[0] ?? ''];
}

function toPixels(text: string, view: View): number {
  const [number, unit] = dimension(text);
  const factor = CSS_UNITS[unit] ?? viewportUnit(unit, view);
  if (factor === undefined) throw UNREADABLE;
  return number * factor;
}

/** The units of the small, large and dynamic viewport are the same here. */
function viewportUnit(unit: string, { width, height }: View): number | undefined {
  const [, kind] = /^[sld]?v(w|h|i|b|min|max)$/.exec(unit) ?? [];
  if (kind === undefined) return undefined;
  if (kind === 'min') return Math.min(width, height) / 100;
  if (kind === 'max') return Math.max(width, height) / 100;
  return (kind === 'w' || kind === 'i' ? width : height) / 100;
}

/** The value of a feature; undefined for features not about the screen's size or density. */
function featureValue(name: string, { width, height, density }: View): number | undefined {
  switch (name) {
    case 'width':
    case 'device-width':
      return width;
    case 'height':
    case 'device-height':
      return height;
    case 'aspect-ratio':
    case 'device-aspect-ratio':
      return width / height;
    case 'resolution':
    case 'device-pixel-ratio':
      return density;
    default:
      return undefined;
  }
}

/** Evaluates a feature without a value: `(width)`, `(hover)`. */
function withoutValue(name: string, view: View): Truth {
  const value = featureValue(name, view);
  return value === undefined ? undefined : value !== 0;
}

const compare = (value: number | undefined, relation: string, other: number): Truth =>
  value === undefined ? undefined : RELATIONS[relation]!(value, other);

const not = (a: Truth): Truth => (a === undefined ? undefined : !a);
const and = (a: Truth, b: Truth): Truth => (a === false || b === false ? false : a && b);
const or = (a: Truth, b: Truth): Truth => (a === true || b === true ? true : a === undefined ? undefined : b);
