/**
 * Keeps the open elements that change how the document is read. Other elements are not kept: their end tags are often
 * missing or in the wrong order, and a hostile page nests millions.
 */

const FOREIGN = new Set(['svg', 'math']);
/** Elements of SVG and MathML that contain HTML. */
const INTEGRATION_POINTS = new Set([
  'foreignobject',
  'desc',
  'title',
  'annotation-xml',
  'mi',
  'mo',
  'mn',
  'ms',
  'mtext',
]);
/** End tags inside these elements do not close elements outside. */
const BOUNDARIES = new Set(['template', 'noscript']);
/** Elements of HTML. */
const CONTAINERS = new Set([...BOUNDARIES, 'picture']);
/** Start tags that end SVG and MathML (HTML standard, "The rules for parsing tokens in foreign content"). */
const BREAKOUT = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);

interface Entry {
  name: string;
  /** Whether the content follows the rules of SVG and MathML. */
  foreign: boolean;
  /** Whether this is, or is inside, a template whose content is not shown. */
  inTemplate: boolean;
  inNoscript: boolean;
  /** Number of open elements by name, inside the last boundary. */
  names: Map<string, number>;
}

export class ElementStack {
  readonly #entries: Entry[] = [
    { name: '', foreign: false, inTemplate: false, inNoscript: false, names: new Map<string, number>() },
  ];

  readonly #boundaries = new Map<string, number>();

  get #top(): Entry {
    return this.#entries.at(-1)!;
  }

  get foreign(): boolean {
    return this.#top.foreign;
  }

  get inTemplate(): boolean {
    return this.#top.inTemplate;
  }

  get inNoscript(): boolean {
    return this.#top.inNoscript;
  }

  /** The innermost element of the stack; '' outside of all. */
  get parent(): string {
    return this.#top.name;
  }

  /** @param shadow whether it is a template that is shown in place */
  open(name: string, shadow: boolean): void {
    const { foreign, inTemplate, inNoscript, names } = this.#top;
    if (!FOREIGN.has(name) && !(foreign ? INTEGRATION_POINTS : CONTAINERS).has(name)) return;
    this.#push({
      name,
      foreign: FOREIGN.has(name),
      inTemplate: inTemplate || (name === 'template' && !shadow),
      inNoscript: inNoscript || name === 'noscript',
      names: BOUNDARIES.has(name) ? new Map() : names,
    });
  }

  close(name: string): void {
    // The end tag of a boundary reaches over other boundaries.
    const open = BOUNDARIES.has(name) ? this.#boundaries : this.#top.names;
    if (!open.get(name)) return;
    while (this.#top.name !== name) this.#pop();
    this.#pop();
  }

  /** Leaves SVG and MathML if an HTML start tag ends them. */
  leaveForeign(name: string): void {
    if (this.foreign && BREAKOUT.has(name)) while (this.foreign) this.#pop();
  }

  #push(entry: Entry): void {
    count(this.#top.names, entry.name, 1);
    if (BOUNDARIES.has(entry.name)) count(this.#boundaries, entry.name, 1);
    this.#entries.push(entry);
  }

  #pop(): void {
    const { name } = this.#entries.pop()!;
    count(this.#top.names, name, -1);
    if (BOUNDARIES.has(name)) count(this.#boundaries, name, -1);
  }
}

function count(names: Map<string, number>, name: string, by: number): void {
  names.set(name, (names.get(name) ?? 0) + by);
}
