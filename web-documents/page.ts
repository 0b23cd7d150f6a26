/**
 * Reads the references, links and facts of a page or an SVG (spec/shapes.md, sections 16.1 and 16.2). Does not run
 * scripts.
 */
import { hasImageExtension, hasNonImageExtension, normalizeAddress } from './address.ts';
import { AddressList } from './address-list.ts';
import { hrefName, keyword, textOf, tokens } from './attributes.ts';
import { type CssText, readCss } from './css.ts';
import { isDataUri } from './data-uri.ts';
import { type DisplayedSize, displayedCandidate, displayedSize } from './displayed-size.ts';
import { ElementStack } from './element-stack.ts';
import {
  declaredSides,
  displayFacts,
  hasSides,
  lacksDimensions,
  NO_DISPLAY_FACTS,
  srcsetOf,
} from './image-attributes.ts';
import {
  BACKGROUNDS,
  FOREIGN_TEXT_ELEMENTS,
  ICON_RELATIONS,
  LAZY_ATTRIBUTES,
  META_ROLES,
  SRCSET_ATTRIBUTES,
  TEXT_ELEMENTS,
} from './image-elements.ts';
import { findJsonLdImages } from './json-ld.ts';
import { type Attributes, Markup, type MarkupHandler } from './markup.ts';
import { ElementNames, type NameList, namesOf } from './names.ts';
import type { DocumentReading, DocumentSizing, ImageReference, PageFacts, ReferenceRole } from './reading.ts';
import { MAX_REFERENCES, type ReferenceFacts, References } from './references.ts';
import { Resolver } from './resolver.ts';
import { PageElements } from './sizing/elements.ts';
import { readSizingRules, type SizingRules } from './sizing/rules.ts';
import { PageScripts } from './sizing/scripts.ts';
import { type SourceText, SourceTextBuilder } from './source-text.ts';
import { parseSrcset, type SrcsetCandidate } from './srcset.ts';

/** Maximum number of distinct link texts. Several may resolve to the same address. */
const MAX_HREFS = 60_000;
const MAX_HREF_LENGTH = 16_384;
const MAX_TITLE_LENGTH = 1000;
/** A page with an empty framework root and less text and fewer images than this is filled by its script. */
const MIN_TEXT_CHARACTERS = 200;
const MIN_IMAGES = 3;

const LAZY: ReadonlySet<string> = new Set(LAZY_ATTRIBUTES);
const ATTRIBUTES = new Set([
  ...LAZY_ATTRIBUTES,
  ...['src', 'srcset', 'sizes', 'data-sizes', 'media', 'type', 'alt', 'loading', 'width', 'height', 'style', 'layout'],
  ...['href', 'rel', 'as', 'imagesrcset', 'imagesizes', 'poster', 'data', 'background', 'shadowrootmode'],
  ...[
    'id',
    'class',
    'onload',
    'title',
    'aria-label',
    'aria-labelledby',
    'content',
    'name',
    'property',
    'itemprop',
    'http-equiv',
  ],
]);

/** Elements whose lazy attributes belong to the image that they show. */
const IMAGE_ELEMENTS = new Set(['img', 'source', 'amp-img', 'amp-anim']);
/** Ids of elements that frameworks fill in the browser. */
const FRAMEWORK_ROOTS = new Set(['root', 'app', '__next', '__nuxt', '___gatsby']);
const LINK_RELATIONS = ['next', 'prev', 'canonical'];
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

export interface PageSource {
  source: string;
  url: string;
  /** Whether to parse by the rules of XML. */
  xml: boolean;
}

export function readPage(page: PageSource): DocumentReading & { page: PageFacts } {
  return new PageReader(page).read();
}

class PageReader implements MarkupHandler {
  readonly #source: string;
  readonly #url: string;
  readonly #xml: boolean;
  readonly #resolver = new Resolver();
  readonly #references: References;
  readonly #elements = new ElementStack();
  readonly #stylesheets = new AddressList();
  /** The links as written, because `base` may come later. */
  readonly #hrefs = new Set<string>();
  readonly #preloads = new Set<string>();
  readonly #names = new ElementNames();
  readonly #sizedElements = new PageElements();
  readonly #scripts = new PageScripts();
  /** Sizing rules of the page's `style` elements. */
  readonly #sizing: SizingRules = { rules: [], animates: false };
  #isSizingKnown = true;
  #hasStyles = false;
  #base: string;
  #baseFound = false;
  #images = 0;
  /** `source` elements of a `picture`, until its `img` gives the other facts. */
  #pictureSources: Attributes[] = [];
  /** The open element whose content is text. It has a builder only if the text is needed. */
  #raw: { name: string; attributes: Attributes; builder: SourceTextBuilder | undefined } | undefined;
  #link: { named: boolean; images: ImageReference[] } | undefined;
  #title: string | undefined;
  #canonicalUrl: string | null = null;
  #manifestUrl: string | null = null;
  #textLength = 0;
  /** The open root element of a framework, the nesting depth of elements with its name, and whether it is empty. */
  #root: { name: string; depth: number; empty: boolean } | undefined;
  #emptyRoot = false;

  constructor({ source, url, xml }: PageSource) {
    this.#source = source;
    this.#url = url;
    this.#base = url;
    this.#xml = xml;
    this.#references = new References(source, this.#resolver);
  }

  read(): DocumentReading & { page: PageFacts } {
    new Markup(this.#source, this, this.#xml).read();
    this.#endRaw();
    this.#endPicture(undefined);
    this.#endLink();
    this.#endRoot();
    const needsJavaScript = this.#emptyRoot && this.#images < MIN_IMAGES && this.#textLength < MIN_TEXT_CHARACTERS;
    for (const reference of this.#references.list)
      reference.preloaded = reference.role !== 'link_preload' && this.#preloads.has(reference.url);
    return {
      references: this.#references.list,
      inlineImages: this.#references.inlineImages,
      truncated: this.#references.full || this.#stylesheets.full,
      stylesheets: this.#stylesheets.all,
      sizing: needsJavaScript ? null : this.#documentSizing(),
      page: {
        title: this.#title || null,
        canonicalUrl: this.#canonicalUrl,
        links: this.#links(),
        manifestUrl: this.#manifestUrl,
        names: needsJavaScript ? undefined : this.#names.all,
        needsJavaScript,
      },
    };
  }

  #documentSizing(): string | null {
    const { hasScripts, hasFiles, isStyling, names } = this.#scripts;
    const elements = this.#sizedElements.all;
    const hasStyles = this.#hasStyles || this.#stylesheets.all.length > 0;
    // If a page has scripts but no style sheets, its scripts add the styles.
    const isKnown = this.#isSizingKnown && !isStyling && !this.#stylesheets.full && (hasStyles || !hasFiles);
    if (!isKnown || !elements || !names) return null;
    const sizing: DocumentSizing = { ...this.#sizing, page: { elements, hasScripts, scriptNames: names } };
    return JSON.stringify(sizing);
  }

  #links(): string[] {
    const links = new AddressList();
    for (const href of this.#hrefs) {
      const address = this.#resolver.page(href, this.#base);
      if (address !== undefined && !hasImageExtension(address)) links.add(address);
      if (links.full) break;
    }
    return links.all;
  }

  // Markup

  wants(attribute: string): boolean {
    return ATTRIBUTES.has(attribute) || attribute.startsWith('data-') || attribute.endsWith(':href');
  }

  foreign(): boolean {
    return this.#elements.foreign;
  }

  open(tag: string, attributes: Attributes, empty: boolean): void {
    // In XML, scripts and styles may contain markup. Ignore it.
    if (this.#raw) return;
    this.#elements.leaveForeign(tag);
    const foreign = this.#elements.foreign;
    const name = tag === 'image' && !foreign ? 'img' : tag;
    const names = namesOf(name, textOf(attributes, 'id'), textOf(attributes, 'class'));
    this.#names.add(names);
    const shown = !this.#elements.inTemplate;
    if (shown) {
      this.#watchRoot(name, attributes, empty);
      if (foreign) this.#foreignElement(name, attributes);
      else this.#element(name, attributes, names);
      this.#anyElement(name, attributes);
    }
    if (empty) return;
    this.#elements.open(name, attributes.has('shadowrootmode'));
    if ((foreign ? FOREIGN_TEXT_ELEMENTS : TEXT_ELEMENTS).has(name)) this.#startRaw(name, attributes, shown);
    else if (shown) this.#sizedElements.open(name, names, textOf(attributes, 'style'));
  }

  close(tag: string): void {
    const name = tag === 'image' && !this.#elements.foreign ? 'img' : tag;
    if (this.#raw) {
      if (this.#raw.name === name) this.#endRaw();
      return;
    }
    if (!this.#elements.inTemplate) {
      if (name === 'a') this.#endLink();
      if (name === 'picture') this.#endPicture(undefined);
      if (this.#root?.name === name && --this.#root.depth === 0) this.#endRoot();
      this.#sizedElements.close(name);
    }
    this.#elements.close(name);
  }

  text(start: number, end: number): void {
    if (this.#raw) this.#raw.builder?.literal(start, end);
    else if (!this.#elements.inTemplate && !this.#elements.inNoscript) this.#visibleText(start, end);
  }

  textReference(codePoint: number, start: number, end: number): void {
    if (this.#raw) this.#raw.builder?.references([codePoint], start, end);
    // Character references for spaces do not count as text.
    else if (String.fromCodePoint(codePoint).trim()) this.text(start, end);
  }

  instruction(start: number, end: number): void {
    const text = this.#source.slice(start, Math.min(end, start + MAX_HREF_LENGTH));
    const [, href] = /^xml-stylesheet\s[^?]*?\bhref\s*=\s*["']([^"']*)["']/.exec(text) ?? [];
    if (href !== undefined) this.#addStylesheet(href);
  }

  #visibleText(start: number, end: number): void {
    let characters = 0;
    const enough = Math.max(1, MIN_TEXT_CHARACTERS - this.#textLength);
    for (let at = start; at < end && characters < enough; at++) if (this.#source.charCodeAt(at) > 0x20) characters++;
    if (characters === 0) return;
    this.#textLength += characters;
    if (this.#link) this.#link.named = true;
    if (this.#root) this.#root.empty = false;
  }

  // Elements whose content is text

  #startRaw(name: string, attributes: Attributes, shown: boolean): void {
    const wanted =
      shown &&
      (name === 'style' ||
        (name === 'title' && this.#title === undefined && !this.#elements.inNoscript) ||
        (name === 'script' && (this.#isScript(attributes) || isJsonLd(attributes))));
    this.#raw = { name, attributes, builder: wanted ? new SourceTextBuilder(this.#source) : undefined };
  }

  #endRaw(): void {
    const raw = this.#raw;
    this.#raw = undefined;
    if (!raw?.builder) return;
    const text = raw.builder.build();
    if (raw.name === 'title') this.#title = text.text.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_TITLE_LENGTH);
    else if (raw.name === 'style') {
      this.#addSizing(text.text);
      this.#addCss(text, 'sheet', { role: 'style_block', tag: 'style', media: textOf(raw.attributes, 'media') });
    } else if (!isJsonLd(raw.attributes)) this.#scripts.text(text.text);
    else {
      for (const image of findJsonLdImages(text.text))
        this.#references.add(
          { text, range: image, address: image.value, base: this.#base },
          { role: 'json_ld', tag: 'script', inNoscript: this.#elements.inNoscript },
        );
    }
  }

  /** Whether the script's code is in the element itself. */
  #isScript(attributes: Attributes): boolean {
    return this.#scripts.element(keyword(attributes, 'type'), textOf(attributes, 'src'));
  }

  #addSizing(css: string): void {
    this.#hasStyles = true;
    const found = readSizingRules(css, this.#sizing);
    if (!found) this.#isSizingKnown = false;
  }

  // Framework roots

  #watchRoot(name: string, attributes: Attributes, empty: boolean): void {
    if (this.#root) {
      if (name === this.#root.name && !empty) this.#root.depth++;
      if (name === 'img' || name === 'a') this.#root.empty = false;
    } else if (name === 'app-root' || FRAMEWORK_ROOTS.has(attributes.get('id')?.text ?? ''))
      this.#root = { name, depth: 1, empty: true };
  }

  #endRoot(): void {
    if (this.#root?.empty) this.#emptyRoot = true;
    this.#root = undefined;
  }

  // Elements

  #element(name: string, attributes: Attributes, names: NameList): void {
    switch (name) {
      case 'img':
        this.#image(attributes, names);
        break;
      case 'amp-img':
      case 'amp-anim':
        this.#ampImage(name, attributes, names);
        break;
      case 'source':
        if (this.#elements.parent === 'picture' && this.#pictureSources.length < MAX_REFERENCES)
          this.#pictureSources.push(attributes);
        break;
      case 'video':
        this.#addSized('video_poster', name, attributes, names, 'poster');
        break;
      case 'input':
        if (keyword(attributes, 'type') === 'image') this.#addSized('input_image', name, attributes, names, 'src');
        break;
      case 'object':
        this.#addEmbedded(name, attributes, names, 'data');
        break;
      case 'embed':
        this.#addEmbedded(name, attributes, names, 'src');
        break;
      case 'a':
        this.#startLink(attributes);
        this.#hyperlink(name, attributes, 'href');
        break;
      case 'area':
        this.#hyperlink(name, attributes, 'href');
        break;
      case 'iframe':
        this.#addHref(attributes.get('src')?.text);
        break;
      case 'base':
        this.#setBase(attributes);
        break;
      case 'link':
        this.#linkElement(attributes);
        break;
      case 'meta':
        this.#meta(attributes);
        break;
    }
    if (BACKGROUNDS.has(name)) this.#add('legacy_background', name, attributes, 'background');
  }

  #foreignElement(name: string, attributes: Attributes): void {
    const href = hrefName(attributes);
    if (name === 'image' || name === 'feimage') {
      const declared = declaredSides(attributes);
      this.#add('svg_image', name, attributes, href, {
        declaredWidth: declared.width,
        declaredHeight: declared.height,
      });
    } else if (name === 'a') {
      this.#startLink(attributes);
      this.#hyperlink(name, attributes, href);
    }
  }

  #anyElement(name: string, attributes: Attributes): void {
    if (attributes.size === 0) return;
    const style = attributes.get('style');
    if (style) this.#addCss(style, 'declarations', { role: 'inline_style', tag: name, attribute: 'style' });
    if (!IMAGE_ELEMENTS.has(name)) this.#addLazy(name, attributes, {});
    this.#addData(name, attributes);
  }

  // Images

  #image(attributes: Attributes, names: NameList): void {
    const inNoscript = this.#elements.inNoscript;
    const element = this.#sizedElement('img', attributes, names);
    const alt = textOf(attributes, 'alt');
    if (!inNoscript) this.#images++;
    const start = this.#references.list.length;
    if (this.#elements.parent === 'picture') this.#endPicture(attributes, element);
    const first = this.#references.list.length;
    this.#addImage('img', attributes, {
      element,
      alt,
      loading: textOf(attributes, 'loading'),
      imageNumber: inNoscript ? null : this.#images,
      // Images in `noscript` only stand in for another element and are not judged.
      lacksDimensions: !inNoscript && lacksDimensions(attributes),
      lacksAlt: !inNoscript && alt === null,
      lazy: keyword(attributes, 'loading') === 'lazy' || this.#hasLazyAttribute(attributes),
    });
    // A browser shows only one of a picture's candidates.
    const offered = this.#references.list.slice(start).filter(({ role }) => role !== 'lazy_attribute');
    if (first > start) for (const reference of offered) reference.candidates = offered.length;
    if (!this.#link || inNoscript) return;
    if (alt?.trim()) this.#link.named = true;
    else if (alt !== null) this.#link.images.push(...this.#references.list.slice(first));
  }

  /** Adds `src`, `srcset` and the attributes that a script moves there later. */
  #addImage(tag: string, attributes: Attributes, facts: Partial<ReferenceFacts>): void {
    if (this.#references.full) return;
    const role = tag === 'img' ? 'img_src' : 'amp_img';
    const candidates = srcsetOf(attributes, 'srcset');
    const display = displayFacts(attributes, attributes, candidates, textOf(attributes, 'sizes'));
    const displayed = displayedSize(display);
    const declared = declaredSides(attributes);
    const all = {
      ...facts,
      sizes: textOf(attributes, 'sizes'),
      declaredWidth: declared.width,
      declaredHeight: declared.height,
    };
    const src = this.#add(role, tag, attributes, 'src', { ...all, displayed });
    const first = this.#references.list.length;
    this.#addCandidates(tag === 'img' ? 'img_srcset' : role, tag, attributes, 'srcset', candidates, displayed, all);
    const listed = this.#references.list.slice(first);
    const count = candidates.length + (src && !listed.some(({ url }) => url === src.url) ? 1 : 0);
    for (const reference of src ? [src, ...listed] : listed) reference.candidates = count;
    this.#addLazy(tag, attributes, all, attributes);
  }

  #ampImage(name: string, attributes: Attributes, names: NameList): void {
    const element = this.#sizedElement(name, attributes, names);
    this.#addImage(name, attributes, { element, alt: textOf(attributes, 'alt'), lazy: true });
  }

  #sizedElement(name: string, attributes: Attributes, names: NameList): number | null {
    const onload = attributes.get('onload')?.text;
    if (onload !== undefined) this.#scripts.handler(onload);
    return this.#sizedElements.image(name, names, textOf(attributes, 'style'));
  }

  #addCandidates(
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

  /** @param image attributes of the `img`, which comes last; undefined if there is none */
  #endPicture(image: Attributes | undefined, element: number | null = null): void {
    for (const attributes of this.#pictureSources) {
      const candidates = srcsetOf(attributes, 'srcset');
      const declared = declaredSides(hasSides(attributes) ? attributes : (image ?? attributes));
      const facts = {
        media: textOf(attributes, 'media'),
        sizes: textOf(attributes, 'sizes'),
        type: textOf(attributes, 'type'),
        declaredWidth: declared.width,
        declaredHeight: declared.height,
        element,
      };
      const display = displayFacts(attributes, image ?? attributes, candidates, facts.sizes);
      this.#addCandidates('picture_source', 'source', attributes, 'srcset', candidates, displayedSize(display), {
        ...facts,
        imageNumber: image && !this.#elements.inNoscript ? this.#images : null,
        candidates: Math.max(1, candidates.length),
      });
      this.#addLazy('source', attributes, facts, image ?? attributes);
    }
    this.#pictureSources = [];
  }

  #hasLazyAttribute(attributes: Attributes): boolean {
    if (this.#references.full) return false;
    return LAZY_ATTRIBUTES.some((name) => {
      const value = attributes.get(name)?.text;
      if (value === undefined) return false;
      const [first] = SRCSET_ATTRIBUTES.has(name) ? parseSrcset(value) : [{ start: 0, end: value.length }];
      const url = first && this.#resolver.address(value.slice(first.start, first.end), this.#base);
      return url !== undefined && hasImageExtension(url);
    });
  }

  /**
   * Adds the addresses that scripts move into place later. Only addresses with an image extension are accepted.
   * @param image attributes of the element that shows it; undefined for a background
   */
  #addLazy(tag: string, attributes: Attributes, facts: Partial<ReferenceFacts>, image?: Attributes): void {
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
      if (list) this.#addCandidates('lazy_attribute', tag, attributes, name, list, displayed, more, hasImageExtension);
      else if (/^\s*(?:url|(?:-webkit-)?image-set)\(/i.test(text.text.slice(0, 100)))
        this.#addCss(text, 'value', { role: 'lazy_attribute', tag, attribute: name });
      else this.#add('lazy_attribute', tag, attributes, name, { ...more, displayed }, hasImageExtension);
    }
  }

  /**
   * Adds images in other data attributes, such as `data-nav-image` and `data-zoom`. The place and size at which scripts
   * show them are not known.
   */
  #addData(tag: string, attributes: Attributes): void {
    for (const [name, { text }] of attributes)
      if (name.startsWith('data-') && !LAZY.has(name) && !/\s/.test(text.trim()) && hasImageExtension(text.trim()))
        this.#add('lazy_attribute', tag, attributes, name, {}, hasImageExtension);
  }

  #addSized(role: ReferenceRole, tag: string, attributes: Attributes, names: NameList, attribute: string): void {
    const { width, height } = declaredSides(attributes);
    const displayed = displayedSize(displayFacts(attributes, attributes, [], null));
    this.#add(role, tag, attributes, attribute, {
      element: this.#sizedElement(tag, attributes, names),
      alt: textOf(attributes, 'alt'),
      declaredWidth: width,
      declaredHeight: height,
      displayed,
    });
  }

  /**
   * Adds an embedded image. Any file can be embedded; images are recognised by their type, otherwise by their
   * extension.
   */
  #addEmbedded(tag: string, attributes: Attributes, names: NameList, attribute: string): void {
    const type = keyword(attributes, 'type');
    const { width, height } = declaredSides(attributes);
    const displayed = displayedSize(displayFacts(attributes, attributes, [], null));
    const facts = {
      type: textOf(attributes, 'type'),
      declaredWidth: width,
      declaredHeight: height,
      displayed,
      element: this.#sizedElement(tag, attributes, names),
    };
    if (type !== undefined && !type.startsWith('image/')) return;
    this.#add('object_data', tag, attributes, attribute, facts, type === undefined ? hasImageExtension : undefined);
  }

  // Links

  #startLink(attributes: Attributes): void {
    this.#endLink();
    const named = ['aria-label', 'aria-labelledby', 'title'].some((name) => attributes.get(name)?.text.trim());
    this.#link = { named, images: [] };
  }

  /** An image with an empty `alt` is not decoration if it is the only content of a link. */
  #endLink(): void {
    if (this.#link && !this.#link.named) for (const reference of this.#link.images) reference.lacksAlt = true;
    this.#link = undefined;
  }

  #hyperlink(tag: string, attributes: Attributes, attribute: string): void {
    const href = attributes.get(attribute)?.text;
    this.#addHref(href);
    if (href !== undefined && (isDataUri(href.trim()) || hasImageExtension(href.trim())))
      this.#add('linked_image', tag, attributes, attribute);
  }

  #addHref(href: string | undefined): void {
    if (href === undefined || href.length > MAX_HREF_LENGTH || this.#hrefs.size >= MAX_HREFS) return;
    const [address] = href.trim().split('#', 1);
    if (address) this.#hrefs.add(address);
  }

  /** Sets the base address. The first `base` with an address counts, for all references after it, and for all links. */
  #setBase(attributes: Attributes): void {
    const href = attributes.get('href')?.text;
    if (this.#baseFound || href === undefined || this.#elements.inNoscript) return;
    this.#baseFound = true;
    this.#base = normalizeAddress(href, this.#url) ?? this.#url;
  }

  #linkElement(attributes: Attributes): void {
    const href = attributes.get('href')?.text;
    const relations = new Set((keyword(attributes, 'rel') ?? '').split(/\s+/));
    const as = keyword(attributes, 'as');
    const facts = {
      media: textOf(attributes, 'media'),
      sizes: textOf(attributes, 'sizes'),
      type: textOf(attributes, 'type'),
    };
    if (relations.has('stylesheet') || (relations.has('preload') && as === 'style')) this.#addStylesheet(href);
    if ([...relations].some((relation) => ICON_RELATIONS.has(relation)))
      this.#add('link_icon', 'link', attributes, 'href', facts);
    if (relations.has('preload') && as === 'image') this.#preload(attributes, facts);
    if (relations.has('image_src') || tokens(attributes, 'itemprop').includes('image'))
      this.#add('og_image', 'link', attributes, 'href', facts);
    if (relations.has('manifest') && href !== undefined)
      this.#manifestUrl ??= this.#resolver.address(href, this.#base) ?? null;
    if (relations.has('canonical') && href !== undefined)
      this.#canonicalUrl ??= this.#resolver.page(href, this.#base) ?? null;
    const isPage = LINK_RELATIONS.some((relation) => relations.has(relation));
    if (isPage || (relations.has('alternate') && !relations.has('stylesheet') && isPageType(facts.type)))
      this.#addHref(href);
  }

  #preload(attributes: Attributes, facts: Partial<ReferenceFacts>): void {
    const first = this.#references.list.length;
    const candidates = srcsetOf(attributes, 'imagesrcset');
    const sizes = textOf(attributes, 'imagesizes');
    const displayed = displayedSize({
      ...displayFacts(attributes, attributes, candidates, sizes),
      media: facts.media ?? null,
    });
    const all = { ...facts, sizes, candidates: Math.max(1, candidates.length) };
    this.#add('link_preload', 'link', attributes, 'href', { ...all, displayed });
    this.#addCandidates('link_preload', 'link', attributes, 'imagesrcset', candidates, displayed, all);
    for (const { url } of this.#references.list.slice(first)) this.#preloads.add(url);
  }

  #addStylesheet(href: string | undefined): void {
    if (href?.trim() && !this.#stylesheets.full) this.#stylesheets.add(this.#resolver.address(href, this.#base));
  }

  #meta(attributes: Attributes): void {
    const content = attributes.get('content');
    if (!content) return;
    const role =
      META_ROLES.get(keyword(attributes, 'property') ?? '') ?? META_ROLES.get(keyword(attributes, 'name') ?? '');
    if (role) this.#add(role, 'meta', attributes, 'content');
    else if (tokens(attributes, 'itemprop').includes('image')) this.#add('og_image', 'meta', attributes, 'content');
    if (keyword(attributes, 'http-equiv') === 'refresh') this.#addHref(refreshAddress(content.text));
  }

  // References

  #add(
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
      {
        text,
        range: { start: 0, end: text.text.length },
        base: this.#base,
        ...(accepts ? { accepts } : {}),
      },
      { ...facts, role: this.#role(role), tag, attribute, inNoscript: this.#elements.inNoscript },
    );
  }

  #addCss(text: SourceText, kind: CssText, facts: ReferenceFacts): void {
    if (this.#references.full) return;
    for (const found of readCss(text.text, kind)) {
      if (found.kind === 'import') this.#addStylesheet(found.address);
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

  #role(role: ReferenceRole): ReferenceRole {
    return this.#elements.inNoscript && NOSCRIPT_ROLES.has(role) ? 'noscript' : role;
  }
}

function isJsonLd(attributes: Attributes): boolean {
  return /^application\/ld\+json\s*(?:;|$)/.test(keyword(attributes, 'type') ?? '');
}

/** Alternates may also be feeds. */
function isPageType(type: string | null): boolean {
  return !type || /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type);
}

const REFRESH = /^\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is;

/** The address in a `content` such as `5; url=next.html`. */
function refreshAddress(content: string): string | undefined {
  const [, double, single, plain] = REFRESH.exec(content.slice(0, MAX_HREF_LENGTH)) ?? [];
  return double ?? single ?? plain;
}
