/** A scan that is ready to be packaged, in the database of a service. The tests insert its rows. */

import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import type { Insertable, Kysely } from 'kysely';
import type { MarkupPlace } from '../../../../replacement-package/markup-place.ts';
import type { Replacement } from '../../../../replacement-package/replacement.ts';
import type { Caller } from '../../../../server/http/context.ts';
import type { Services } from '../../../../server/services.ts';
import type { ScanContext } from '../../../../server/sites/runner/context.ts';
import { scanSettingsSchema } from '../../../../server/sites/settings.ts';
import type { SiteFinding } from '../../../../storage/records/site-findings.ts';
import type { SiteScan } from '../../../../storage/records/site-scans.ts';
import type { Tables } from '../../../../storage/sql/schema.ts';
import { kyselyOn } from '../../../support/database.ts';
import { testEngine } from '../../../support/engine.ts';
import { withService } from '../../../support/service.ts';

export const BUILT_AT = '2026-11-22T05:00:00.000Z';
const NOW = Date.parse('2026-11-22T05:00:01.000Z');
const ID = 'scan_01JD3Z8Q4W0V6S8H2N5B7C9E1F';

export interface PackageJson {
  contract_version: number;
  package_id: string;
  scan_id: string;
  domain: string;
  created_at: string;
  settings: unknown;
  totals: unknown;
  replacements: Replacement[];
  scanned_pages: string[];
  markup_places: MarkupPlace[];
}

export class ScanRows {
  readonly services: Services;
  readonly db: Kysely<Tables>;
  readonly caller: Caller;
  readonly id = ID;
  #pages = 0;
  #sources = 0;
  #references = 0;
  #assets = 0;

  constructor(services: Services, db: Kysely<Tables>, caller: Caller) {
    this.services = services;
    this.db = db;
    this.caller = caller;
  }

  async scan(values: Partial<Insertable<Tables['siteScans']>> = {}): Promise<void> {
    const { account, key } = this.caller;
    await this.db
      .insertInto('siteScans')
      .values({
        id: ID,
        accountId: account.id,
        keyId: key.id,
        projectId: null,
        domain: 'example.com',
        source: 'url',
        url: 'https://example.com/',
        status: 'packaging',
        review: 0,
        optimize: 'auto',
        settings: JSON.stringify(scanSettingsSchema.parse({})),
        pagesAllowed: 100,
        assetsAllowed: 1000,
        bytesAllowed: 1e9,
        origin: 'https://example.com',
        phaseStartedAt: BUILT_AT,
        totals: JSON.stringify({ pages_found: 1 }),
        createdAt: '2026-11-22T04:00:00.000Z',
        expiresAt: '2026-12-22T04:00:00.000Z',
        ...values,
      })
      .execute();
  }

  async page(
    url: string,
    values: Partial<Insertable<Tables['sitePages']>> = {},
  ): Promise<{ page: number; source: number }> {
    const seq = ++this.#pages;
    await this.db
      .insertInto('sitePages')
      .values({
        scanId: ID,
        seq,
        url,
        status: 'scanned',
        selected: 1,
        overLimit: 0,
        depth: 0,
        foundBy: 'link',
        ...values,
      })
      .execute();
    return { page: seq, source: await this.source('page', url, seq) };
  }

  async source(kind: 'page' | 'stylesheet' | 'sitemap', url: string, pageSeq: number | null = null): Promise<number> {
    const seq = ++this.#sources;
    await this.db.insertInto('siteSources').values({ scanId: ID, seq, kind, url, pageSeq, status: 'read' }).execute();
    return seq;
  }

  async link(fromSeq: number, toSeq: number): Promise<void> {
    await this.db.insertInto('siteSourceLinks').values({ scanId: ID, fromSeq, toSeq }).execute();
  }

  async reference(
    assetSeq: number,
    sourceSeq: number,
    raw: string,
    values: Partial<Insertable<Tables['siteReferences']>> = {},
  ): Promise<void> {
    await this.db
      .insertInto('siteReferences')
      .values({
        scanId: ID,
        seq: ++this.#references,
        sourceSeq,
        assetSeq,
        role: 'img_src',
        raw,
        displayedSource: 'unknown',
        line: 1,
        column: 1,
        inNoscript: 0,
        lacksDimensions: 0,
        lacksAlt: 0,
        lazy: 0,
        preloaded: 0,
        candidates: 1,
        ...values,
      })
      .execute();
  }

  /** Inserts an asset that is not mapped. */
  async asset(url: string, values: Partial<Insertable<Tables['siteAssets']>> = {}): Promise<number> {
    const seq = values.seq ?? ++this.#assets;
    this.#assets = Math.max(this.#assets, seq);
    await this.db
      .insertInto('siteAssets')
      .values({
        scanId: ID,
        seq,
        url,
        kind: 'raster',
        status: 'ready',
        approval: 'auto',
        format: 'jpeg',
        bytes: 10_000,
        width: 400,
        height: 300,
        sha256: `original of ${url}`,
        ...values,
      })
      .execute();
    return seq;
  }

  /** Stores a file. */
  async file(data: Uint8Array | string): Promise<{ fileId: string; bytes: number; sha256: string }> {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    const description = { filename: 'x', contentType: 'image/webp', format: 'webp', width: 1, height: 1 };
    const record = await this.services.results.write(
      this.caller.account.id,
      { ...description, data: new Uint8Array(bytes).buffer },
      { seconds: 86_400 },
    );
    await this.services.database.files.insert(record);
    return { fileId: record.id, bytes: record.bytes, sha256: record.sha256 };
  }

  async output(
    assetSeq: number,
    file: { fileId: string; bytes: number; sha256: string },
    values: Partial<Insertable<Tables['siteOutputs']>> = {},
  ): Promise<void> {
    await this.db
      .insertInto('siteOutputs')
      .values({
        scanId: ID,
        assetSeq,
        id: 'o1',
        kind: 'optimized',
        filename: 'x.webp',
        format: 'webp',
        width: 400,
        height: 300,
        quality: 80,
        similarity: 0.99,
        ...file,
        ...values,
      })
      .execute();
  }

  /** Inserts a mapped asset whose new file contains `content`. */
  async mapped(
    url: string,
    content: Uint8Array | string = `new ${url}`,
    values: Partial<Insertable<Tables['siteAssets']>> = {},
    output: Partial<Insertable<Tables['siteOutputs']>> = {},
  ): Promise<number> {
    const file = await this.file(content);
    const bytes = values.bytes ?? 10_000;
    const saved = bytes - file.bytes;
    const seq = await this.asset(url, {
      status: 'optimized',
      mapped: 1,
      chosen: 'o1',
      bytesSaved: saved,
      savedPercent: Math.round((saved * 1000) / bytes) / 10,
      ...values,
    });
    await this.output(seq, file, output);
    return seq;
  }

  async finding(assetSeq: number, code: string, severity: SiteFinding['severity'], savingsBytes?: number) {
    await this.db
      .insertInto('siteFindings')
      .values({ scanId: ID, assetSeq, code, severity, message: `${code}.`, savingsBytes: savingsBytes ?? null })
      .execute();
  }

  async context(changes: Partial<ScanContext> = {}): Promise<ScanContext> {
    const scan = (await this.services.database.siteScans.find(ID))!;
    return {
      scan: scan as SiteScan,
      settings: JSON.parse(scan.settings),
      caller: this.caller,
      services: this.services,
      originals: this.services.scans.originals,
      signal: new AbortController().signal,
      tell: () => {},
      ...changes,
    } as ScanContext;
  }

  /** Reads a file that is listed for download. */
  async download(name: string): Promise<Buffer> {
    const listed = await this.services.database.siteDownloads.find(ID, name);
    assert.ok(listed, name);
    const record = await this.services.results.find(this.caller.account.id, listed.fileId);
    assert.deepEqual([record.bytes, record.sha256], [listed.bytes, listed.sha256]);
    return await buffer(await this.services.results.open(record));
  }

  async downloadText(name: string): Promise<string> {
    return (await this.download(name)).toString('utf8');
  }

  async mapping(): Promise<PackageJson> {
    return JSON.parse(await this.downloadText('mapping.json')) as PackageJson;
  }
}

/** Runs `work` with the rows of an empty scan that is ready to be packaged. The real engine makes its images. */
export async function withScanRows(work: (rows: ScanRows) => Promise<void>): Promise<void> {
  await withService(
    async ({ services, keys }) => {
      const db = kyselyOn(services.database);
      try {
        const caller = await services.authenticate(`Bearer ${keys.pro}`);
        await work(new ScanRows({ ...services, engine: await testEngine() }, db, caller));
      } finally {
        await db.destroy();
      }
    },
    { now: () => NOW },
  );
}

/** Collects all values. */
export async function collect<T>(values: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}
