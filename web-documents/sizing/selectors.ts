/**
 * Decides which elements a selector can match (Selectors 4), by the names of the elements and of their ancestors.
 * Conditions that names cannot decide (attributes, states, `:is()`, siblings) count as matching.
 */
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { resolveEscapes } from '../css-escapes.ts';
import { nameNumber } from '../names.ts';

/** Names as numbers, as returned by {@link nameNumber}. */
type Names = readonly number[];

export interface ElementSelector {
  /** Names of the element itself. */
  own: Names;
  /** Names of its parent. */
  parent?: Names;
  /** Each list must match some ancestor. */
  above: readonly Names[];
  /** The tag of the element, if the selector names one. */
  tag?: string;
}

const ANY: ElementSelector = { own: [], above: [] };

const MAX_SELECTOR_LENGTH = 20_000;
const MAX_ALTERNATIVES = 500;
const LEGACY_PSEUDO_ELEMENTS: ReadonlySet<string> = new Set(['before', 'after', 'first-line', 'first-letter']);

/** Classes that scripts usually give to elements at run time: the page as sent does not have them. */
export const STATE_CLASS =
  /^(?:is|has|js|no|aos|swiper|slick|splide|owl|fancybox|ng|v)-|(?:^|[-_])(?:js|active|current|selected|load(?:ed|ing)?|lazyload(?:ed|ing)|open(?:ed)?|show[n]?|visible|visited|ready|init(?:ialized)?|animated?|in-?view|entered|scrolled|stuck|sticky|fixed|expanded|enabled?|done|hover(?:ed)?|focus(?:ed)?|zoom(?:ed)?|fullscreen|dark|light|touch|mobile|desktop)$/i;

const { Ident, Hash, Delim, Colon, Comma, WhiteSpace, Comment } = tokenTypes;
const { LeftParenthesis, RightParenthesis, LeftSquareBracket, RightSquareBracket } = tokenTypes;
const FunctionToken = tokenTypes.Function;
const OPENING: ReadonlySet<number> = new Set([FunctionToken, LeftParenthesis, LeftSquareBracket]);
const CLOSING: ReadonlySet<number> = new Set([RightParenthesis, RightSquareBracket]);

interface Compound {
  names: number[];
  tag: string | undefined;
  /** Whether it contains `&`, the enclosing rule (CSS Nesting). */
  isNesting: boolean;
  /** The combinator to the previous compound. */
  combinator: '' | ' ' | '>' | '+';
  isEmpty: boolean;
}

const emptyCompound = (combinator: Compound['combinator']): Compound => ({
  names: [],
  tag: undefined,
  isNesting: false,
  combinator,
  isEmpty: true,
});

/**
 * Parses the alternatives of a selector. Leaves out those that match no element, such as `::before`.
 * @param around selectors of the rule that it is nested in
 */
export function parseSelectors(text: string, around?: readonly ElementSelector[]): ElementSelector[] {
  if (text.length > MAX_SELECTOR_LENGTH) return [ANY];
  const reader = new SelectorReader(text);
  tokenize(text, (type, start, end) => reader.token(type, start, end));
  const alternatives = reader.end();
  if (alternatives.length * (around?.length ?? 1) > MAX_ALTERNATIVES) return [ANY];
  return alternatives.flatMap((compounds) => (around ? nestedSelectors(compounds, around) : [selectorOf(compounds)]));
}

class SelectorReader {
  readonly #text: string;
  readonly #alternatives: Compound[][] = [];
  #compounds: Compound[] = [emptyCompound('')];
  #isElement = true;
  #depth = 0;
  #colons = 0;
  #isClass = false;

  constructor(text: string) {
    this.#text = text;
  }

  get #compound(): Compound {
    return this.#compounds.at(-1)!;
  }

  token(type: number, start: number, end: number): void {
    if (type === Comment) return;
    if (OPENING.has(type)) {
      if (this.#depth === 0 && type === FunctionToken) this.#pseudoFunction(this.#nameAt(start, end - 1));
      if (this.#depth === 0) this.#compound.isEmpty = false;
      this.#depth++;
    } else if (CLOSING.has(type)) this.#depth--;
    else if (this.#depth === 0) this.#part(type, start, end);
  }

  end(): Compound[][] {
    this.#endAlternative();
    return this.#alternatives;
  }

  #part(type: number, start: number, end: number): void {
    const text = this.#text.slice(start, end);
    if (type === Comma) this.#endAlternative();
    else if (type === WhiteSpace) this.#combine(' ');
    else if (type === Colon) this.#colons++;
    else if (type === Hash) this.#add(`#${resolveEscapes(text.slice(1))}`);
    else if (type === Ident) this.#ident(resolveEscapes(text).toLowerCase());
    else if (type === Delim) this.#delimiter(text);
    else this.#compound.isEmpty = false;
    if (type !== Colon) this.#colons = 0;
    this.#isClass = type === Delim && text === '.';
  }

  #ident(name: string): void {
    if (this.#colons > 0) this.#pseudo(name);
    else if (!this.#isClass) {
      this.#compound.tag = name;
      this.#add(name);
    } else if (STATE_CLASS.test(name)) this.#compound.isEmpty = false;
    else this.#add(`.${name}`);
  }

  #delimiter(text: string): void {
    if (text === '>') this.#combine('>');
    else if (text === '+' || text === '~') this.#combine('+');
    else if (text === '&') this.#compound.isNesting = true;
    else if (text === '|') {
      // The part before was a namespace.
      this.#compound.tag = undefined;
      this.#compound.names = [];
    }
    if (text === '*' || text === '&') this.#compound.isEmpty = false;
  }

  #pseudo(name: string): void {
    this.#compound.isEmpty = false;
    if (this.#colons > 1 || LEGACY_PSEUDO_ELEMENTS.has(name)) this.#isElement = false;
    else if (name === 'root') this.#add('html');
  }

  #pseudoFunction(name: string): void {
    // Both match elements of the page from inside a shadow tree.
    if (this.#colons > 1 && (name === 'slotted' || name === 'part')) this.#compounds = [emptyCompound('')];
    else if (this.#colons > 1) this.#isElement = false;
    this.#colons = 0;
  }

  #add(name: string): void {
    this.#compound.isEmpty = false;
    this.#compound.names.push(nameNumber(name));
  }

  #combine(combinator: ' ' | '>' | '+'): void {
    const current = this.#compound;
    if (!current.isEmpty || (combinator !== ' ' && current.combinator === ''))
      this.#compounds.push(emptyCompound(combinator));
    else if (combinator !== ' ') current.combinator = combinator;
  }

  #endAlternative(): void {
    while (this.#compound.isEmpty && this.#compounds.length > 1 && this.#compound.combinator === ' ')
      this.#compounds.pop();
    if (this.#isElement && !(this.#compounds.length === 1 && this.#compound.isEmpty))
      this.#alternatives.push(this.#compounds);
    this.#compounds = [emptyCompound('')];
    this.#isElement = true;
    this.#colons = 0;
  }

  #nameAt(start: number, end: number): string {
    return resolveEscapes(this.#text.slice(start, end)).toLowerCase();
  }
}

function selectorOf(compounds: readonly Compound[]): ElementSelector {
  const subject = compounds.at(-1)!;
  const above: Names[] = [];
  let parent: Names | undefined;
  // Ancestors of a sibling are also ancestors of the element; the sibling is not.
  for (let at = compounds.length - 1; at > 0; at--) {
    const { combinator } = compounds[at]!;
    const { names } = compounds[at - 1]!;
    if (combinator === '+' || names.length === 0) continue;
    if (combinator === '>' && at === compounds.length - 1) parent = names;
    else above.push(names);
  }
  const { names: own, tag } = subject;
  return { own, above, ...(parent && { parent }), ...(tag !== undefined && tag !== '' && { tag }) };
}

/** Replaces `&` with the enclosing rule. A missing `&` counts as one in front. */
function nestedSelectors(compounds: readonly Compound[], around: readonly ElementSelector[]): ElementSelector[] {
  const subject = compounds.at(-1)!;
  const inner = selectorOf(compounds);
  if (subject.isNesting) {
    return around.map((outer) => ({
      ...outer,
      ...inner,
      own: [...outer.own, ...inner.own],
      above: [...outer.above, ...inner.above],
    }));
  }
  // The element is beside the enclosing one, not inside it.
  if (compounds.some(({ combinator }) => combinator === '+')) return [inner];
  return around.map((outer) => ({
    ...inner,
    above: [...inner.above, ...outer.above, ...(outer.own.length > 0 ? [outer.own] : [])],
  }));
}
