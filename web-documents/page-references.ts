/** Adds the references of a page: of its attributes, of scripts that load images later, and of its style sheets. */
import { hasImageExtension, hasNonImageExtension, normalizeAddress } from './address.ts';
import { AddressList } from './address-list.ts';
import { textOf } from './attributes.ts';
import { type CssText, readCss } from './css.ts';
import { type DisplayedSize, displayedCandidate, displayedSize } from './displayed-size.ts';
import type { ElementStack } from './element-stack.ts';
import { displayFacts, NO_DISPLAY_FACTS, srcsetOf } from './image-attributes.ts';
import { LAZY_ATTRIBUTES, SRCSET_ATTRIBUTES } from './image-elements.ts';
import { findJsonLdImages } from './json-ld.ts';
import type { Attributes } from './markup.ts';
import type { ImageReference, InlineImage, ReferenceRole } from './reading.ts';
import { type ReferenceFacts, References } from './references.ts';
import { Resolver } from './resolver.ts';
import type { SourceText } from './source-text.ts';
import { parseSrcset, type SrcsetCandidate } from './srcset.ts';

const LAZY: ReadonlySet<string> = new Set(LAZY_ATTRIBUTES);
/** Roles whose images, inside `noscript`, are loaded only by browsers without scripts. */
const NOSCRIPT_ROLES: ReadonlySet<ReferenceRole> = new Set([
  'img_src',
  'img_srcset',
  'picture_source',
  'lazy_attribute',
  'inline_style',
  'style_block',
  'css_image_set',
  'svg_image',
  'video_poster',
  'input_image',
  'object_data',
  'legacy_background',
  'amp_img',
]);

export class PageReferences {
  readonly #url: string;
  readonly #elements: ElementStack;
  readonly #resolver = new Resolver();
  readonly #references: References;
  readonly stylesheets = new AddressList();
  #base: string;
  #baseFound = false;

  constructor(source: string, url: string, elements: ElementStack) {
    this.#url = url;
    this.#base = url;
    this.#elements = elements;
    this.#references = new References(source, this.#resolver);
  }

  get list(): ImageReference[] {
    return this.#references.list;
  }

  get inlineImages(): InlineImage[] {
    return this.#references.inlineImages;
  }

  /** Whether no more references are added. */
  get full(): boolean {
    return this.#references.full;
  }

  /** Resolves the address of a file; undefined if it is invalid. */
  address(href: string): string | undefined {
    return this.#resolver.address(href, this.#base);
  }

  /** Resolves the address of a page; undefined if it is invalid. */
  pageAddress(href: string): string | undefined {
    return this.#resolver.page(href, this.#base);
  }

  /** Sets the base address. The first `base` with an address counts, for all references after it, and for all links. */
  setBase(attributes: Attributes): void {
    const href = attributes.get('href')?.text;
    if (this.#baseFound || href === undefined || this.#elements.inNoscript) return;
    this.#baseFound = true;
    this.#base = normalizeAddress(href, this.#url) ?? this.#url;
  }

  add(
    role: ReferenceRole,
    tag: string,
    attributes: Attributes,
    attribute: string,
    facts: Partial<ReferenceFacts> = {},
    accepts?: (url: string) => boolean,
  ): ImageReference | undefined {
    const text = attributes.get(attribute);
    if (!text) return undefined;
    return this.#references.add(
      { text, range: { start: 0, end: text.text.length }, base: this.#base, ...(accepts ? { accepts } : {}) },
      { ...facts, role: this.#role(role), tag, attribute, inNoscript: this.#elements.inNoscript },
    );
  }

  addCss(text: SourceText, kind: CssText, facts: ReferenceFacts): void {
    if (this.#references.full) return;
    for (const found of readCss(text.text, kind)) {
      if (found.kind === 'import') this.addStylesheet(found.address);
      else
        this.#references.add(
          {
            text,
            range: found,
            address: found.address,
            base: this.#base,
            accepts: (url) => !hasNonImageExtension(url),
          },
          {
            ...facts,
            role: this.#role(found.kind === 'image_set' ? 'css_image_set' : facts.role),
            descriptor: found.descriptor,
            type: found.type,
            media: found.media ?? facts.media ?? null,
            needed: found.needed,
            inNoscript: this.#elements.inNoscript,
          },
        );
    }
  }

  addJsonLd(text: SourceText): void {
    for (const image of findJsonLdImages(text.text))
      this.#references.add(
        { text, range: image, address: image.value, base: this.#base },
        { role: 'json_ld', tag: 'script', inNoscript: this.#elements.inNoscript },
      );
  }

  addStylesheet(href: string | undefined): void {
    if (href?.trim() && !this.stylesheets.full) this.stylesheets.add(this.address(href));
  }

  addCandidates(
    role: ReferenceRole,
    tag: string,
    attributes: Attributes,
    attribute: string,
    candidates: readonly SrcsetCandidate[],
    displayed: DisplayedSize,
    facts: Partial<ReferenceFacts>,
    accepts?: (url: string) => boolean,
  ): void {
    const text = attributes.get(attribute);
    if (!text) return;
    for (const candidate of candidates)
      this.#references.add(
        { text, range: candidate, base: this.#base, ...(accepts ? { accepts } : {}) },
        {
          ...facts,
          role: this.#role(role),
          tag,
          attribute,
          descriptor: candidate.descriptor,
          displayed: displayedCandidate(displayed, candidate),
          inNoscript: this.#elements.inNoscript,
        },
      );
  }

  hasLazyAttribute(attributes: Attributes): boolean {
    if (this.#references.full) return false;
    return LAZY_ATTRIBUTES.some((name) => {
      const value = attributes.get(name)?.text;
      if (value === undefined) return false;
      const [first] = SRCSET_ATTRIBUTES.has(name) ? parseSrcset(value) : [{ start: 0, end: value.length }];
      const url = first && this.address(value.slice(first.start, first.end));
      return url !== undefined && hasImageExtension(url);
    });
  }

  /**
   * Adds the addresses that scripts move into place later. Only addresses with an image extension are accepted.
   * @param image attributes of the element that shows it; undefined for a background
   */
  addLazy(tag: string, attributes: Attributes, facts: Partial<ReferenceFacts>, image?: Attributes): void {
    if (this.#references.full || !LAZY_ATTRIBUTES.some((name) => attributes.has(name))) return;
    const lists = new Map([...SRCSET_ATTRIBUTES].map((name) => [name, srcsetOf(attributes, name)]));
    const all = [...lists.values()];
    const sizes = textOf(attributes, 'data-sizes') ?? facts.sizes ?? null;
    const displayed = displayedSize(image ? displayFacts(attributes, image, all.flat(), sizes) : NO_DISPLAY_FACTS);
    const more = { ...facts, sizes, candidates: Math.max(1, ...all.map((list) => list.length)) };
    for (const name of LAZY_ATTRIBUTES) {
      const text = attributes.get(name);
      const list = lists.get(name);
      if (!text) continue;
      if (list) this.addCandidates('lazy_attribute', tag, attributes, name, list, displayed, more, hasImageExtension);
      else if (/^\s*(?:url|(?:-webkit-)?image-set)\(/i.test(text.text.slice(0, 100)))
        this.addCss(text, 'value', { role: 'lazy_attribute', tag, attribute: name });
      else this.add('lazy_attribute', tag, attributes, name, { ...more, displayed }, hasImageExtension);
    }
  }

  /**
   * Adds images in other data attributes, such as `data-nav-image` and `data-zoom`. The place and size at which scripts
   * show them are not known.
   */
  addData(tag: string, attributes: Attributes): void {
    for (const [name, { text }] of attributes)
      if (name.startsWith('data-') && !LAZY.has(name) && !/\s/.test(text.trim()) && hasImageExtension(text.trim()))
        this.add('lazy_attribute', tag, attributes, name, {}, hasImageExtension);
  }

  #role(role: ReferenceRole): ReferenceRole {
    return this.#elements.inNoscript && NOSCRIPT_ROLES.has(role) ? 'noscript' : role;
  }
}
