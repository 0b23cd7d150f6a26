/**
 * Names of elements (`div`, `#menu`, `.hero`) as numbers: those that a page has, and those that a style rule needs. A
 * browser loads only the images of rules that match an element. Only names are compared: a rule that needs a name
 * missing from the page cannot match; all other rules are assumed to match.
 */

/**
 * For each alternative of a selector, the names it needs, as returned by {@link nameNumber}. If empty, the selector
 * matches nothing.
 */
export type RequiredNames = readonly (readonly number[])[];

/** Names as numbers. */
export type NameList = readonly number[];

/** A page with more names is assumed to have every name. */
const MAX_NAMES = 4096;

/**
 * 32-bit FNV-1a of the name in lower case. Only some documents compare names case-sensitively, so case is ignored for
 * all.
 */
export function nameNumber(name: string): number {
  let hash = 0x811c9dc5;
  for (const character of name.toLowerCase()) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return hash >>> 0;
}

/** Whether a rule may match an element of a page. @param names of the page; undefined if not known */
export function mayMatch(needed: RequiredNames | undefined, names: ReadonlySet<number> | undefined): boolean {
  if (!needed || !names) return true;
  return needed.some((alternative) => alternative.every((name) => names.has(name)));
}

/** The tag, id and class names of an element. */
export function namesOf(tag: string, id: string | null, classes: string | null): NameList {
  const names = [nameNumber(tag)];
  if (id) names.push(nameNumber(`#${id}`));
  if (classes) for (const name of classes.split(/[ \t\n\r\f]+/, MAX_NAMES)) names.push(nameNumber(`.${name}`));
  return names;
}

/** Collects the names of all elements of a page. */
export class ElementNames {
  // The parser creates these elements even if the source does not contain them.
  readonly #names = new Set(['html', 'head', 'body'].map(nameNumber));

  add(names: NameList): void {
    if (this.#names.size > MAX_NAMES) return;
    for (const name of names) this.#names.add(name);
  }

  /** Undefined if there are too many. */
  get all(): number[] | undefined {
    return this.#names.size > MAX_NAMES ? undefined : [...this.#names];
  }
}
