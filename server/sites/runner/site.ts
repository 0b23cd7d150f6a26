/** Decides which addresses belong to the scanned website (docs/spec/shapes.md, sections 16.1 and 16.3). */

import type { PageSkipReason } from '../../../storage/records/site-pages.ts';
import { pageAddress } from '../../../web-documents/address.ts';
import { sitePart } from '../domain.ts';
import { excludedBy, type MatchPaths } from '../patterns.ts';
import type { SiteScanSettings } from '../settings.ts';

type SiteSettings = Pick<SiteScanSettings, 'include_subdomains' | 'include' | 'exclude'>;

export class Site {
  readonly origin: string;
  readonly #part: string;
  readonly #settings: SiteSettings;
  readonly #match: MatchPaths;

  /** @param origin the origin that the start address led to */
  constructor(origin: string, settings: SiteSettings, match: MatchPaths) {
    this.origin = origin;
    this.#part = sitePart(origin);
    this.#settings = settings;
    this.#match = match;
  }

  /**
   * Normalizes the address of a page for the list: removes tracking parameters, and uses the origin that the start
   * address led to for all addresses of the site's own host, because they lead there.
   * @returns undefined when it is not a page of this site
   */
  page(address: string): string | undefined {
    const url = pageAddress(address);
    if (url === undefined) return undefined;
    if (sitePart(url) === this.#part) return this.origin + url.slice(new URL(url).origin.length);
    return this.#settings.include_subdomains && this.#isBelow(url) ? url : undefined;
  }

  /** The reason why a page is not scanned, if any. */
  async leftOut(address: string): Promise<PageSkipReason | undefined> {
    const url = this.page(address);
    if (url === undefined) return 'off_domain';
    return (await this.excluded([url])).has(url) ? 'excluded' : undefined;
  }

  /** The pages that the owner's patterns exclude. */
  async excluded(urls: readonly string[]): Promise<ReadonlySet<string>> {
    return await excludedBy(this.#settings, urls, this.#match);
  }

  /** Whether an image comes from a host other than that of the pages. */
  isExternal(url: string): boolean {
    return sitePart(url) !== this.#part && !(this.#settings.include_subdomains && this.#isBelow(url));
  }

  #isBelow(url: string): boolean {
    return sitePart(url).endsWith(`.${this.#part}`);
  }
}
