/** What is to be scanned: a website at an address, or a folder that is one. */
import { readFile, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import type { ScanSource } from '../../../storage/schema.ts';
import type { Services } from '../../http/endpoint.ts';
import { ProjectRoot } from '../../mcp/local/project/root.ts';
import type { AskedScan } from '../../sites/asked-scan.ts';
import { checkSettings, completeSettings } from '../../sites/body.ts';
import { checkCreation, creationDecoder } from '../../sites/create.ts';
import { sitePart } from '../../sites/domain.ts';
import type { SiteClient } from '../../sites/fetch/site-client.ts';
import { matchForRequest } from '../../sites/patterns.ts';
import { noPages, notASite, optionNotAllowed } from './errors.ts';
import { createFolderClient } from './folder-client.ts';
import { addressOfPage, pagesOfFolder } from './folder-pages.ts';
import type { SiteOptions } from './scan-options.ts';
import type { GivenSettings } from './settings-options.ts';

/** Of a folder whose address nobody has said. */
const FOLDER_ADDRESS = 'http://localhost/';

/** Pages of a website that are scanned where nobody says how many: as many as the plan pro has. */
const ORDINARY_PAGES = 50;

export interface Target {
  /**
   * The scan that is to be made.
   * @throws Failure of what is wrong with the address or the settings
   */
  ask(services: Services, settings: GivenSettings, signal: AbortSignal): Promise<AskedScan>;
  /** For the names of files. */
  name: string;
  /** Fetches it; `network` is for all other hosts. */
  client(network: SiteClient): SiteClient;
  /** An address as people know it. */
  shown(url: string): string;
  /** The path of the file of a page or an image from the working directory, or the address where there is none. */
  file(url: string): string;
  /** Of a folder whose address nobody has said: whether it has a file at the path of an address. */
  holds?(url: string): Promise<boolean>;
}

const SCHEME = /^https?:[/][/]/i;

/**
 * @param site an address, the path of a folder, or with `--source list` that of a file
 * @throws Failure for what is neither
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
    if (!found?.isFile()) throw notASite(site);
    return addressTarget({ source, urls: await readFile(site, 'utf8'), ...given(maxPages) }, basename(site));
  }
  // A host has a dot or a port; a path that is not there has something else.
  if (found || !(SCHEME.test(site) || /^[^/\s]+[.:][^/\s]+(?:[/?#]|$)/.test(site))) throw notASite(site);
  const name = URL.canParse(site) && SCHEME.test(site) ? new URL(site).host : site.split(/[/?#]/, 1)[0]!;
  return addressTarget({ source, url: site, ...given(maxPages ?? ORDINARY_PAGES) }, name);
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
    // Its address is none that the network knows: what is said of those does not hold for it.
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
    client: (network) => createFolderClient(root, base, network),
    shown,
    file(url) {
      const path = shown(url);
      return path === url ? url : relative('', join(folder, path));
    },
    ...(address === undefined && { holds: (url: string) => holdsPath(root, url) }),
  };
}

/** @throws Failure for what is no address of a website */
function baseOf(address = FOLDER_ADDRESS): string {
  if (!SCHEME.test(address) || !URL.canParse(address)) throw notASite(address);
  const { origin, pathname } = new URL(address);
  return origin + (pathname.endsWith('/') ? pathname : `${pathname}/`);
}

/** The path of what lies in the folder, the address of all else. */
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

async function holdsPath(root: ProjectRoot, url: string): Promise<boolean> {
  if (!URL.canParse(url)) return false;
  try {
    return (await stat(await root.resolve(decodeURIComponent(new URL(url).pathname.slice(1))))).isFile();
  } catch {
    return false;
  }
}
