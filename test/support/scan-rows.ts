/** A website scan whose rows the tests insert one by one, for tests of what is computed from the rows. */

import { newId } from '../../base/id.ts';
import { timestamp } from '../../base/timestamp.ts';
import { createLog } from '../../server/log.ts';
import type { Services } from '../../server/services.ts';
import { HttpSiteClient } from '../../server/sites/fetch/http-site-client.ts';
import type { AssetFacts } from '../../server/sites/findings/facts.ts';
import type { ScanContext } from '../../server/sites/runner/context.ts';
import { type SiteScanSettings, scanSettingsSchema } from '../../server/sites/settings.ts';
import type { SiteAsset } from '../../storage/records/site-assets.ts';
import type { SiteFinding } from '../../storage/records/site-findings.ts';
import type { SiteOutput } from '../../storage/records/site-outputs.ts';
import type { SitePage } from '../../storage/records/site-pages.ts';
import type { SiteReference, SiteSource } from '../../storage/records/site-sources.ts';
import { withService } from './service.ts';

export const SITE = 'https://example.com';

/** Facts of a camera photo, without anything that findings report. */
export const FACTS: AssetFacts = {
  gps: false,
  exifBytes: 0,
  iptcBytes: 0,
  xmpBytes: 0,
  iccBytes: 0,
  cmyk: false,
  bitDepth: 8,
  paletteColors: null,
  lossless: false,
  quality: 90,
  chroma: '4:2:0',
  pages: 1,
  damaged: false,
  gzipBytes: null,
};

export interface ScanRowsOptions {
  settings?: Partial<SiteScanSettings>;
  status?: 'scanning' | 'optimizing';
  origin?: string;
  previousScanId?: string;
  /** Authorization header of the caller. */
  authorization: string;
}

export class ScanFixture {
  readonly context: ScanContext;
  readonly #services: Services;
  readonly #options: ScanRowsOptions;
  #references = 0;
  readonly #certain: number[] = [];

  private constructor(services: Services, options: ScanRowsOptions, context: ScanContext) {
    this.#services = services;
    this.#options = options;
    this.context = context;
  }

  /** Runs `work` with a scan of a service that has the fake engine. */
  static async with<T>(
    work: (rows: ScanFixture, services: Services) => Promise<T>,
    options: Omit<ScanRowsOptions, 'authorization'> = {},
  ): Promise<T> {
    return await withService(async ({ services, keys }) => {
      const rows = await ScanFixture.create(services, { authorization: `Bearer ${keys.pro}`, ...options });
      try {
        return await work(rows, services);
      } finally {
        rows.close();
      }
    });
  }

  /**
   * Creates a scan.
   * @param services with the engine that works for the scan
   */
  static async create(services: Services, options: ScanRowsOptions): Promise<ScanFixture> {
    const { status = 'scanning', origin = SITE, previousScanId = null } = options;
    const settings = scanSettingsSchema.parse(options.settings ?? {});
    const caller = await services.authenticate(options.authorization);
    const id = newId('scan');
    const { siteScans } = services.database;
    await siteScans.insert({
      id,
      accountId: caller.account.id,
      keyId: caller.key.id,
      projectId: null,
      name: null,
      domain: new URL(origin).host,
      source: 'url',
      url: `${origin}/`,
      review: 0,
      optimize: 'auto',
      packageId: null,
      package: null,
      settings: JSON.stringify(settings),
      maxPages: null,
      pagesAllowed: 100,
      assetsAllowed: 1000,
      bytesAllowed: 1e9,
      warnings: '[]',
      previousScanId,
      createdAt: timestamp(services.now()),
      expiresAt: timestamp(services.now() + 86_400_000),
    });
    await siteScans.move(id, 'queued', status, { origin });
    const pace = { concurrency: 2, delayMs: 0 };
    return new ScanFixture(services, options, {
      scan: (await siteScans.find(id))!,
      settings,
      caller,
      services,
      client: new HttpSiteClient({ allowPrivate: ['127.0.0.0/8'], userAgent: 'test', pace, isExempt: () => true }),
      originals: services.scans.originals,
      log: createLog('error', { write: (line) => console.error(line) }),
      signal: new AbortController().signal,
      tell: () => {},
    });
  }

  /** Creates a later scan of the same account. */
  async next(): Promise<ScanFixture> {
    return await ScanFixture.create(this.#services, { ...this.#options, previousScanId: this.id });
  }

  get id(): string {
    return this.context.scan.id;
  }

  /** Inserts a scanned page and its source, both with this number, at /page-N. */
  async page(seq: number, changes: Partial<SitePage> = {}): Promise<void> {
    const { siteCrawl } = this.#services.database;
    const url = `${SITE}/page-${seq}`;
    const row = { scanId: this.id, seq, url, skipReason: null, selected: 1, overLimit: 0, depth: 0, foundBy: 'link' };
    await siteCrawl.insertPages([{ ...row, foundBy: 'link', status: 'scanned' }]);
    await siteCrawl.changePage(this.id, seq, { status: 'scanned', ...changes });
    await this.source(seq, { kind: 'page', url, pageSeq: seq });
  }

  async source(seq: number, source: Partial<SiteSource>): Promise<void> {
    const url = `${SITE}/source-${seq}`;
    const row = { scanId: this.id, seq, kind: 'stylesheet', url, pageSeq: null, status: 'read' } as const;
    await this.#services.database.siteCrawl.insertSources([{ ...row, ...source }]);
  }

  async link(fromSeq: number, ...to: number[]): Promise<void> {
    await this.#services.database.siteCrawl.linkSources(this.id, fromSeq, to);
  }

  /** Inserts a fetched JPEG of 40,000 bytes and 800 x 600 pixels, at /images/N.jpg. */
  async asset(seq: number, changes: Partial<SiteAsset> = {}, facts: Partial<AssetFacts> = {}): Promise<void> {
    const { siteCrawl } = this.#services.database;
    const row = {
      scanId: this.id,
      seq,
      url: `${SITE}/images/${seq}.jpg`,
      kind: 'raster',
      status: 'ready',
      skipReason: null,
      approval: 'auto',
      external: 0,
      format: 'jpeg',
      contentType: 'image/jpeg',
      bytes: 40_000,
      width: 800,
      height: 600,
      sha256: `${seq}`.padStart(64, '0'),
    } as const;
    await siteCrawl.insertAssets([{ ...row, ...(changes.url === undefined ? {} : { url: changes.url }) }]);
    await siteCrawl.changeAsset(this.id, seq, {
      httpStatus: 200,
      cacheControl: 'max-age=86400',
      facts: JSON.stringify({ ...FACTS, ...facts }),
      ...changes,
    });
  }

  /**
   * Inserts a place in a source.
   * @returns its number
   */
  async reference(
    sourceSeq: number,
    assetSeq: number,
    { isSizeCertain = true, ...changes }: Partial<SiteReference> & { isSizeCertain?: boolean } = {},
  ): Promise<number> {
    this.#references += 1;
    const row: SiteReference = {
      scanId: this.id,
      seq: this.#references,
      sourceSeq,
      pageSeq: null,
      assetSeq,
      role: 'img_src',
      tag: 'img',
      attribute: 'src',
      raw: 'x',
      descriptor: null,
      media: null,
      sizes: null,
      type: null,
      alt: 'x',
      loading: null,
      declaredWidth: null,
      declaredHeight: null,
      displayedWidth: null,
      displayedHeight: null,
      displayedSource: 'unknown',
      line: 1,
      column: 1,
      inNoscript: 0,
      imageNumber: null,
      lacksDimensions: 0,
      lacksAlt: 0,
      lazy: 0,
      preloaded: 0,
      candidates: 1,
      needed: null,
      element: null,
      ...changes,
    };
    await this.#services.database.siteCrawl.insertReferences([row]);
    if (isSizeCertain) this.#certain.push(row.seq);
    await this.#services.database.siteSizes.setCertain(this.id, sourceSeq, this.#certain);
    return row.seq;
  }

  /** Inserts the chosen output of an asset: a WebP of 20,000 bytes. */
  async output(assetSeq: number, changes: Partial<SiteOutput> = {}): Promise<void> {
    const { siteOutputs, siteCrawl } = this.#services.database;
    const row: SiteOutput = {
      scanId: this.id,
      assetSeq,
      id: 'o1',
      kind: 'optimized',
      filename: `${assetSeq}.webp`,
      format: 'webp',
      bytes: 20_000,
      width: 800,
      height: 600,
      quality: 80,
      similarity: 0.99,
      sha256: `f${assetSeq}`.padStart(64, '0'),
      fileId: `file_${assetSeq}`,
      ...changes,
    };
    await siteOutputs.replace(this.id, assetSeq, [row], timestamp(0));
    const { bytes } = await this.findAsset(assetSeq);
    await siteCrawl.changeAsset(this.id, assetSeq, {
      status: 'optimized',
      chosen: row.id,
      bytesSaved: (bytes ?? 0) - row.bytes,
    });
  }

  /** Returns the findings of an asset by code. */
  async findings(assetSeq: number): Promise<Map<string, SiteFinding>> {
    const findings = await this.#services.database.siteInventory.findings(this.id, [assetSeq]);
    return new Map(findings.map((finding) => [finding.code, finding]));
  }

  async findAsset(seq: number): Promise<SiteAsset> {
    return (await this.#services.database.siteInventory.asset(this.id, seq))!;
  }

  close(): void {
    this.context.client.close();
  }
}
