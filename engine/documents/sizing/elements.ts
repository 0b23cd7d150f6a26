/**
 * The images of a page with the elements around them, as far as selectors ask for them. Only what is around an image is kept,
 * and elements that are alike only once: 100 cards of one kind are one.
 */
import { type NameList, nameNumber } from '../names.ts';
import type { SizingEffect } from './effects.ts';
import { readSizingStyle } from './rules.ts';

export interface PageElement {
  /** Number of the element around it in the list; null of the outermost. */
  parent: number | null;
  /** As of {@link nameNumber}. */
  names: NameList;
  /** Of its style attribute. */
  style?: readonly SizingEffect[];
  /** A custom element: scripts may put anything around what is in it. */
  isCustom?: true;
  /** Its end tag may be missing, or it is one of a table: an image may stand outside of it in truth. */
  isLoose?: true;
}

/** What a page tells of its images beside its rules. */
export interface PageSizing {
  elements: readonly PageElement[];
  hasScripts: boolean;
  /** Names that its scripts may give to any element. */
  scriptNames: readonly number[];
}

const MAX_ELEMENTS = 5000;
const MAX_DEPTH = 256;
const MAX_STYLE_LENGTH = 10_000;

const list = (text: string) => new Set(text.split(' '));
const VOID = list('area base br col embed hr img input link meta param source track wbr');
const LOOSE = list('li p dd dt option optgroup rt rp table caption colgroup thead tbody tfoot tr td th');
const FORMATTING = list('a b big code em font i nobr s small strike strong tt u');
/** End tags of others do not reach over these (HTML standard, "special"). */
const SPECIAL = list(
  'address article aside blockquote body button center details dialog dir div dl fieldset figcaption figure footer form h1 ' +
    'h2 h3 h4 h5 h6 header hgroup html iframe li main menu nav ol p pre search section select summary table tbody td ' +
    'template textarea tfoot th thead title tr ul',
);
/** End tags do not reach out of these. */
const SCOPES = list('caption html object table td th template');
const TABLE_PARTS = list('table caption colgroup thead tbody tfoot tr td th');
/** Start tags that end a paragraph. */
const ENDS_PARAGRAPH = list(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 ' +
    'h6 header hgroup hr main menu nav ol p pre search section table ul',
);
/** Start tags that end an element of these. */
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
  /** Its number in the list, once an image is found inside. */
  seq: number | undefined;
}

export class PageElements {
  readonly #open: Open[] = [];
  readonly #list: PageElement[] = [];
  readonly #known = new Map<string, number>();
  /** How many elements of a name are open. */
  readonly #names = new Map<string, number>();
  #isTooMuch = false;

  constructor() {
    // The parser makes them where the text does not.
    for (const name of ['html', 'body']) this.#push({ name, names: [nameNumber(name)], style: null, seq: undefined });
  }

  /** The elements in a list; undefined where there are too many. */
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
      // They are children of something else from here on.
      for (const open of inside) open.seq = undefined;
      return;
    }
    if (!SPECIAL.has(name) && inside.some((open) => SPECIAL.has(open.name))) return;
    if (!TABLE_PARTS.has(name) && inside.some((open) => SCOPES.has(open.name))) return;
    while (this.#open.length > at) this.#pop();
  }

  /** The number of an image that stands here. */
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

  /** Of all tags of this name the first attributes count. */
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
