/** Test helpers: websites on loopback, the complete service that scans them, and the rows in its database. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { SqliteConnection, SqliteValue } from '../../../../base/sqlite/connection.ts';
import { openSqlite } from '../../../../base/sqlite/open.ts';
import { issueKey } from '../../../../server/account/keys.ts';
import { loadConfig } from '../../../../server/config.ts';
import { createLog } from '../../../../server/log.ts';
import { startService } from '../../../../server/service.ts';
import type { SiteAsset } from '../../../../storage/records/site-assets.ts';
import type { SitePage } from '../../../../storage/records/site-pages.ts';
import type { SiteReference, SiteSource } from '../../../../storage/records/site-sources.ts';
import { openDatabase } from '../../../../storage/sqlite/database.ts';
import { withFolder } from '../../../support/folder.ts';
import { type KeptOpen, keepOpen } from '../../../support/keep-open.ts';
import { ScanClient } from '../../../support/website/scan.ts';

type SiteResponse =
  | string
  | Buffer
  | { status?: number; headers?: Record<string, string>; body?: string | Buffer }
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** The response for each path with its query. `{origin}` in texts stands for the origin of the site. */
export type SiteFiles = Record<string, SiteResponse>;

export interface TestSite {
  origin: string;
  port: number;
  files: SiteFiles;
  /** Called on each request. */
  onRequest: () => void;
  /** Method and path of each request. */
  requests: string[];
  /** Paths that were requested with GET. */
  fetched(): string[];
}

const TYPES: Record<string, string> = {
  css: 'text/css',
  xml: 'application/xml',
  txt: 'text/plain',
  svg: 'image/svg+xml',
};

/** Runs `work` with a website. Unknown paths get a 404; without a robots.txt everything is allowed. */
export async function withSite<T>(files: SiteFiles, work: (site: TestSite) => Promise<T>): Promise<T> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    site.requests.push(`${request.method} ${path}`);
    site.onRequest();
    const answer = site.files[path];
    if (typeof answer === 'function') return answer(request, response);
    const {
      status = 200,
      headers = {},
      body = '',
    } = typeof answer === 'string' || Buffer.isBuffer(answer) ? { body: answer } : (answer ?? { status: 404 });
    const extension = /\.(\w+)(?:\?.*)?$/.exec(path)?.[1] ?? '';
    const type = Buffer.isBuffer(body) ? 'application/octet-stream' : (TYPES[extension] ?? 'text/html');
    const filled = Object.entries(headers).map(([name, value]) => [name, value.replaceAll('{origin}', site.origin)]);
    response.writeHead(status, { 'content-type': type, ...Object.fromEntries(filled) });
    response.end(Buffer.isBuffer(body) ? body : body.replaceAll('{origin}', site.origin));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const requests: string[] = [];
  const site: TestSite = {
    origin: `http://127.0.0.1:${port}`,
    port,
    files,
    onRequest: () => {},
    requests,
    fetched: () => requests.filter((one) => one.startsWith('GET ')).map((one) => one.slice(4)),
  };
  try {
    return await work(site);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

export interface ScanRows {
  scan: Record<string, unknown>;
  pages: SitePage[];
  sources: SiteSource[];
  references: SiteReference[];
  assets: SiteAsset[];
  links: { fromSeq: number; toSeq: number }[];
}

/** Reads all rows of a scan that the database file has at this moment. */
export function readRows(dataDir: string, scanId: string): ScanRows {
  const file = openSqlite(join(dataDir, 'imagecrew.sqlite'), { readonly: true });
  try {
    const read = <T>(table: string, order = 'seq', column = 'scan_id') =>
      (
        file.prepare(`select * from ${table} where ${column} = ? order by ${order}`).all(scanId) as Record<
          string,
          unknown
        >[]
      ).map(
        (row) =>
          Object.fromEntries(
            Object.entries(row).map(([name, value]) => [
              name.replace(/_(\w)/g, (_, c: string) => c.toUpperCase()),
              value,
            ]),
          ) as T,
      );
    return {
      scan: read<Record<string, unknown>>('site_scans', 'id', 'id')[0] ?? {},
      pages: read('site_pages'),
      sources: read('site_sources'),
      references: read('site_references'),
      assets: read('site_assets'),
      links: read('site_source_links', 'from_seq, to_seq'),
    };
  } finally {
    file.close();
  }
}

export interface ScanService {
  client: ScanClient;
  dataDir: string;
  /** Starts a scan without delays and waits until it stops. */
  scan(body: Record<string, unknown>): Promise<ScanRows>;
  start(body: Record<string, unknown>): Promise<string>;
  rows(id: string): ScanRows;
  /** Grants the account a package of this many pages. */
  grant(name: string, pages: number): Promise<string>;
  pagesLeft(packageId: string): number;
  /** Runs a statement on the database file while the service is running. */
  write(sql: string, ...values: SqliteValue[]): void;
  read<T>(sql: string, ...values: SqliteValue[]): T[];
}

const PLANS = {
  scanner: {
    based_on: 'pro',
    requests_per_minute: null,
    scan_pages: 100,
    scan_assets: 24,
    websites: 1000,
    running_scans: 4,
  },
};

/** Runs `work` with the complete service. */
async function withScanDesk<T>(work: (desk: ScanService) => Promise<T>): Promise<T> {
  return await withFolder(async (dataDir) => {
    await writeFile(join(dataDir, 'plans.json'), JSON.stringify(PLANS));
    const database = await openDatabase(dataDir);
    const { id: accountId } = await database.accounts.create({ name: 'scanner', email: null, plan: 'scanner' });
    const limits = { monthlyLimit: null, expiresAt: null };
    const { key } = await issueKey(database.keys, { accountId, name: 'k', mode: 'live', scopes: ['sites'], ...limits });
    const env = { IC_DATA_DIR: dataDir, IC_PORT: '0', IC_WORKERS: '1', IC_MODELS_FETCH: 'false' };
    const config = loadConfig({ ...env, IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8,::1/128', IC_SCANS_RUNNING: '8' });
    const service = await startService(config, createLog('error'));
    const onFile = <R>(work: (file: SqliteConnection) => R): R => {
      const file = openSqlite(join(dataDir, 'imagecrew.sqlite'));
      try {
        return work(file);
      } finally {
        file.close();
      }
    };
    try {
      const client = new ScanClient(service.address, key);
      const desk: ScanService = {
        client,
        dataDir,
        start: async ({ settings, ...body }) => {
          const own = { delay_ms: 0, ...(settings as object) };
          return (await client.start({ optimize: 'manual', ...body, settings: own })).id;
        },
        scan: async (body) => {
          const id = await desk.start(body);
          await client.ended(id);
          return desk.rows(id);
        },
        rows: (id) => readRows(dataDir, id),
        grant: async (name, pages) => (await database.packages.grant(accountId, name, pages)).id,
        pagesLeft: (packageId) =>
          desk.read<{ n: number }>('select pages_left as n from packages where id = ?', packageId)[0]!.n,
        write: (sql, ...values) => void onFile((file) => file.prepare(sql).run(...values)),
        read: <T>(sql: string, ...values: SqliteValue[]) => onFile((file) => file.prepare(sql).all(...values) as T[]),
      };
      return await work(desk);
    } finally {
      await service.close();
      await database.close();
    }
  });
}

/** Creates a page with a title, links and images. */
export function createPage({
  links = [],
  images = [],
  head = '',
  title = 'Page',
}: {
  links?: readonly string[];
  images?: readonly string[];
  head?: string;
  title?: string;
} = {}): string {
  return `<!doctype html><title>${title}</title>${head}
${links.map((link) => `<a href="${link}">x</a>`).join('\n')}
${images.map((image) => `<img src="${image}" alt="">`).join('\n')}
<p>${'Enough text to be read by people. '.repeat(20)}</p>`;
}

export function sitemap(urls: readonly string[], images: Record<string, string> = {}): string {
  const entries = urls.map((url) => {
    const image = images[url] ? `<image:image><image:loc>${images[url]}</image:loc></image:image>` : '';
    return `<url><loc>${url}</loc>${image}</url>`;
  });
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">${entries.join('')}</urlset>`;
}

export function sitemapIndex(urls: readonly string[]): string {
  return `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
}

let running: Promise<KeptOpen<ScanService>> | undefined;
// Set here and not where the service is started: a hook that is set inside a test belongs to that test.
after(async () => await (await running)?.close());

/**
 * Starts the service of the process, if it is not running yet. The returned function may only be called inside the tests.
 */
export function useScanService(): () => ScanService {
  let desk: ScanService;
  before(async () => {
    running ??= keepOpen(withScanDesk);
    desk = (await running).resource;
  });
  return () => desk;
}
