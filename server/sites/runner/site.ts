/** Which addresses belong to the website that is scanned (spec/shapes.md, sections 16.1 and 16.3). */
import { pageAddress } from '../../../engine/documents/address.ts';
import { sitePart } from '../domain.ts';
import type { SiteScanSettings } from '../settings.ts';

export class Site {
  readonly origin: string;
  readonly #part: string;
  readonly #settings: Pick<SiteScanSettings, 'include_subdomains'>;

  /** @param origin that the start address led to */
  constructor(origin: string, settings: Pick<SiteScanSettings, 'include_subdomains'>) {
    this.origin = origin;
    this.#part = sitePart(origin);
    this.#settings = settings;
  }

  /**
   * The address of a page as it stands in the list: without what only tracks visitors, and of the site's own host in the
   * scheme and the spelling that the start address led to, because all others lead there.
   * @returns undefined for what is no page of this site
   */
  page(address: string): string | undefined {
    const url = pageAddress(address);
    if (url === undefined) return undefined;
    if (sitePart(url) === this.#part) return this.origin + url.slice(new URL(url).origin.length);
    return this.#settings.include_subdomains && this.#isBelow(url) ? url : undefined;
  }

  /** Whether an image comes from another host than the pages. */
  isExternal(url: string): boolean {
    return sitePart(url) !== this.#part && !(this.#settings.include_subdomains && this.#isBelow(url));
  }

  #isBelow(url: string): boolean {
    return sitePart(url).endsWith(`.${this.#part}`);
  }
}
