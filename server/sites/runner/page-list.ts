/** The list of the pages of a website: what is put on it, what of it is selected, and what is left out. */

import { EventLoopShare } from '../../../base/event-loop-share.ts';
import { extensionOf } from '../../../codecs/file-extension.ts';
import { hasImageExtension } from '../../../engine/documents/address.ts';
import type { Repositories } from '../../../storage/database.ts';
import type { NewSitePage, SitePage } from '../../../storage/repositories/site-crawl.ts';
import type { PageSkipReason } from '../../../storage/schema.ts';
import type { SiteRobots } from '../fetch/site-client.ts';
import type { Crawl, Warn } from './crawl.ts';
import type { Site } from './site.ts';

/** Pages of a scan that are listed; a calendar has no end. */
const MOST_PAGES = 100_000;
/** Pages that differ in their query alone (spec/shapes.md, section 16.1, step 5). */
const MOST_VARIANTS = 20;

/** Pages that are read from the table at a time. */
const BATCH = 1000;

/** Extensions of files that are no pages; those of images beside them. */
const OTHER_FILES = new Set<string>([
  ...['css', 'js', 'mjs', 'json', 'map', 'woff', 'woff2', 'ttf', 'otf', 'eot'],
  ...['mp3', 'm4a', 'ogg', 'oga', 'wav', 'flac', 'mp4', 'm4v', 'webm', 'ogv', 'mov', 'avi', 'mkv', 'mpg', 'mpeg'],
  ...['zip', 'gz', 'tgz', 'bz2', 'xz', '7z', 'rar', 'tar', 'iso', 'dmg', 'exe', 'msi', 'apk', 'deb', 'rpm'],
  ...[
    'pdf',
    'ps',
    'eps',
    'psd',
    'ai',
    'doc',
    'docx',
    'xls',
    'xlsx',
    'ppt',
    'pptx',
    'odt',
    'ods',
    'odp',
    'rtf',
    'csv',
    'epub',
    'ics',
    'vcf',
  ],
]);

export interface Candidate {
  url: string;
  depth: number;
  foundBy: SitePage['foundBy'];
}

/** What may become a page of the list. */
interface Weighed {
  candidate: Candidate;
  /** Of another site. */
  isForeign: boolean;
  /** By the patterns of the settings. */
  isExcluded: boolean;
}

/** By their addresses as they stand in the list, in the order that they come in. */
export type WeighedCandidates = ReadonlyMap<string, Weighed>;

export class PageList {
  readonly #crawl: Crawl;
  readonly #site: Site;
  readonly #robots: SiteRobots;
  /** Of each pattern of paths, how many pages are selected or over the limit; only when they are sampled. */
  readonly #sampled = new Map<string, number>();
  #listed = 0;
  #selected = 0;

  private constructor(crawl: Crawl, site: Site, robots: SiteRobots) {
    this.#crawl = crawl;
    this.#site = site;
    this.#robots = robots;
  }

  /** @param robots of the site's own host */
  static async open(crawl: Crawl, site: Site, robots: SiteRobots): Promise<PageList> {
    const list = new PageList(crawl, site, robots);
    const { settings, services } = crawl.context;
    const { siteCrawl } = services.database;
    list.#listed = (await siteCrawl.lastSeqs(crawl.scanId)).page;
    list.#selected = (await siteCrawl.countPages(crawl.scanId)).selected;
    if (settings.sample_per_pattern === null) return list;
    for (let after = 0; ; ) {
      const pages = await siteCrawl.chosenPages(crawl.scanId, after, BATCH);
      for (const { url } of pages) list.#countSample(url);
      if (pages.length < BATCH) return list;
      after = pages.at(-1)!.seq;
    }
  }

  /** Pages on it. */
  get listed(): number {
    return this.#listed;
  }

  /** Whether further pages would only be listed. */
  get isFull(): boolean {
    return this.#selected >= this.#crawl.context.scan.pagesAllowed;
  }

  /** A selected page has been left out, and no other has taken its place. */
  giveBack(): void {
    this.#selected -= 1;
  }

  /** Says of candidates what takes time to say, before they are added in a transaction, for which others wait. */
  async weigh(candidates: readonly Candidate[]): Promise<WeighedCandidates> {
    const byUrl = new Map<string, Weighed>();
    const share = new EventLoopShare();
    for (const candidate of candidates) {
      if (share.isUsedUp) await share.next();
      const own = this.#site.page(candidate.url);
      // What somebody has listed by hand he finds again, whatever it is.
      const isListed = candidate.foundBy === 'list';
      if (own === undefined && !isListed) continue;
      if (candidate.foundBy === 'link' && isOtherFile(own!)) continue;
      const url = own ?? candidate.url;
      if (!byUrl.has(url)) byUrl.set(url, { candidate, isForeign: own === undefined, isExcluded: false });
    }
    const own = [...byUrl].filter(([, { isForeign }]) => !isForeign).map(([url]) => url);
    for (const url of await this.#site.excluded(own)) byUrl.get(url)!.isExcluded = true;
    return byUrl;
  }

  /**
   * Puts pages on the list that are not there yet, in the order given. When it is undone the list must not be used again.
   */
  async add({ siteCrawl }: Repositories, weighed: WeighedCandidates, warn: Warn): Promise<void> {
    const { scanId } = this.#crawl;
    const byUrl = new Map(weighed);
    for (const { url } of await siteCrawl.knownPages(scanId, [...byUrl.keys()])) byUrl.delete(url);
    if (byUrl.size === 0) return;
    const variants = await siteCrawl.queryVariants(scanId, pathsWithQuery(byUrl.keys()), MOST_VARIANTS);
    let seq = this.#listed;
    const pages: NewSitePage[] = [];
    for (const [url, each] of byUrl) {
      const path = pathWithQuery(url);
      if (path !== undefined) {
        const known = variants.get(path) ?? 0;
        if (known >= MOST_VARIANTS) continue;
        variants.set(path, known + 1);
      }
      if (seq === MOST_PAGES) {
        warn('over_limit');
        break;
      }
      seq += 1;
      const { depth, foundBy } = each.candidate;
      const page = { scanId, seq, url, depth, foundBy };
      const skipReason = this.#skipReason(url, each);
      if (skipReason === 'robots') warn('robots_blocked');
      if (skipReason !== undefined) pages.push({ ...page, status: 'skipped', skipReason, selected: 0, overLimit: 0 });
      else pages.push({ ...page, status: 'found', skipReason: null, ...this.#choose(url) });
    }
    if (pages.some(({ overLimit }) => overLimit === 1)) warn('over_limit');
    await siteCrawl.insertPages(pages);
    this.#listed = seq;
  }

  #skipReason(url: string, { isForeign, isExcluded }: Weighed): PageSkipReason | undefined {
    if (isForeign) return 'off_domain';
    if (isOtherFile(url)) return 'not_html';
    // Other hosts have other rules: they are read when a page of theirs is.
    if (url.startsWith(`${this.#site.origin}/`) && !this.#robots.allows(url)) return 'robots';
    return isExcluded ? 'excluded' : undefined;
  }

  #choose(url: string): Pick<NewSitePage, 'selected' | 'overLimit'> {
    const { sample_per_pattern: most } = this.#crawl.context.settings;
    if (most !== null && (this.#sampled.get(patternOf(url)) ?? 0) >= most) return { selected: 0, overLimit: 0 };
    // One over the limit too: a place may become free.
    if (most !== null) this.#countSample(url);
    if (this.isFull) return { selected: 0, overLimit: 1 };
    this.#selected += 1;
    return { selected: 1, overLimit: 0 };
  }

  #countSample(url: string): void {
    const pattern = patternOf(url);
    this.#sampled.set(pattern, (this.#sampled.get(pattern) ?? 0) + 1);
  }
}

/** The folder of a page: `/blog/*` of `/blog/first` and `/blog/second/`. */
function patternOf(url: string): string {
  const { origin, pathname } = new URL(url);
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  return path === '' ? `${origin}/` : `${origin}${path.slice(0, path.lastIndexOf('/'))}/*`;
}

function isOtherFile(url: string): boolean {
  return hasImageExtension(url) || OTHER_FILES.has(extensionOf(new URL(url).pathname));
}

/** The address without its query; undefined when it has none. */
function pathWithQuery(url: string): string | undefined {
  const query = url.indexOf('?');
  return query === -1 ? undefined : url.slice(0, query);
}

function pathsWithQuery(urls: Iterable<string>): string[] {
  return [...new Set([...urls].map(pathWithQuery).filter((path) => path !== undefined))];
}
