/**
 * Collects the references of one document, with limits: a hostile document may hold millions, or a few of many
 * megabytes.
 */
import { isDataUri, readDataUri } from './data-uri.ts';
import type { DisplayedSize } from './displayed-size.ts';
import { rounded } from './displayed-size.ts';
import type { RequiredNames } from './names.ts';
import type { ImageReference, InlineImage, ReferenceRole } from './reading.ts';
import type { Resolver } from './resolver.ts';
import { LineIndex, type Range, type SourceText, trimmed } from './source-text.ts';

export const MAX_REFERENCES = 20_000;
/** Maximum total length of all strings in the references. */
const MAX_CHARACTERS = 32_000_000;
/** Maximum length of attributes that are only reported. */
const MAX_TEXT_LENGTH = 1000;
const MAX_RAW_LENGTH = 16_384;
const DATA_URI_CHARACTERS = 200;

/** What is known of a reference besides its address and its position. */
export interface ReferenceFacts extends Partial<Omit<ImageReference, Derived | 'role' | 'needed'>> {
  role: ReferenceRole;
  displayed?: DisplayedSize;
  needed?: RequiredNames | undefined;
}

/** Fields that follow from the address, its position, the displayed size or the rest of the page. */
type Derived = 'url' | 'raw' | 'line' | 'column' | 'preloaded' | `displayed${'Width' | 'Height' | 'Source'}`;

export interface FoundReference {
  text: SourceText;
  range: Range;
  /** The text of the range with escapes resolved, if its syntax has escapes. */
  address?: string;
  base: string;
  /** Accepts or rejects a resolved address. */
  accepts?: (url: string) => boolean;
}

export class References {
  readonly list: ImageReference[] = [];
  readonly #source: string;
  readonly #resolver: Resolver;
  readonly #inline = new Map<string, InlineImage>();
  #places: LineIndex | undefined;
  #characters = 0;

  constructor(source: string, resolver: Resolver) {
    this.#source = source;
    this.#resolver = resolver;
  }

  get inlineImages(): InlineImage[] {
    return [...this.#inline.values()];
  }

  get full(): boolean {
    return this.list.length >= MAX_REFERENCES || this.#characters >= MAX_CHARACTERS || this.#resolver.exhausted;
  }

  /**
   * Adds a reference.
   * @returns undefined if it is not the address of an image, or a limit is reached
   */
  add(found: FoundReference, facts: ReferenceFacts): ImageReference | undefined {
    if (this.full) return undefined;
    const range = trimmed(found.text.text, found.range);
    // A fragment alone refers to the document itself.
    if (range.start === range.end || found.text.text[range.start] === '#') return undefined;
    const address = found.address ?? found.text.text.slice(range.start, range.end);
    const place = found.text.range(range);
    const inline = isDataUri(address.trim()) ? this.#inlineImage(address.trim()) : undefined;
    if (!inline && place.end - place.start > MAX_RAW_LENGTH) return undefined;
    const url = inline?.url ?? this.#resolver.address(address, found.base);
    if (url === undefined || (!inline && found.accepts && !found.accepts(url))) return undefined;
    const { displayed } = facts;
    const reference: ImageReference = {
      role: inline ? 'data_uri' : facts.role,
      url,
      tag: facts.tag ?? null,
      attribute: facts.attribute ?? null,
      raw: this.#source.slice(place.start, inline ? Math.min(place.end, place.start + DATA_URI_CHARACTERS) : place.end),
      descriptor: clip(facts.descriptor),
      media: clip(facts.media),
      sizes: clip(facts.sizes),
      type: clip(facts.type),
      alt: clip(facts.alt),
      loading: clip(facts.loading),
      declaredWidth: facts.declaredWidth ?? null,
      declaredHeight: facts.declaredHeight ?? null,
      displayedWidth: rounded(displayed?.width ?? null),
      displayedHeight: rounded(displayed?.height ?? null),
      displayedSource: displayed?.source ?? 'unknown',
      ...this.#place(place.start),
      inNoscript: facts.inNoscript ?? false,
      imageNumber: facts.imageNumber ?? null,
      lacksDimensions: facts.lacksDimensions ?? false,
      lacksAlt: facts.lacksAlt ?? false,
      lazy: facts.lazy ?? false,
      preloaded: false,
      candidates: facts.candidates ?? 1,
      element: facts.element ?? null,
      ...(facts.needed && { needed: facts.needed }),
    };
    this.#characters += lengthOf(reference);
    this.list.push(reference);
    return reference;
  }

  #inlineImage(address: string): InlineImage | undefined {
    const image = readDataUri(address);
    if (image) this.#inline.set(image.url, image);
    return image;
  }

  #place(offset: number): { line: number; column: number } {
    this.#places ??= new LineIndex(this.#source);
    return this.#places.at(offset);
  }
}

const clip = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : text.slice(0, MAX_TEXT_LENGTH);

function lengthOf({ url, raw, media, sizes, type, alt, loading, descriptor }: ImageReference): number {
  let length = url.length + raw.length;
  for (const text of [media, sizes, type, alt, loading, descriptor]) length += text?.length ?? 0;
  return length;
}
