/** Collects the links of a page, and judges whether the images in a link need a text. */
import { hasImageExtension } from './address.ts';
import { AddressList } from './address-list.ts';
import { isDataUri } from './data-uri.ts';
import type { Attributes } from './markup.ts';
import type { PageReferences } from './page-references.ts';
import type { ImageReference } from './reading.ts';

/** Maximum number of distinct link texts. Several may resolve to the same address. */
const MAX_HREFS = 60_000;
export const MAX_HREF_LENGTH = 16_384;

export class PageLinks {
  readonly #references: PageReferences;
  /** The links as written, because `base` may come later. */
  readonly #hrefs = new Set<string>();
  /** The open `a` element, whether it has a name for screen readers, and its images without a text. */
  #link: { named: boolean; images: ImageReference[] } | undefined;

  constructor(references: PageReferences) {
    this.#references = references;
  }

  /** The distinct addresses of pages. */
  addresses(): string[] {
    const links = new AddressList();
    for (const href of this.#hrefs) {
      const address = this.#references.pageAddress(href);
      if (address !== undefined && !hasImageExtension(address)) links.add(address);
      if (links.full) break;
    }
    return links.all;
  }

  /** Starts an `a` element. */
  start(attributes: Attributes): void {
    this.end();
    const named = ['aria-label', 'aria-labelledby', 'title'].some((name) => attributes.get(name)?.text.trim());
    this.#link = { named, images: [] };
  }

  /** An image with an empty `alt` is not decoration if it is the only content of a link. */
  end(): void {
    if (this.#link && !this.#link.named) for (const reference of this.#link.images) reference.lacksAlt = true;
    this.#link = undefined;
  }

  hyperlink(tag: string, attributes: Attributes, attribute: string): void {
    const href = attributes.get(attribute)?.text;
    this.addHref(href);
    if (href !== undefined && (isDataUri(href.trim()) || hasImageExtension(href.trim())))
      this.#references.add('linked_image', tag, attributes, attribute);
  }

  addHref(href: string | undefined): void {
    if (href === undefined || href.length > MAX_HREF_LENGTH || this.#hrefs.size >= MAX_HREFS) return;
    const [address] = href.trim().split('#', 1);
    if (address) this.#hrefs.add(address);
  }

  /** Notes that the open link contains text. */
  addText(): void {
    if (this.#link) this.#link.named = true;
  }

  /** Notes an image in the open link. */
  addImage(alt: string | null, references: readonly ImageReference[]): void {
    if (!this.#link) return;
    if (alt?.trim()) this.#link.named = true;
    else if (alt !== null) this.#link.images.push(...references);
  }
}
