/**
 * Chooses the file of a line for a source. The resized file is only used if the source is a page on which the scan
 * found the image. A template or component may be part of any page.
 */
import { posix } from 'node:path';
import type { Replacement } from '../../replacement-package/replacement.ts';
import type { ReplacementPackage } from '../package/package.ts';
import type { Framework } from '../project/framework.ts';

/** Folders whose files become pages with the same path. */
const ROUTE_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  next: ['pages', 'src/pages', 'app', 'src/app'],
  nuxt: ['pages', 'app/pages'],
  astro: ['src/pages'],
  gatsby: ['src/pages'],
  docusaurus: ['src/pages'],
  sveltekit: ['src/routes'],
};

/** Outside the route folders, these files are parts of pages. */
const PARTS = /\.(?:[cm]?[jt]sx?|vue|svelte|css|s[ac]ss|less|json5?|ya?ml|toml|xml)$/i;
const EXTENSION = /\.[^./]+$/;
const INDEX = /(?:^|\/)(?:index|page|\+page)$/;
/** Route groups. They are not part of the URL. */
const GROUP = /\([^)/]*\)\//g;

export class ScannedPages {
  readonly #framework: Framework;
  readonly #domain: string;
  readonly #paths: ReadonlySet<string>;

  constructor({ scannedPages, domain }: ReplacementPackage, framework: Framework) {
    this.#framework = framework;
    this.#domain = domain;
    this.#paths = new Set(scannedPages.flatMap((page) => this.pathOf(page) ?? []));
  }

  /**
   * The path of a source's page: a scanned one if possible, otherwise the likely one; null if it may be part of any
   * page.
   */
  pageOf(file: string): string | null {
    const paths = [...this.#pathsOf(file)];
    return paths.find((path) => this.#paths.has(path)) ?? paths[0] ?? null;
  }

  /** Whether the scan found an image on the page of a source. */
  hasSeen(file: string, { pages, pages_total: total }: Replacement): boolean {
    const page = this.pageOf(file);
    if (page === null || !this.#paths.has(page)) return false;
    return total > pages.length || pages.some((each) => this.pathOf(each) === page);
  }

  /** Whether the page with this path was scanned. */
  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** The path of a URL of the site, without a trailing slash. */
  pathOf(address: string): string | undefined {
    if (!URL.canParse(address)) return undefined;
    const { host, hostname, pathname } = new URL(address);
    if (host !== this.#domain && hostname.replace(/^www\./, '') !== this.#domain.replace(/^www\./, ''))
      return undefined;
    return plainPath(pathname);
  }

  *#pathsOf(file: string): Generator<string> {
    const { name, publicDirs } = this.#framework;
    for (const folder of ROUTE_FOLDERS[name] ?? []) yield* routesIn(folder, file);
    if (PARTS.test(file)) return;
    for (const folder of publicDirs) yield* routesIn(folder, file);
    yield* routesIn('', file);
  }
}

/** Possible routes of a file. The one with the extension, which some servers use, comes last. */
function* routesIn(folder: string, file: string): Generator<string> {
  const path = folder === '' ? file : posix.relative(folder, file);
  if (path.startsWith('../')) return;
  const route = path.replace(GROUP, '');
  // A route with parameters: one file for many pages.
  if (/[[\]$:]/.test(route)) return;
  yield plainPath(`/${route.replace(EXTENSION, '').replace(INDEX, '')}`);
  yield plainPath(`/${route}`);
}

function plainPath(path: string): string {
  const plain = path.replace(/\/index\.(?:html?|php)$/, '/').replace(/(.)\/+$/, '$1');
  try {
    return decodeURI(plain);
  } catch {
    return plain;
  }
}

/** Whether a line's file was resized for the places of the scan. */
export const isResized = ({ unresized, from_width: before, to_width: after }: Replacement): boolean =>
  unresized !== null || (before !== null && after < before);

/** Returns a line with the full-size file instead of the resized one; undefined if that would save nothing. */
export function unresizedLine(line: Replacement): Replacement | undefined {
  const { unresized, avif, from_bytes: before } = line;
  if (!unresized || unresized.bytes >= before) return undefined;
  return { ...withCopy(line, unresized), avif: avif?.unresized ? { ...avif.unresized, unresized: null } : null };
}

/** Returns a line with the AVIF file; undefined if there is none. */
export const avifLine = (line: Replacement): Replacement | undefined =>
  line.avif ? { ...withCopy(line, line.avif), to_format: 'avif', avif: null } : undefined;

/** Returns a line with one of its other files as `to`. */
export function withCopy(line: Replacement, copy: NonNullable<Replacement['unresized']>): Replacement {
  const { to, to_path, sha256, bytes, width, height } = copy;
  return {
    ...line,
    to,
    to_path,
    to_sha256: sha256,
    to_bytes: bytes,
    to_width: width,
    to_height: height,
    saved_bytes: line.from_bytes - bytes,
  };
}
