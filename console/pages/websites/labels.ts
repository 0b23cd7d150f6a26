/** Labels and messages for the codes of the API. */
import type { NoticeKind } from '../../ui/notice-kind.ts';
import type {
  Approval,
  AssetKind,
  AssetStatus,
  PageStatus,
  ScanStatus,
  ScanWarning,
  SiteAsset,
  SitePage,
} from './types.ts';

export interface StatusLabel {
  label: string;
  kind: NoticeKind;
}

export const SCAN_STATUSES: Readonly<Record<ScanStatus, StatusLabel & { meaning: string }>> = {
  queued: { label: 'Waiting', kind: 'info', meaning: 'It begins as soon as the scans before it have ended.' },
  discovering: { label: 'Finding pages', kind: 'info', meaning: 'Reading robots.txt, sitemaps and links.' },
  review: {
    label: 'Waits for you',
    kind: 'warning',
    meaning: 'The list of pages is ready. Choose those to scan, then start.',
  },
  scanning: { label: 'Reading pages', kind: 'info', meaning: 'Reading the chosen pages and their images.' },
  ready: { label: 'Ready', kind: 'success', meaning: 'All images are known. Convert them when you like.' },
  optimizing: { label: 'Converting', kind: 'info', meaning: 'Converting the images that gain by it.' },
  packaging: { label: 'Packing', kind: 'info', meaning: 'Building the package of new files.' },
  done: { label: 'Done', kind: 'success', meaning: 'The package of new files is ready.' },
  failed: { label: 'Failed', kind: 'error', meaning: 'It could not go on. What is finished is kept.' },
  cancelled: { label: 'Stopped', kind: 'warning', meaning: 'It was stopped. What is finished is kept.' },
};

export const WARNINGS: Readonly<Record<ScanWarning, string>> = {
  robots_blocked: 'The website’s robots.txt keeps some pages or images from being read. They were left out.',
  needs_javascript:
    'Some pages are empty without JavaScript, which a scan does not run. Images on them may be missing here.',
  not_rendered: 'Some pages could not be rendered in a browser. Of these the markup alone was read.',
  over_limit: 'More pages were found than this scan may read. The others are listed and were not read.',
  assets_truncated: 'There are more images than a scan of your plan may read. The others were left out.',
  slow_site: 'The website answered slowly or asked for fewer requests. Some of it may be missing.',
  external_skipped: 'Images of other websites are listed; they cannot be replaced here.',
  sitemap_errors: 'A sitemap could not be read whole. Pages that only it names are missing.',
  unknown_numbers: 'Some pages or images that were asked for do not exist. The others were taken.',
};

export const PAGE_STATUSES: Readonly<Record<PageStatus, StatusLabel>> = {
  found: { label: 'found', kind: 'info' },
  queued: { label: 'waiting', kind: 'info' },
  scanning: { label: 'being read', kind: 'info' },
  scanned: { label: 'read', kind: 'success' },
  failed: { label: 'failed', kind: 'error' },
  skipped: { label: 'left out', kind: 'warning' },
};

export const PAGE_SKIPS: Readonly<Record<NonNullable<SitePage['skip_reason']>, string>> = {
  robots: 'robots.txt does not allow it',
  duplicate: 'the same page is listed under another address',
  not_html: 'no web page',
  off_domain: 'it leads to another website',
  redirected: 'it leads to another page',
  excluded: 'left out by a pattern',
  not_selected: 'not chosen',
};

export const ATTENTION: Readonly<Record<SitePage['attention'][number], StatusLabel>> = {
  failed: { label: 'failed', kind: 'error' },
  broken_assets: { label: 'broken images', kind: 'error' },
  heavy: { label: 'heavy', kind: 'warning' },
  needs_javascript: { label: 'needs JavaScript', kind: 'warning' },
  privacy: { label: 'tells a place', kind: 'error' },
};

export const OPTIMIZATIONS: Readonly<Record<SitePage['optimization'], string>> = {
  none: 'no image replaced',
  partial: 'some images replaced',
  complete: 'all images replaced',
  not_needed: 'nothing to gain',
};

export const ASSET_KINDS: Readonly<Record<AssetKind, string>> = {
  raster: 'Still images',
  animation: 'Animations',
  vector: 'Drawings (SVG)',
  icon: 'Icons',
  data_uri: 'Inside pages',
  unknown: 'Unknown',
};

export const ASSET_STATUSES: Readonly<Record<AssetStatus, StatusLabel>> = {
  found: { label: 'found', kind: 'info' },
  fetching: { label: 'being read', kind: 'info' },
  ready: { label: 'not converted', kind: 'info' },
  optimizing: { label: 'being converted', kind: 'info' },
  optimized: { label: 'converted', kind: 'success' },
  skipped: { label: 'left as it is', kind: 'info' },
  failed: { label: 'failed', kind: 'error' },
};

export const ASSET_SKIPS: Readonly<Record<NonNullable<SiteAsset['skip_reason']>, string>> = {
  no_gain: 'a new file would not be enough smaller',
  vector: 'a drawing needs no conversion',
  third_party: 'it belongs to another website',
  excluded: 'left out by a pattern',
  already_negotiated: 'the server converts it already',
  already_webp: 'it is WebP already',
  rejected: 'rejected',
  over_limit: 'beyond the limit of the scan',
};

export const APPROVALS: Readonly<Record<Approval, StatusLabel>> = {
  auto: { label: 'automatic', kind: 'info' },
  approved: { label: 'approved', kind: 'success' },
  rejected: { label: 'rejected', kind: 'error' },
};

/** Returns `{ value, label }` for each entry, as options of a select. */
export function toOptions<T extends string>(
  words: Readonly<Record<T, string | StatusLabel>>,
): { value: T; label: string }[] {
  return Object.entries<string | StatusLabel>(words).map(([value, text]) => ({
    value: value as T,
    label: typeof text === 'string' ? text : text.label,
  }));
}

/** Returns a text such as `1 page` or `3 pages`. */
export const pluralize = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? what : `${what}s`}`;

/** Returns an estimated duration as text, such as `2 min`. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns the address without the host, if the host is that of the website. */
export function shortAddress(url: string, domain: string): string {
  if (url.startsWith('data:')) return 'Inside a page';
  if (!URL.canParse(url)) return url;
  const { host, pathname, search } = new URL(url);
  const path = decodedPath(pathname) + search;
  return host.replace(/^www[.]/, '') === domain.replace(/^www[.]/, '') ? path : `${host}${path}`;
}

function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
