/**
 * Keeps the images of a page and their ancestors, as far as selectors need them. Equal elements with equal ancestors
 * are stored once: 100 cards of one kind are one.
 */
import { type NameList, nameNumber } from '../names.ts';
import type { SizingEffect } from './effects.ts';
import { readSizingStyle } from './rules.ts';

export interface PageElement {
  /** Index of the parent element in the list; null for the outermost. */
  parent: number | null;
  /** As returned by {@link nameNumber}. */
  names: NameList;
  /** Effects of its style attribute. */
  style?: readonly SizingEffect[];
  /** Set for a custom element: scripts may wrap its content in other elements. */
  isCustom?: true;
  /** Set if its end tag may be missing, or if it is part of a table: an image inside may really be outside it. */
  isLoose?: true;
}

/** What a page says about its images besides its style rules. */
export interface PageSizing {
  elements: readonly PageElement[];
  hasScripts: boolean;
  /** Names that the page's scripts may give to any element. */
  scriptNames: readonly number[];
}

const MAX_ELEMENTS = 5000;
const MAX_DEPTH = 256;
const MAX_STYLE_LENGTH = 10_000;

const list = (text: string) => new Set(text.split(' '));
const VOID = list('area base br col embed hr img input link meta param source track wbr');
const LOOSE = list('li p dd dt option optgroup rt rp table caption colgroup thead tbody tfoot tr td th');
const FORMATTING = list('a b big code em font i nobr s small strike strong tt u');
/** End tags of other elements do not close these (HTML standard, "special"). */
const SPECIAL = list(
  'address article aside blockquote body button center details dialog dir div dl fieldset figcaption figure footer form h1 ' +
    'h2 h3 h4 h5 h6 header hgroup html iframe li main menu nav ol p pre search section select summary table tbody td ' +
    'template textarea tfoot th thead title tr ul',
);
/** End tags inside these do not close elements outside. */
const SCOPES = list('caption html object table td th template');
const TABLE_PARTS = list('table caption colgroup thead tbody tfoot tr td th');
/** Start tags that end a paragraph. */
const ENDS_PARAGRAPH = list(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 ' +
    'h6 header hgroup hr main menu nav ol p pre search section table ul',
);
/** Start tags, with the elements that they end. */
const ENDS_SAME: Readonly<Record<string, ReadonlySet<string>>> = {
  li: list('li'),
  dd: list('dd dt'),
  dt: list('dd dt'),
  option: list('option'),
  tr: list('tr td th'),
  td: list('td th'),
  th: list('td th'),
};

interface Open {
  name: string;
  names: NameList;
  style: string | null;
  /** Its index in the list, once an image is found inside. */
  seq: number | undefined;
}

export class PageElements {
  readonly #open: Open[] = [];
  readonly #list: PageElement[] = [];
  readonly #known = new Map<string, number>();
  /** Number of open elements by name. */
  readonly #names = new Map<string, number>();
  #isTooMuch = false;

  constructor() {
    // The parser creates these elements even if the source does not contain them.
    for (const name of ['html', 'body']) this.#push({ name, names: [nameNumber(name)], style: null, seq: undefined });
  }

  /** The list of elements; undefined if there are too many. */
  get all(): PageElement[] | undefined {
    return this.#isTooMuch ? undefined : this.#list;
  }

  open(name: string, names: NameList, style: string | null): void {
    if (name === 'html' || name === 'body') this.#merge(name, names, style);
    if (name === 'html' || name === 'body' || name === 'template' || VOID.has(name)) return;
    if (ENDS_PARAGRAPH.has(name) && this.#top.name === 'p') this.#pop();
    while (ENDS_SAME[name]?.has(this.#top.name)) this.#pop();
    this.#push({ name, names, style, seq: undefined });
    if (this.#open.length > MAX_DEPTH) this.#isTooMuch = true;
  }

  close(name: string): void {
    if (name === 'html' || name === 'body' || !this.#names.get(name)) return;
    const at = this.#open.findLastIndex((open) => open.name === name);
    const inside = this.#open.slice(at + 1);
    if (FORMATTING.has(name)) {
      this.#open.splice(at, 1);
      this.#count(name, -1);
      // The elements inside have another parent from here on.
      for (const open of inside) open.seq = undefined;
      return;
    }
    if (!SPECIAL.has(name) && inside.some((open) => SPECIAL.has(open.name))) return;
    if (!TABLE_PARTS.has(name) && inside.some((open) => SCOPES.has(open.name))) return;
    while (this.#open.length > at) this.#pop();
  }

  /** Returns the index of an image at the current position. */
  image(name: string, names: NameList, style: string | null): number | null {
    if (this.#isTooMuch) return null;
    let parent: number | null = null;
    for (const open of this.#open) {
      open.seq ??= this.#add({ parent, ...elementOf(open) });
      parent = open.seq;
    }
    const seq = this.#add({ parent, ...elementOf({ name, names, style }) });
    return this.#isTooMuch ? null : seq;
  }

  get #top(): Open {
    return this.#open.at(-1)!;
  }

  #push(open: Open): void {
    this.#open.push(open);
    this.#count(open.name, 1);
  }

  #pop(): void {
    this.#count(this.#open.pop()!.name, -1);
  }

  #count(name: string, by: number): void {
    this.#names.set(name, (this.#names.get(name) ?? 0) + by);
  }

  /** Of all tags with this name, the first attributes count. */
  #merge(name: string, names: NameList, style: string | null): void {
    const open = this.#open.find((each) => each.name === name)!;
    if (open.names.length === 1 && open.style === null) Object.assign(open, { names, style });
  }

  #add(element: PageElement): number {
    const key = JSON.stringify(element);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#list.length >= MAX_ELEMENTS) this.#isTooMuch = true;
    else this.#list.push(element);
    this.#known.set(key, this.#list.length - 1);
    return this.#list.length - 1;
  }
}

function elementOf({ name, names, style }: Omit<Open, 'seq'>): Omit<PageElement, 'parent'> {
  const text = (style?.length ?? 0) <= MAX_STYLE_LENGTH ? style : 'all:unset';
  const effects = text === null ? [] : readSizingStyle(text);
  return {
    names,
    ...(effects.length > 0 && { style: effects }),
    ...(name.includes('-') && { isCustom: true as const }),
    ...(LOOSE.has(name) && { isLoose: true as const }),
  };
}
