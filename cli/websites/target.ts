/** The target of a scan: a website at a URL, or a folder that contains one. */

import { readFile, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { ProjectRoot } from '../../codemod/project/root.ts';
import { checkSettings, completeSettings } from '../../server/sites/body.ts';
import { checkCreation, creationDecoder } from '../../server/sites/create.ts';
import { sitePart } from '../../server/sites/domain.ts';
import type { SiteClient } from '../../server/sites/fetch/site-client.ts';
import { matchForRequest } from '../../server/sites/patterns.ts';
import type { ScanRequest } from '../../server/sites/scan-request.ts';
import type { SiteServices } from '../../server/sites/services.ts';
import type { ScanSource } from '../../storage/records/site-scans.ts';
import { invalidSite, noPages, optionNotAllowed } from './errors.ts';
import { FolderClient } from './folder-client.ts';
import { addressOfPage, pagesOfFolder } from './folder-pages.ts';
import type { SiteOptions } from './scan-options.ts';
import type { SettingsInput } from './settings-options.ts';

/** Base URL of a folder if the user gives none. */
const FOLDER_ADDRESS = 'http://localhost/';

/** Default maximum number of pages for a URL, the same as in the pro plan. */
const DEFAULT_MAX_PAGES = 50;

export interface Target {
  /**
   * Returns the request for the scan.
   * @throws Failure for an invalid URL or invalid settings
   */
  ask(services: SiteServices, settings: SettingsInput, signal: AbortSignal): Promise<ScanRequest>;
  /** Used in the names of output files. */
  name: string;
  /** Returns the client that fetches the target. `network` is used for all other hosts. */
  client(network: SiteClient): SiteClient;
  /** A URL as shown to the user. */
  shown(url: string): string;
  /** Path, relative to the working directory, of the file of a page or an image; the URL if there is no file. */
  file(url: string): string;
  /** Whether the folder has a file at a URL's path. Only set for a folder without `--site`. */
  holds?(url: string): Promise<boolean>;
}

const SCHEME = /^https?:[/][/]/i;

/**
 * @param site a URL, the path of a folder, or with `--source list` the path of a file
 * @throws Failure if it is none of these
 */
export async function targetOf(site: string, options: SiteOptions): Promise<Target> {
  const { source = 'url', maxPages, site: address } = options;
  const found = SCHEME.test(site) ? undefined : await stat(site).catch(() => undefined);
  if (source !== 'list' && found?.isDirectory()) {
    if (source !== 'url') throw optionNotAllowed('--source', 'a folder');
    return await folderTarget(site, { address, maxPages });
  }
  if (address !== undefined) throw optionNotAllowed('--site', 'an address');
  if (source === 'list') {
    if (!found?.isFile()) throw invalidSite(site);
    return addressTarget({ source, urls: await readFile(site, 'utf8'), ...given(maxPages) }, basename(site));
  }
  // A host name has a dot or a port. Anything else is taken as a path that does not exist.
  if (found || !(SCHEME.test(site) || /^[^/\s]+[.:][^/\s]+(?:[/?#]|$)/.test(site))) throw invalidSite(site);
  const name = URL.canParse(site) && SCHEME.test(site) ? new URL(site).host : site.split(/[/?#]/, 1)[0]!;
  return addressTarget({ source, url: site, ...given(maxPages ?? DEFAULT_MAX_PAGES) }, name);
}

type Creation = { source: ScanSource; url?: string; urls?: string; max_pages?: number };

function addressTarget(creation: Creation, name: string): Target {
  return {
    name,
    ask: async (services, settings, signal) => {
      const asked = creationDecoder.complete(creationDecoder.fromJson({ ...creation, settings }));
      return await checkCreation(services, asked, signal);
    },
    client: (network) => network,
    shown: (url) => url,
    file: (url) => url,
  };
}

const given = (maxPages: number | undefined) => (maxPages === undefined ? {} : { max_pages: maxPages });

interface FolderOptions {
  address: string | undefined;
  maxPages: number | undefined;
}

async function folderTarget(folder: string, { address, maxPages }: FolderOptions): Promise<Target> {
  const root = await ProjectRoot.open(folder);
  const base = baseOf(address);
  const pages = await pagesOfFolder(root.path);
  if (pages.length === 0) throw noPages(folder);
  const files = new Map(pages.map((path) => [addressOfPage(path, base), path]));
  const list = [...files.keys()].join('\n');
  const shown = (url: string) => files.get(url) ?? fileOf(url, base);
  return {
    name: address === undefined ? basename(resolve(folder)) : new URL(base).host,
    // Built by hand: the usual checks apply only to URLs on the network.
    ask: async (services, settings, signal) => {
      const fields = { source: 'list', urls: base, ...given(maxPages), settings };
      const asked = creationDecoder.complete(creationDecoder.fromJson(fields));
      await checkSettings(asked.settings ?? {}, matchForRequest(services, signal));
      return {
        source: 'list',
        url: null,
        list: [list],
        site: base,
        domain: sitePart(base),
        projectId: undefined,
        name: null,
        package: undefined,
        maxPages: asked.max_pages ?? null,
        review: false,
        optimize: 'auto',
        settings: completeSettings(asked.settings ?? {}),
      };
    },
    client: (network) => new FolderClient(root, base, network),
    shown,
    file(url) {
      const path = shown(url);
      return path === url ? url : relative('', join(folder, path));
    },
    ...(address === undefined && { holds: (url: string) => hasFileAt(root, url) }),
  };
}

/** @throws Failure if the address is not a website URL */
function baseOf(address = FOLDER_ADDRESS): string {
  if (!SCHEME.test(address) || !URL.canParse(address)) throw invalidSite(address);
  const { origin, pathname } = new URL(address);
  return origin + (pathname.endsWith('/') ? pathname : `${pathname}/`);
}

/** Returns the path of a URL inside the folder, or the URL itself if it is outside. */
function fileOf(url: string, base: string): string {
  if (!URL.canParse(url) || sitePart(url) !== sitePart(base)) return url;
  const { pathname, search } = new URL(url);
  const { pathname: basePath } = new URL(base);
  if (!pathname.startsWith(basePath)) return url;
  try {
    return decodeURIComponent(pathname.slice(basePath.length)) + search;
  } catch {
    return url;
  }
}

async function hasFileAt(root: ProjectRoot, url: string): Promise<boolean> {
  if (!URL.canParse(url)) return false;
  try {
    return (await stat(await root.resolve(decodeURIComponent(new URL(url).pathname.slice(1))))).isFile();
  } catch {
    return false;
  }
}
