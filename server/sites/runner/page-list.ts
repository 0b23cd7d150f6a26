/** The list of the pages of a website: which pages are on it, which are selected, and which are skipped. */

import { EventLoopShare } from '../../../base/event-loop-share.ts';
import { extensionOf } from '../../../codecs/file-extension.ts';
import type { Repositories } from '../../../storage/ports/database.ts';
import type { NewSitePage } from '../../../storage/ports/site-crawl.ts';
import type { PageSkipReason, SitePage } from '../../../storage/records/site-pages.ts';
import { hasImageExtension } from '../../../web-documents/address.ts';
import type { SiteRobots } from '../fetch/site-client.ts';
import type { Crawl, Warn } from './crawl.ts';
import type { Site } from './site.ts';

/** Maximum number of pages listed in a scan. A calendar, for example, has no end. */
const MAX_PAGES = 100_000;
/** Maximum number of pages that differ only in their query (docs/spec/shapes.md, section 16.1, step 5). */
const MAX_QUERY_VARIANTS = 20;

/** Number of pages read from the table at a time. */
const BATCH = 1000;

/** Extensions of files that are not pages, besides those of images. */
const NON_PAGE_EXTENSIONS = new Set<string>([
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

/** A candidate for the list. */
interface PreparedCandidate {
  candidate: Candidate;
  /** On another site. */
  isForeign: boolean;
  /** Excluded by the patterns of the settings. */
  isExcluded: boolean;
}

/** Candidates by their address in the list, in their original order. */
export type PreparedCandidates = ReadonlyMap<string, PreparedCandidate>;

export class PageList {
  readonly #crawl: Crawl;
  readonly #site: Site;
  readonly #robots: SiteRobots;
  /** For each path pattern, the number of pages that are selected or over the limit. Empty unless pages are sampled. */
  readonly #sampled = new Map<string, number>();
  #listed = 0;
  #selected = 0;

  private constructor(crawl: Crawl, site: Site, robots: SiteRobots) {
    this.#crawl = crawl;
    this.#site = site;
    this.#robots = robots;
  }

  /** @param robots robots.txt of the site's own host */
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

  /** Number of listed pages. */
  get listed(): number {
    return this.#listed;
  }

  /** Whether further pages would be listed but not selected. */
  get isFull(): boolean {
    return this.#selected >= this.#crawl.context.scan.pagesAllowed;
  }

  /** Frees the place of a selected page that was skipped without a replacement. */
  giveBack(): void {
    this.#selected -= 1;
  }

  /**
   * Does the slow checks of candidates before the transaction that adds them, because other transactions wait for it.
   */
  async weigh(candidates: readonly Candidate[]): Promise<PreparedCandidates> {
    const byUrl = new Map<string, PreparedCandidate>();
    const share = new EventLoopShare();
    for (const candidate of candidates) {
      if (share.isUsedUp) await share.next();
      const own = this.#site.page(candidate.url);
      // Pages listed by hand are always added, so that their owner finds them again.
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
   * Adds pages that are not on the list yet, in the given order. If the transaction is rolled back, the list must not
   * be used again.
   */
  async add({ siteCrawl }: Repositories, weighed: PreparedCandidates, warn: Warn): Promise<void> {
    const { scanId } = this.#crawl;
    const byUrl = new Map(weighed);
    for (const { url } of await siteCrawl.knownPages(scanId, [...byUrl.keys()])) byUrl.delete(url);
    if (byUrl.size === 0) return;
    const variants = await siteCrawl.queryVariants(scanId, pathsWithQuery(byUrl.keys()), MAX_QUERY_VARIANTS);
    let seq = this.#listed;
    const pages: NewSitePage[] = [];
    for (const [url, each] of byUrl) {
      const path = pathWithQuery(url);
      if (path !== undefined) {
        const known = variants.get(path) ?? 0;
        if (known >= MAX_QUERY_VARIANTS) continue;
        variants.set(path, known + 1);
      }
      if (seq === MAX_PAGES) {
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

  #skipReason(url: string, { isForeign, isExcluded }: PreparedCandidate): PageSkipReason | undefined {
    if (isForeign) return 'off_domain';
    if (isOtherFile(url)) return 'not_html';
    // Other hosts have their own robots.txt, which is read when one of their pages is.
    if (url.startsWith(`${this.#site.origin}/`) && !this.#robots.allows(url)) return 'robots';
    return isExcluded ? 'excluded' : undefined;
  }

  #choose(url: string): Pick<NewSitePage, 'selected' | 'overLimit'> {
    const { sample_per_pattern: most } = this.#crawl.context.settings;
    if (most !== null && (this.#sampled.get(patternOf(url)) ?? 0) >= most) return { selected: 0, overLimit: 0 };
    // Pages over the limit are counted too, because a place may become free.
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

/** The folder pattern of a page: `/blog/*` for `/blog/first` and `/blog/second/`. */
function patternOf(url: string): string {
  const { origin, pathname } = new URL(url);
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  return path === '' ? `${origin}/` : `${origin}${path.slice(0, path.lastIndexOf('/'))}/*`;
}

const isOtherFile = (url: string): boolean =>
  hasImageExtension(url) || NON_PAGE_EXTENSIONS.has(extensionOf(new URL(url).pathname));

/** The address without its query; undefined when it has none. */
function pathWithQuery(url: string): string | undefined {
  const query = url.indexOf('?');
  return query === -1 ? undefined : url.slice(0, query);
}

const pathsWithQuery = (urls: Iterable<string>): string[] => [
  ...new Set([...urls].map(pathWithQuery).filter((path) => path !== undefined)),
];
