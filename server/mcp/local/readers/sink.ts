/** Gathers the places of one file. */
import { rolesThatAre } from '../../../../base/reference-roles.ts';
import { type Range, trimmed } from '../../../../engine/documents/source-text.ts';
import type { Candidate, CandidateKind, ImageTag, Reason } from './candidate.ts';
import type { ImageElement } from './image-element.ts';
import { type Layer, UNKNOWN, type Write } from './layer.ts';

/** Crawlers and tabs of browsers do not all read new formats. */
const SOCIAL: ReadonlySet<string> = new Set(rolesThatAre('crawled'));

export interface Place {
  kind: CandidateKind;
  /** Of the address within its layer. */
  encode?: Write;
  /** What the range reads as, where it has escapes of its own. */
  address?: string;
  reason?: Reason | undefined;
  image?: ImageTag | undefined;
  /** A guess: whatever else is found in the same characters is right. */
  guessed?: boolean;
}

/** Reads markup in a string; given in, because markup has scripts with strings in them. */
export type ReadMarkup = (sink: Sink, layer: Layer) => void;

const DEEPEST = 4;

export class Sink {
  readonly #source: string;
  readonly #readMarkup: ReadMarkup;
  readonly #found: Candidate[] = [];
  readonly #elements: ImageElement[] = [];
  readonly #guessed = new Set<Candidate>();
  /** What holds for all that is found now. */
  #reason: Reason | undefined;
  #depth = 0;
  /** Components that convert images at build, by their names in this file. */
  readonly optimizers = new Set<string>();
  /** Images that are imported, by the name of the variable. */
  readonly #imports = new Map<string, Candidate>();
  readonly #optimized = new Set<string>();
  /** Where variables get their values, by their names; and the variables that those are made of. */
  readonly #values = new Map<string, { ranges: Range[]; from: string[] }>();
  readonly #crawled = new Set<string>();

  constructor(source: string, readMarkup: ReadMarkup) {
    this.#source = source;
    this.#readMarkup = readMarkup;
  }

  /** @returns undefined for what is no address: nothing, a fragment, a `data:` URI */
  add(layer: Layer, wanted: Range, place: Place): Candidate | undefined {
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

  /** An `img` whose tag stands in the source as it reads. */
  addElement(element: ImageElement): void {
    this.#elements.push(this.#reason ? { ...element, reason: this.#reason } : element);
  }

  /** In their order. */
  get elements(): ImageElement[] {
    return this.#elements.toSorted((one, other) => one.start - other.start);
  }

  /** All that `read` finds has this reason. */
  within(reason: Reason, read: () => void): void {
    const outer = this.#reason;
    this.#reason = outer ?? reason;
    read();
    this.#reason = outer;
  }

  /** Markup in a string. */
  markup(layer: Layer): void {
    if (this.#depth >= DEEPEST) return;
    this.#depth++;
    this.#readMarkup(this, layer);
    this.#depth--;
  }

  imported(name: string, candidate: Candidate): void {
    this.#imports.set(name, candidate);
  }

  /** A component that converts images at build shows what this variable holds. */
  optimizes(name: string): void {
    this.#optimized.add(name);
  }

  /**
   * A variable has a value.
   * @param layer that `range` is in
   * @param from other variables that the value is made of
   */
  declares(name: string, layer: Layer, range: Range, from: readonly string[]): void {
    const known = this.#values.get(name) ?? { ranges: [], from: [] };
    known.ranges.push(layer.place(range));
    known.from.push(...from);
    this.#values.set(name, known);
  }

  /** Crawlers are given what this variable holds. */
  crawls(name: string): void {
    this.#crawled.add(name);
  }

  /** Images that crawlers are given by variables stay what they are, wherever else they are shown. */
  #markCrawled(): void {
    const ranges: Range[] = [];
    // A set takes more while it is gone through.
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

  /** In their order; of those within one another the innermost. */
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

/** A place in the document itself, not the `#{}` of a preprocessor. */
function isFragment(text: string, start: number): boolean {
  return text[start] === '#' && text[start + 1] !== '{';
}

/**
 * Of an address with expressions in it: what stands before a query or fragment that holds all of them.
 * @returns undefined where the address is not known
 */
function knownPart(text: string, range: Range): Range | undefined {
  const unknown = text.slice(range.start, range.end).indexOf(UNKNOWN);
  if (unknown === -1) return range;
  const before = text.slice(range.start, range.start + unknown);
  const end = Math.max(before.lastIndexOf('?'), before.lastIndexOf('#'));
  return end > 0 ? { start: range.start, end: range.start + end } : undefined;
}
