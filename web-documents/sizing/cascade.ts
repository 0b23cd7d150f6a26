/**
 * Decides whether an image is displayed no larger than its attributes or style attribute say (CSS Cascade 5, as far as
 * possible without a browser). Every rule that can match counts, even if another rule would override it. Unknown counts
 * as no.
 */
import type { Size } from '../displayed-size.ts';
import type { SizingEffect, SizingKind } from './effects.ts';
import type { PageElement, PageSizing } from './elements.ts';
import type { SizingRule, SizingRules } from './rules.ts';
import type { ElementSelector } from './selectors.ts';

/**
 * Maximum steps for the images of one page: selector comparisons and effects. This takes 1 s at worst. Images beyond
 * the limit are not certain.
 */
const MAX_STEPS = 2_000_000;

interface Match {
  selector: ElementSelector;
  effects: readonly SizingEffect[];
}

/** The rules of a style sheet, indexed by a name that their elements must have. */
export class SizingIndex {
  readonly animates: boolean;
  /** Rules whose elements may have any name. */
  readonly any: Match[] = [];
  readonly #named = new Map<number, Match[]>();

  constructor({ rules, animates }: SizingRules) {
    this.animates = animates;
    for (const rule of rules) this.#add(rule);
  }

  named(name: number): readonly Match[] {
    return this.#named.get(name) ?? [];
  }

  #add({ selectors, effects }: SizingRule): void {
    // One alternative that matches everything makes the others redundant.
    const general = selectors.find(({ own, parent, above }) => own.length === 0 && !parent && above.length === 0);
    for (const selector of general ? [general] : selectors) {
      // Tags come first and are the most common names, so index by the last name.
      const name = selector.own.at(-1);
      if (name === undefined) this.any.push({ selector, effects });
      else if (this.#named.has(name)) this.#named.get(name)!.push({ selector, effects });
      else this.#named.set(name, [{ selector, effects }]);
    }
  }
}

/** The images of one page under its style sheets. */
export class SizingCascade {
  readonly #elements: readonly PageElement[];
  readonly #sheets: readonly SizingIndex[];
  readonly #hasScripts: boolean;
  readonly #scriptNames: ReadonlySet<number>;
  readonly #animates: boolean;
  /** Rules that may match any element. */
  readonly #any: readonly Match[];
  readonly #names = new Map<number, ReadonlySet<number>>();
  readonly #effects = new Map<number, readonly SizingEffect[]>();
  readonly #drawnLarger = new Map<number, boolean>();
  #steps = 0;

  constructor({ elements, hasScripts, scriptNames }: PageSizing, sheets: readonly SizingIndex[]) {
    this.#elements = elements;
    this.#sheets = sheets;
    this.#hasScripts = hasScripts;
    this.#scriptNames = new Set(scriptNames);
    this.#animates = sheets.some(({ animates }) => animates);
    const general = sheets.flatMap((sheet) => [sheet.any, ...scriptNames.map((name) => sheet.named(name))]);
    // Each element would be compared with all of them.
    this.#steps = general.reduce((sum, matches) => sum + matches.length, 0);
    this.#any = this.#isTooMuch ? [] : general.flat();
  }

  /** @param shown CSS pixels given by the markup; null for a side that it does not give */
  isCertain(element: number, shown: Size): boolean {
    return !this.#isTooMuch && this.#isWithin(element, shown) && !this.#isTooMuch;
  }

  get #isTooMuch(): boolean {
    return this.#steps > MAX_STEPS;
  }

  #isWithin(element: number, shown: Size): boolean {
    const image = this.#elements[element];
    if (!image || (shown.width === null && shown.height === null)) return false;
    if (image.parent !== null && this.#isDrawnLarger(image.parent)) return false;
    if (this.#all(element).some(([kind]) => kind === 'grow' || this.#isLarger(kind))) return false;
    const rules = this.#matching(element);
    const style = image.style ?? [];
    if (!isWithin(['width', 'min-width'], shown.width, rules, style)) return false;
    if (!isWithin(['height', 'min-height'], shown.height, rules, style)) return false;
    const isAuto = shown.width === null || shown.height === null || hasAutoHeight(rules, style);
    // The height of the file is not known here.
    if (isAuto && shown.width === null && hasAutoHeight(rules, style)) return false;
    return !isAuto || ![element, ...this.#parents(element)].some((seq) => this.#has(seq, 'stretch'));
  }

  /** Whether an element, or one around it, may draw its content larger. */
  #isDrawnLarger(element: number): boolean {
    const unknown: number[] = [];
    let at: number | null = element;
    for (; at !== null && !this.#drawnLarger.has(at); at = this.#elements[at]!.parent) unknown.push(at);
    let isLarger = at !== null && this.#drawnLarger.get(at)!;
    for (const seq of unknown.reverse()) {
      isLarger ||= this.#hasScripts && this.#elements[seq]!.isCustom === true;
      isLarger ||= this.#all(seq).some(([kind]) => this.#isLarger(kind));
      this.#drawnLarger.set(seq, isLarger);
    }
    return isLarger;
  }

  #isLarger(kind: SizingKind): boolean {
    return kind === 'scale' || (kind === 'animation' && this.#animates);
  }

  #has(element: number, wanted: SizingKind): boolean {
    return this.#all(element).some(([kind]) => kind === wanted);
  }

  #all(element: number): readonly SizingEffect[] {
    const effects = [...this.#matching(element), ...(this.#elements[element]!.style ?? [])];
    this.#steps += 1 + effects.length;
    return effects;
  }

  /** Effects of all rules that can match an element. */
  #matching(element: number): readonly SizingEffect[] {
    let effects = this.#effects.get(element);
    if (!effects) {
      const named = this.#sheets.flatMap((sheet) =>
        this.#elements[element]!.names.flatMap((name) => sheet.named(name)),
      );
      effects = [...this.#any, ...named]
        .filter(({ selector }) => this.#matches(selector, element))
        .flatMap((match) => match.effects);
      this.#effects.set(element, effects);
    }
    return effects;
  }

  #matches({ own, parent, above }: ElementSelector, element: number): boolean {
    this.#steps += 1;
    if (this.#isTooMuch) return false;
    if (!this.#isCalled(element, own)) return false;
    if (parent && !this.#hasParent(element, parent)) return false;
    if (above.length === 0) return true;
    const around = [...this.#around(element)];
    this.#steps += around.length * above.length;
    return above.every((names) => around.some((seq) => this.#isCalled(seq, names)));
  }

  #hasParent(element: number, wanted: readonly number[]): boolean {
    for (const seq of this.#parents(element)) {
      this.#steps += 1;
      if (this.#isCalled(seq, wanted)) return true;
    }
    return false;
  }

  #isCalled(element: number, wanted: readonly number[]): boolean {
    let names = this.#names.get(element);
    if (!names) {
      names = new Set(this.#elements[element]!.names);
      this.#names.set(element, names);
    }
    return wanted.every((name) => names.has(name) || this.#scriptNames.has(name));
  }

  /** The ancestors of an element, inner ones first. */
  *#around(element: number): Generator<number> {
    for (let at = this.#elements[element]!.parent; at !== null; at = this.#elements[at]!.parent) yield at;
  }

  /** The elements that may be its direct parent. */
  *#parents(element: number): Generator<number> {
    for (const seq of this.#around(element)) {
      yield seq;
      if (!this.#elements[seq]!.isLoose) return;
    }
  }
}

/** Whether nothing makes a side larger than the given size. */
function isWithin(
  kinds: readonly SizingKind[],
  shown: number | null,
  rules: readonly SizingEffect[],
  style: readonly SizingEffect[],
): boolean {
  return kinds.every((kind) => {
    const own = style.filter((effect) => effect[0] === kind);
    return [...own, ...winning(kind, rules, own)].every(([, px]) => px !== null && shown !== null && px <= shown);
  });
}

/** The rules that a style attribute does not override. */
function winning(
  kind: SizingKind,
  rules: readonly SizingEffect[],
  own: readonly SizingEffect[],
): readonly SizingEffect[] {
  const all = rules.filter((effect) => effect[0] === kind);
  if (own.some(([, , important]) => important)) return [];
  return own.length > 0 ? all.filter(([, , important]) => important) : all;
}

const hasAutoHeight = (rules: readonly SizingEffect[], style: readonly SizingEffect[]): boolean =>
  [...rules, ...style].some(([kind]) => kind === 'auto-height');
