/** Which addresses belong to the website that is scanned (spec/shapes.md, sections 16.1 and 16.3). */
import { pageAddress } from '../../../engine/documents/address.ts';
import type { PageSkipReason } from '../../../storage/schema.ts';
import { sitePart } from '../domain.ts';
import { leftOutBy, type MatchPaths } from '../patterns.ts';
import type { SiteScanSettings } from '../settings.ts';

type SiteSettings = Pick<SiteScanSettings, 'include_subdomains' | 'include' | 'exclude'>;

export class Site {
  readonly origin: string;
  readonly #part: string;
  readonly #settings: SiteSettings;
  readonly #match: MatchPaths;

  /** @param origin that the start address led to */
  constructor(origin: string, settings: SiteSettings, match: MatchPaths) {
    this.origin = origin;
    this.#part = sitePart(origin);
    this.#settings = settings;
    this.#match = match;
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

  /** Why the page at an address is none that is to be scanned, if it is not. */
  async leftOut(address: string): Promise<PageSkipReason | undefined> {
    const url = this.page(address);
    if (url === undefined) return 'off_domain';
    return (await this.excluded([url])).has(url) ? 'excluded' : undefined;
  }

  /** The pages among those of the site that its owner does not want to be scanned. */
  async excluded(urls: readonly string[]): Promise<ReadonlySet<string>> {
    return await leftOutBy(this.#settings, urls, this.#match);
  }

  /** Whether an image comes from another host than the pages. */
  isExternal(url: string): boolean {
    return sitePart(url) !== this.#part && !(this.#settings.include_subdomains && this.#isBelow(url));
  }

  #isBelow(url: string): boolean {
    return sitePart(url).endsWith(`.${this.#part}`);
  }
}
