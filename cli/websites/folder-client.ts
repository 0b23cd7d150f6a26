/**
 * Serves a folder as a static web server would. It runs in the process: no port is opened, so the scan makes no address
 * of this machine reachable for the pages.
 */
import { Failure } from '../../base/failure.ts';
import { extensionOf } from '../../codecs/file-extension.ts';
import type { ProjectRoot } from '../../codemod/project/root.ts';
import { sitePart } from '../../server/sites/domain.ts';
import type { SiteClient, SiteFetch, SiteResponse } from '../../server/sites/fetch/site-client.ts';
import { INDEX_FILES } from './folder-pages.ts';

/** Content types that affect how a document is parsed. Images are detected by content. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  css: 'text/css',
  webmanifest: 'application/manifest+json',
  json: 'application/json',
  xml: 'application/xml',
  txt: 'text/plain',
  js: 'text/javascript',
  mjs: 'text/javascript',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
};

/** The website's real cache headers are unknown. This value avoids findings about caching. */
const CACHE_CONTROL = 'max-age=31536000';
const COMPRESSED_TYPE = 'image/svg+xml';

const MISSING: ReadonlySet<string> = new Set(['not_found', 'path_outside_root']);

interface FolderFile {
  path: string;
  data: ArrayBuffer;
}

/**
 * @param base URL of the folder, ending in `/`
 * @param network client for all other URLs
 */
export function createFolderClient(root: ProjectRoot, base: string, network: SiteClient): SiteClient {
  const { pathname: basePath } = new URL(base);
  const part = sitePart(base);
  let readBytes = 0;

  /** The path of a URL in the folder, still percent-encoded. Undefined for URLs outside it. */
  function pathOf(address: string): string | undefined {
    if (!URL.canParse(address)) return undefined;
    const { href, protocol, pathname } = new URL(address);
    const isWeb = protocol === 'http:' || protocol === 'https:';
    return isWeb && sitePart(href) === part && pathname.startsWith(basePath)
      ? pathname.slice(basePath.length)
      : undefined;
  }

  async function read(path: string, { maxBytes, grow }: SiteFetch): Promise<FolderFile | undefined> {
    const attempt = async (most: number) => {
      const bytes = await root.read(path, most);
      return { path, data: new Uint8Array(bytes).buffer };
    };
    try {
      return await attempt(maxBytes).catch(async (error: unknown) => {
        const more = error instanceof Failure && error.code === 'file_too_large' ? grow?.() : undefined;
        if (more === undefined) throw error;
        return await attempt(more);
      });
    } catch (error) {
      if (error instanceof Failure && MISSING.has(error.code)) return undefined;
      throw error;
    }
  }

  /** Reads the first of the paths that exists. */
  async function first(paths: readonly string[], request: SiteFetch): Promise<FolderFile | undefined> {
    for (const path of paths) {
      const file = await read(path, request);
      if (file) return file;
    }
    return undefined;
  }

  async function fetch(path: string, request: SiteFetch): Promise<SiteResponse> {
    request.signal.throwIfAborted();
    const asked = request.method === 'HEAD' ? { ...request, maxBytes: Number.POSITIVE_INFINITY } : request;
    const url = new URL(request.url);
    url.hash = '';
    const name = decoded(path);
    if (name === undefined) return answer(url.href, 0, undefined);
    const isFolder = name === '' || name.endsWith('/');
    const inFolder = INDEX_FILES.map((index) => `${name}${isFolder ? '' : '/'}${index}`);
    // Like most static hosts, serve about.html for /about.
    const file = await first(isFolder ? inFolder : [name, `${name}.html`], asked);
    if (file || isFolder) return answer(url.href, 0, file, request.method);
    const index = await first(inFolder, asked);
    if (index) url.pathname += '/';
    return answer(url.href, index ? 1 : 0, index, request.method);
  }

  function answer(
    finalUrl: string,
    redirects: number,
    file: FolderFile | undefined,
    method?: SiteFetch['method'],
  ): SiteResponse {
    const contentType = file && TYPES[extensionOf(file.path)];
    const data = file && method !== 'HEAD' ? file.data : new ArrayBuffer(0);
    readBytes += data.byteLength;
    return {
      status: file ? 200 : 404,
      finalUrl,
      redirects,
      contentType,
      contentEncoding: contentType === COMPRESSED_TYPE ? 'gzip' : undefined,
      cacheControl: file && CACHE_CONTROL,
      etag: undefined,
      lastModified: undefined,
      vary: undefined,
      data,
      receivedBytes: data.byteLength,
    };
  }

  return {
    async fetch(request) {
      const path = pathOf(request.url);
      return path === undefined ? await network.fetch(request) : await fetch(path, request);
    },

    // robots.txt does not apply to the user's own files.
    robots: async (url, signal) =>
      sitePart(url) === part ? { allows: () => true, sitemaps: [] } : await network.robots(url, signal),

    get hasStopped() {
      return network.hasStopped;
    },

    takeReceivedBytes() {
      const taken = readBytes + network.takeReceivedBytes();
      readBytes = 0;
      return taken;
    },

    close: () => network.close(),
  };
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
