/** Collects the places of one file that may name an image. */
import { rolesWithUse } from '../../base/reference-roles.ts';
import { type Range, trimmed } from '../../web-documents/source-text.ts';
import type { Candidate, CandidateKind, ImageTag, Reason } from './candidate.ts';
import { type EmbeddedSource, type Encode, UNKNOWN } from './embedded-source.ts';
import type { ImageElement } from './image-element.ts';

/** Kinds for crawlers and browser tabs, which do not all support new formats. */
const SOCIAL: ReadonlySet<string> = new Set(rolesWithUse('crawled'));

export interface Place {
  kind: CandidateKind;
  /** Escapes the address within its layer. */
  encode?: Encode;
  /** The address, if the range has escapes of its own. */
  address?: string;
  reason?: Reason | undefined;
  image?: ImageTag | undefined;
  /** Whether it is only a guess. It then loses against any other candidate for the same characters. */
  guessed?: boolean;
}

/** Reads markup in a string. Passed as a parameter because of a circular dependency: markup contains scripts. */
export type ReadMarkup = (sink: ReferenceCollector, layer: EmbeddedSource) => void;

const MAX_DEPTH = 4;

export class ReferenceCollector {
  readonly #source: string;
  readonly #readMarkup: ReadMarkup;
  readonly #found: Candidate[] = [];
  readonly #elements: ImageElement[] = [];
  readonly #guessed = new Set<Candidate>();
  /** Reason for everything that is found now. */
  #reason: Reason | undefined;
  #depth = 0;
  /** Components that convert images at build time, by their names in this file. */
  readonly optimizers = new Set<string>();
  /** Imported images by variable name. */
  readonly #imports = new Map<string, Candidate>();
  readonly #optimized = new Set<string>();
  /** The values of variables by name, and the variables used in them. */
  readonly #values = new Map<string, { ranges: Range[]; from: string[] }>();
  readonly #crawled = new Set<string>();

  constructor(source: string, readMarkup: ReadMarkup) {
    this.#source = source;
    this.#readMarkup = readMarkup;
  }

  /**
   * @param wanted range of the address; default: the whole text
   * @returns undefined if it is not an address: empty, a fragment or a `data:` URI
   */
  add(layer: EmbeddedSource, place: Place, wanted?: Range): Candidate | undefined {
    const { text } = layer;
    let range = trimmed(text, wanted);
    if (range.start >= range.end || isFragment(text, range.start)) return undefined;
    if (/^data:/i.test(text.slice(range.start, range.start + 5))) return undefined;
    const known = knownPart(text, range);
    if (known) range = known;
    const dynamic = !known || place.reason === 'dynamic';
    const { start, end } = layer.place(range);
    const raw = this.#source.slice(start, end);
    const address = !known ? raw : (place.address ?? text.slice(range.start, range.end));
    const encode = place.encode;
    const reason =
      this.#reason ?? (dynamic ? 'dynamic' : (place.reason ?? (SOCIAL.has(place.kind) ? 'social_image' : undefined)));
    const candidate: Candidate = {
      start,
      end,
      raw,
      address,
      kind: place.kind,
      encode: encode ? (written) => layer.write(encode(written)) : layer.write,
      ...(reason ? { reason } : {}),
      ...(place.image ? { image: place.image } : {}),
    };
    this.#found.push(candidate);
    if (place.guessed) this.#guessed.add(candidate);
    return candidate;
  }

  /** Adds an `img` whose tag is written in the source unescaped. */
  addElement(element: ImageElement): void {
    this.#elements.push(this.#reason ? { ...element, reason: this.#reason } : element);
  }

  /** In order. */
  get elements(): ImageElement[] {
    return this.#elements.toSorted((one, other) => one.start - other.start);
  }

  /** Gives everything that `read` finds this reason. */
  within(reason: Reason, read: () => void): void {
    const outer = this.#reason;
    this.#reason = outer ?? reason;
    read();
    this.#reason = outer;
  }

  /** Reads markup in a string. */
  markup(layer: EmbeddedSource): void {
    if (this.#depth >= MAX_DEPTH) return;
    this.#depth++;
    this.#readMarkup(this, layer);
    this.#depth--;
  }

  imported(name: string, candidate: Candidate): void {
    this.#imports.set(name, candidate);
  }

  /** Marks a variable as shown by a component that converts images at build time. */
  optimizes(name: string): void {
    this.#optimized.add(name);
  }

  /**
   * Records the value of a variable.
   * @param layer contains `range`
   * @param from other variables used in the value
   */
  declares(name: string, layer: EmbeddedSource, range: Range, from: readonly string[]): void {
    const known = this.#values.get(name) ?? { ranges: [], from: [] };
    known.ranges.push(layer.place(range));
    known.from.push(...from);
    this.#values.set(name, known);
  }

  /** Marks a variable as used for crawlers. */
  crawls(name: string): void {
    this.#crawled.add(name);
  }

  /** Marks images that crawlers get through variables, even if the images are shown elsewhere too. */
  #markCrawled(): void {
    const ranges: Range[] = [];
    // Iterating a Set includes the items that are added meanwhile.
    for (const name of this.#crawled) {
      const { ranges: own = [], from = [] } = this.#values.get(name) ?? {};
      ranges.push(...own);
      for (const other of from) this.#crawled.add(other);
    }
    if (ranges.length === 0) return;
    ranges.sort((one, other) => one.start - other.start);
    let end = -1;
    let next = 0;
    for (const candidate of this.#found.toSorted((one, other) => one.start - other.start)) {
      for (; next < ranges.length && ranges[next]!.start <= candidate.start; next += 1)
        end = Math.max(end, ranges[next]!.end);
      if (candidate.end <= end) candidate.reason ??= 'social_image';
    }
  }

  /** The candidates in order. Of overlapping ones, the innermost is kept. */
  get list(): Candidate[] {
    this.#markCrawled();
    for (const name of this.#optimized) {
      const candidate = this.#imports.get(name);
      if (candidate) candidate.reason ??= 'framework_optimizes';
    }
    const list: Candidate[] = [];
    for (const candidate of this.#found.toSorted((a, b) => a.start - b.start)) {
      const last = list.at(-1);
      if (last && candidate.start < last.end) {
        if (!this.#wins(candidate, last)) continue;
        list.pop();
      }
      list.push(candidate);
    }
    return list;
  }

  #wins(candidate: Candidate, other: Candidate): boolean {
    if (this.#guessed.has(candidate) !== this.#guessed.has(other)) return this.#guessed.has(other);
    return candidate.end - candidate.start < other.end - other.start;
  }
}

/** Whether the address is a fragment, not the `#{}` of a preprocessor. */
const isFragment = (text: string, start: number): boolean => text[start] === '#' && text[start + 1] !== '{';

/**
 * Returns the part of an address before a query or fragment, if only those contain expressions.
 * @returns undefined if the path is unknown
 */
function knownPart(text: string, range: Range): Range | undefined {
  const unknown = text.slice(range.start, range.end).indexOf(UNKNOWN);
  if (unknown === -1) return range;
  const before = text.slice(range.start, range.start + unknown);
  const end = Math.max(before.lastIndexOf('?'), before.lastIndexOf('#'));
  return end > 0 ? { start: range.start, end: range.start + end } : undefined;
}
