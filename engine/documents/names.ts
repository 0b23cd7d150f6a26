/**
 * What elements are called (`div`, `#menu`, `.hero`), as numbers: which a page has, and which a rule of a style sheet needs. A
 * browser loads the images of rules that match an element alone. Names are compared, nothing else: a rule that needs a name
 * which the page has not cannot match, of others it is believed.
 */
/** Of each alternative of a selector the names that it needs, as {@link nameNumber} has them; none: it matches nothing. */
export type NeededNames = readonly (readonly number[])[];

/** Numbers of names. */
export type NameList = readonly number[];

/** Of a page; one with more is believed to have all. */
const MOST_NAMES = 4096;

/** 32 bits of FNV-1a; the capitals of names count in some documents alone, so here in none. */
export function nameNumber(name: string): number {
  let hash = 0x811c9dc5;
  for (const character of name.toLowerCase()) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return hash >>> 0;
}

/** Whether a rule may match an element of a page. @param names of the page; undefined where they are not known */
export function mayMatch(needed: NeededNames | undefined, names: ReadonlySet<number> | undefined): boolean {
  if (!needed || !names) return true;
  return needed.some((alternative) => alternative.every((name) => names.has(name)));
}

/** What an element is called. */
export function namesOf(tag: string, id: string | null, classes: string | null): NameList {
  const names = [nameNumber(tag)];
  if (id) names.push(nameNumber(`#${id}`));
  if (classes) for (const name of classes.split(/[ \t\n\r\f]+/, MOST_NAMES)) names.push(nameNumber(`.${name}`));
  return names;
}

/** The names of the elements of a page. */
export class ElementNames {
  // The parser makes them where the text does not.
  readonly #names = new Set(['html', 'head', 'body'].map(nameNumber));

  add(names: NameList): void {
    if (this.#names.size > MOST_NAMES) return;
    for (const name of names) this.#names.add(name);
  }

  /** Undefined where there are too many. */
  get all(): number[] | undefined {
    return this.#names.size > MOST_NAMES ? undefined : [...this.#names];
  }
}
