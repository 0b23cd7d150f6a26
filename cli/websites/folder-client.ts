/**
 * Serves a folder as a static web server would. It runs in the process: no port is opened, so the scan makes no address
 * of this machine reachable for the pages.
 */
import { Failure } from '../../base/failure.ts';
import { extensionOf } from '../../codecs/file-extension.ts';
import type { ProjectRoot } from '../../codemod/project/root.ts';
import { sitePart } from '../../server/sites/domain.ts';
import type { SiteClient, SiteFetch, SiteResponse, SiteRobots } from '../../server/sites/fetch/site-client.ts';
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

export class FolderClient implements SiteClient {
  readonly #root: ProjectRoot;
  readonly #network: SiteClient;
  readonly #basePath: string;
  readonly #part: string;
  #readBytes = 0;

  /**
   * @param base URL of the folder, ending in `/`
   * @param network client for all other URLs
   */
  constructor(root: ProjectRoot, base: string, network: SiteClient) {
    this.#root = root;
    this.#network = network;
    this.#basePath = new URL(base).pathname;
    this.#part = sitePart(base);
  }

  async fetch(request: SiteFetch): Promise<SiteResponse> {
    const path = this.#pathOf(request.url);
    return path === undefined ? await this.#network.fetch(request) : await this.#fetch(path, request);
  }

  async robots(url: string, signal: AbortSignal): Promise<SiteRobots> {
    // robots.txt does not apply to the user's own files.
    if (sitePart(url) === this.#part) return { allows: () => true, sitemaps: [] };
    return await this.#network.robots(url, signal);
  }

  get hasStopped(): boolean {
    return this.#network.hasStopped;
  }

  takeReceivedBytes(): number {
    const taken = this.#readBytes + this.#network.takeReceivedBytes();
    this.#readBytes = 0;
    return taken;
  }

  close(): void {
    this.#network.close();
  }

  /** The path of a URL in the folder, still percent-encoded. Undefined for URLs outside it. */
  #pathOf(address: string): string | undefined {
    if (!URL.canParse(address)) return undefined;
    const { href, protocol, pathname } = new URL(address);
    const isWeb = protocol === 'http:' || protocol === 'https:';
    return isWeb && sitePart(href) === this.#part && pathname.startsWith(this.#basePath)
      ? pathname.slice(this.#basePath.length)
      : undefined;
  }

  async #fetch(path: string, request: SiteFetch): Promise<SiteResponse> {
    request.signal.throwIfAborted();
    const sized = request.method === 'HEAD' ? { ...request, maxBytes: Number.POSITIVE_INFINITY } : request;
    const url = new URL(request.url);
    url.hash = '';
    const name = decoded(path);
    if (name === undefined) return this.#respond(url.href, 0, undefined);
    const isFolder = name === '' || name.endsWith('/');
    const inFolder = INDEX_FILES.map((index) => `${name}${isFolder ? '' : '/'}${index}`);
    // Like most static hosts, serve about.html for /about.
    const file = await this.#readFirst(isFolder ? inFolder : [name, `${name}.html`], sized);
    if (file || isFolder) return this.#respond(url.href, 0, file, request.method);
    const index = await this.#readFirst(inFolder, sized);
    if (index) url.pathname += '/';
    return this.#respond(url.href, index ? 1 : 0, index, request.method);
  }

  /** Reads the first of the paths that exists. */
  async #readFirst(paths: readonly string[], request: SiteFetch): Promise<FolderFile | undefined> {
    for (const path of paths) {
      const file = await this.#read(path, request);
      if (file) return file;
    }
    return undefined;
  }

  async #read(path: string, { maxBytes, grow }: SiteFetch): Promise<FolderFile | undefined> {
    const attempt = async (limit: number) => {
      const bytes = await this.#root.read(path, limit);
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

  #respond(
    finalUrl: string,
    redirects: number,
    file: FolderFile | undefined,
    method?: SiteFetch['method'],
  ): SiteResponse {
    const contentType = file && TYPES[extensionOf(file.path)];
    const data = file && method !== 'HEAD' ? file.data : new ArrayBuffer(0);
    this.#readBytes += data.byteLength;
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
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
