/**
 * Reads the references, links and facts of a page or an SVG (docs/spec/shapes.md, sections 16.1 and 16.2). Does not run
 * scripts.
 */
import { hrefName, keyword, textOf } from './attributes.ts';
import { ElementStack } from './element-stack.ts';
import { declaredFacts } from './image-attributes.ts';
import { BACKGROUNDS, FOREIGN_TEXT_ELEMENTS, LAZY_ATTRIBUTES, TEXT_ELEMENTS } from './image-elements.ts';
import { type Attributes, Markup, type MarkupHandler } from './markup.ts';
import { ElementNames, type NameList, namesOf } from './names.ts';
import { PageHead } from './page-head.ts';
import { PageImages } from './page-images.ts';
import { MAX_HREF_LENGTH, PageLinks } from './page-links.ts';
import { PageReferences } from './page-references.ts';
import type { DocumentReading, DocumentSizing, PageFacts } from './reading.ts';
import { PageElements } from './sizing/elements.ts';
import { readSizingRules, type SizingRules } from './sizing/rules.ts';
import { PageScripts } from './sizing/scripts.ts';
import { SourceTextBuilder } from './source-text.ts';

const MAX_TITLE_LENGTH = 1000;
/** A page with an empty framework root and less text and fewer images than this is filled by its script. */
const MIN_TEXT_CHARACTERS = 200;
const MIN_IMAGES = 3;

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

export interface PageSource {
  source: string;
  url: string;
  /** Whether to parse by the rules of XML. */
  xml: boolean;
}

export const readPage = (page: PageSource): DocumentReading & { page: PageFacts } => new PageReader(page).read();

class PageReader implements MarkupHandler {
  readonly #source: string;
  readonly #xml: boolean;
  readonly #elements = new ElementStack();
  readonly #references: PageReferences;
  readonly #links: PageLinks;
  readonly #head: PageHead;
  readonly #images: PageImages;
  readonly #names = new ElementNames();
  readonly #sizedElements = new PageElements();
  readonly #scripts = new PageScripts();
  /** Sizing rules of the page's `style` elements. */
  readonly #sizing: SizingRules = { rules: [], animates: false };
  #isSizingKnown = true;
  #hasStyles = false;
  /** The open element whose content is text. It has a builder only if the text is needed. */
  #raw: { name: string; attributes: Attributes; builder: SourceTextBuilder | undefined } | undefined;
  #title: string | undefined;
  #textLength = 0;
  /** The open root element of a framework, the nesting depth of elements with its name, and whether it is empty. */
  #root: { name: string; depth: number; empty: boolean } | undefined;
  #emptyRoot = false;

  constructor({ source, url, xml }: PageSource) {
    this.#source = source;
    this.#xml = xml;
    const references = new PageReferences(source, url, this.#elements);
    const links = new PageLinks(references);
    this.#references = references;
    this.#links = links;
    this.#head = new PageHead(references, links);
    this.#images = new PageImages({
      ...{ references, links },
      ...{ elements: this.#elements, sizedElements: this.#sizedElements, scripts: this.#scripts },
    });
  }

  read(): DocumentReading & { page: PageFacts } {
    new Markup(this.#source, this, this.#xml).read();
    this.#endRaw();
    this.#images.endPicture();
    this.#links.end();
    this.#endRoot();
    const needsJavaScript =
      this.#emptyRoot && this.#images.count < MIN_IMAGES && this.#textLength < MIN_TEXT_CHARACTERS;
    for (const reference of this.#references.list)
      reference.preloaded = reference.role !== 'link_preload' && this.#head.isPreloaded(reference.url);
    return {
      references: this.#references.list,
      inlineImages: this.#references.inlineImages,
      truncated: this.#references.full || this.#references.stylesheets.full,
      stylesheets: this.#references.stylesheets.all,
      sizing: needsJavaScript ? null : this.#documentSizing(),
      page: {
        title: this.#title || null,
        canonicalUrl: this.#head.canonicalUrl,
        links: this.#links.addresses(),
        manifestUrl: this.#head.manifestUrl,
        names: needsJavaScript ? undefined : this.#names.all,
        needsJavaScript,
      },
    };
  }

  #documentSizing(): string | null {
    const { hasScripts, hasFiles, isStyling, names } = this.#scripts;
    const { stylesheets } = this.#references;
    const elements = this.#sizedElements.all;
    const hasStyles = this.#hasStyles || stylesheets.all.length > 0;
    // If a page has scripts but no style sheets, its scripts add the styles.
    const isKnown = this.#isSizingKnown && !isStyling && !stylesheets.full && (hasStyles || !hasFiles);
    if (!isKnown || !elements || !names) return null;
    const sizing: DocumentSizing = { ...this.#sizing, page: { elements, hasScripts, scriptNames: names } };
    return JSON.stringify(sizing);
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
      if (name === 'a') this.#links.end();
      if (name === 'picture') this.#images.endPicture();
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
    if (href !== undefined) this.#references.addStylesheet(href);
  }

  #visibleText(start: number, end: number): void {
    let characters = 0;
    const enough = Math.max(1, MIN_TEXT_CHARACTERS - this.#textLength);
    for (let at = start; at < end && characters < enough; at++) if (this.#source.charCodeAt(at) > 0x20) characters++;
    if (characters === 0) return;
    this.#textLength += characters;
    this.#links.addText();
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
      this.#references.addCss(text, 'sheet', {
        role: 'style_block',
        tag: 'style',
        media: textOf(raw.attributes, 'media'),
      });
    } else if (isJsonLd(raw.attributes)) this.#references.addJsonLd(text);
    else this.#scripts.text(text.text);
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
        this.#images.image(attributes, names);
        break;
      case 'amp-img':
      case 'amp-anim':
        this.#images.ampImage(name, attributes, names);
        break;
      case 'source':
        this.#images.source(attributes);
        break;
      case 'video':
        this.#images.addSized('video_poster', name, attributes, names, 'poster');
        break;
      case 'input':
        if (keyword(attributes, 'type') === 'image')
          this.#images.addSized('input_image', name, attributes, names, 'src');
        break;
      case 'object':
        this.#images.addEmbedded(name, attributes, names, 'data');
        break;
      case 'embed':
        this.#images.addEmbedded(name, attributes, names, 'src');
        break;
      case 'a':
        this.#links.start(attributes);
        this.#links.hyperlink(name, attributes, 'href');
        break;
      case 'area':
        this.#links.hyperlink(name, attributes, 'href');
        break;
      case 'iframe':
        this.#links.addHref(attributes.get('src')?.text);
        break;
      case 'base':
        this.#references.setBase(attributes);
        break;
      case 'link':
        this.#head.link(attributes);
        break;
      case 'meta':
        this.#head.meta(attributes);
        break;
    }
    if (BACKGROUNDS.has(name)) this.#references.add('legacy_background', name, attributes, 'background');
  }

  #foreignElement(name: string, attributes: Attributes): void {
    const href = hrefName(attributes);
    if (name === 'image' || name === 'feimage') {
      this.#references.add('svg_image', name, attributes, href, declaredFacts(attributes));
    } else if (name === 'a') {
      this.#links.start(attributes);
      this.#links.hyperlink(name, attributes, href);
    }
  }

  #anyElement(name: string, attributes: Attributes): void {
    if (attributes.size === 0) return;
    const style = attributes.get('style');
    if (style) this.#references.addCss(style, 'declarations', { role: 'inline_style', tag: name, attribute: 'style' });
    if (!IMAGE_ELEMENTS.has(name)) this.#references.addLazy(name, attributes, {});
    this.#references.addData(name, attributes);
  }
}

const isJsonLd = (attributes: Attributes): boolean =>
  /^application\/ld\+json\s*(?:;|$)/.test(keyword(attributes, 'type') ?? '');
