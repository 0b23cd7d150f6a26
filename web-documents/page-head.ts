/** Reads the `link` and `meta` elements of a page. */
import { keyword, textOf, tokens } from './attributes.ts';
import { displayedSize } from './displayed-size.ts';
import { displayFacts, srcsetOf } from './image-attributes.ts';
import { ICON_RELATIONS, META_ROLES } from './image-elements.ts';
import type { Attributes } from './markup.ts';
import { MAX_HREF_LENGTH, type PageLinks } from './page-links.ts';
import type { PageReferences } from './page-references.ts';
import type { ReferenceFacts } from './references.ts';

const LINK_RELATIONS = ['next', 'prev', 'canonical'];

export class PageHead {
  readonly #references: PageReferences;
  readonly #links: PageLinks;
  readonly #preloads = new Set<string>();
  canonicalUrl: string | null = null;
  manifestUrl: string | null = null;

  constructor(references: PageReferences, links: PageLinks) {
    this.#references = references;
    this.#links = links;
  }

  isPreloaded(url: string): boolean {
    return this.#preloads.has(url);
  }

  link(attributes: Attributes): void {
    const href = attributes.get('href')?.text;
    const relations = new Set((keyword(attributes, 'rel') ?? '').split(/\s+/));
    const as = keyword(attributes, 'as');
    const facts = {
      media: textOf(attributes, 'media'),
      sizes: textOf(attributes, 'sizes'),
      type: textOf(attributes, 'type'),
    };
    if (relations.has('stylesheet') || (relations.has('preload') && as === 'style'))
      this.#references.addStylesheet(href);
    if ([...relations].some((relation) => ICON_RELATIONS.has(relation)))
      this.#references.add('link_icon', 'link', attributes, 'href', facts);
    if (relations.has('preload') && as === 'image') this.#preload(attributes, facts);
    if (relations.has('image_src') || tokens(attributes, 'itemprop').includes('image'))
      this.#references.add('og_image', 'link', attributes, 'href', facts);
    if (relations.has('manifest') && href !== undefined) this.manifestUrl ??= this.#references.address(href) ?? null;
    if (relations.has('canonical') && href !== undefined)
      this.canonicalUrl ??= this.#references.pageAddress(href) ?? null;
    const isPage = LINK_RELATIONS.some((relation) => relations.has(relation));
    if (isPage || (relations.has('alternate') && !relations.has('stylesheet') && isPageType(facts.type)))
      this.#links.addHref(href);
  }

  meta(attributes: Attributes): void {
    const content = attributes.get('content');
    if (!content) return;
    const role =
      META_ROLES.get(keyword(attributes, 'property') ?? '') ?? META_ROLES.get(keyword(attributes, 'name') ?? '');
    if (role) this.#references.add(role, 'meta', attributes, 'content');
    else if (tokens(attributes, 'itemprop').includes('image'))
      this.#references.add('og_image', 'meta', attributes, 'content');
    if (keyword(attributes, 'http-equiv') === 'refresh') this.#links.addHref(refreshAddress(content.text));
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
    this.#references.add('link_preload', 'link', attributes, 'href', { ...all, displayed });
    this.#references.addCandidates('link_preload', 'link', attributes, 'imagesrcset', candidates, displayed, all);
    for (const { url } of this.#references.list.slice(first)) this.#preloads.add(url);
  }
}

/** Alternates may also be feeds. */
const isPageType = (type: string | null): boolean =>
  !type || /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type);

const REFRESH = /^\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is;

/** The address in a `content` such as `5; url=next.html`. */
function refreshAddress(content: string): string | undefined {
  const [, double, single, plain] = REFRESH.exec(content.slice(0, MAX_HREF_LENGTH)) ?? [];
  return double ?? single ?? plain;
}
