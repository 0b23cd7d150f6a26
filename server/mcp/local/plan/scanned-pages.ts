/**
 * Which file of a line is for a source: the resized one only where the source is a page that the scan has seen with that image.
 * A template or a component may be part of any page.
 */
import { posix } from 'node:path';
import type { Replacement } from '../../../sites/package/mapping.ts';
import type { ReplacementPackage } from '../package/package.ts';
import type { Framework } from '../project/framework.ts';

/** Folders whose files are pages, by their paths. */
const ROUTE_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  next: ['pages', 'src/pages', 'app', 'src/app'],
  nuxt: ['pages', 'app/pages'],
  astro: ['src/pages'],
  gatsby: ['src/pages'],
  docusaurus: ['src/pages'],
  sveltekit: ['src/routes'],
};

/** Elsewhere these are parts of pages. */
const PARTS = /\.(?:[cm]?[jt]sx?|vue|svelte|css|s[ac]ss|less|json5?|ya?ml|toml|xml)$/i;
const EXTENSION = /\.[^./]+$/;
const INDEX = /(?:^|\/)(?:index|page|\+page)$/;
/** Of routers: they are not in the address. */
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

  /** The path of the page that a source is, where the scan has seen it, else where it would be; null where it may be any. */
  pageOf(file: string): string | null {
    const paths = [...this.#pathsOf(file)];
    return paths.find((path) => this.#paths.has(path)) ?? paths[0] ?? null;
  }

  /** Whether the scan has seen an image on the page that a source is. */
  hasSeen(file: string, { pages, pages_total: total }: Replacement): boolean {
    const page = this.pageOf(file);
    if (page === null || !this.#paths.has(page)) return false;
    return total > pages.length || pages.some((each) => this.pathOf(each) === page);
  }

  /** Whether the scan has read the page with this path. */
  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** Of an address of the site; without a slash at its end. */
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

/** With its extension, as some servers have it, last. */
function* routesIn(folder: string, file: string): Generator<string> {
  const path = folder === '' ? file : posix.relative(folder, file);
  if (path.startsWith('../')) return;
  const route = path.replace(GROUP, '');
  // One file for many pages.
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

/** Whether a line has the size of the places that the scan has seen. */
export function isResized({ unresized, from_width: before, to_width: after }: Replacement): boolean {
  return unresized !== null || (before !== null && after < before);
}

/** A line with the file that is as large as the original in the place of the resized one; undefined where that saves nothing. */
export function unresizedLine(line: Replacement): Replacement | undefined {
  const { unresized, avif, from_bytes: before } = line;
  if (!unresized || unresized.bytes >= before) return undefined;
  return { ...withCopy(line, unresized), avif: avif?.unresized ? { ...avif.unresized, unresized: null } : null };
}

/** A line with the AVIF file in the place of the other; undefined where there is none. */
export function avifLine(line: Replacement): Replacement | undefined {
  return line.avif ? { ...withCopy(line, line.avif), to_format: 'avif', avif: null } : undefined;
}

/** A line with one of its further files in the place of `to`. */
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
