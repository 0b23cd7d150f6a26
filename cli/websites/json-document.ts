/** Writes a scan as one JSON document, with the records of the API. It is streamed, not built in memory. */

import { assetRecords } from '../../server/sites/asset-endpoints.ts';
import type { AssetRecord } from '../../server/sites/records/asset.ts';
import { describePage, LISTED_REFERENCES } from '../../server/sites/records/page.ts';
import { describeScan } from '../../server/sites/records/scan.ts';
import type { PlacedReference } from '../../storage/ports/site-inventory.ts';
import type { EndedScan } from './run-scan.ts';

const BATCH_SIZE = 100;
/** Maximum number of places listed per image. */
const MAX_PLACES = 20;

interface Place {
  page_url: string;
  source_url: string;
  role: string;
  line: number;
  column: number;
}

/** @param rest further top-level fields, written after the scan */
export async function* jsonDocument(ended: EndedScan, rest: Readonly<Record<string, unknown>>): AsyncGenerator<string> {
  const shown = { baseUrl: '', now: ended.services.now() };
  // No service stores the scan: nothing can be downloaded and nothing expires.
  const scan = describeScan({ ...ended.scan, expiresAt: null }, undefined, shown);
  yield `{"scan":${JSON.stringify(scan)}`;
  for (const [name, value] of Object.entries(rest)) yield `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
  yield ',"pages":[';
  const places = new Places();
  yield* pagesJson(ended, places);
  yield '],"assets":[';
  yield* assetsJson(ended, places);
  yield ']}\n';
}

async function* pagesJson({ scan, services }: EndedScan, places: Places): AsyncGenerator<string> {
  const { siteInventory } = services.database;
  for (let offset = 0; ; offset += BATCH_SIZE) {
    const slice = { sort: { by: 'seq', descending: false }, offset, limit: BATCH_SIZE } as const;
    const { pages } = await siteInventory.pages(scan.id, {}, slice);
    for (const [index, page] of pages.entries()) {
      yield `${offset + index > 0 ? ',' : ''}\n${JSON.stringify(describePage(page))}`;
      if (page.status === 'scanned')
        places.add(page.url, await siteInventory.referencesOfPage(scan.id, page.seq, LISTED_REFERENCES));
    }
    if (pages.length < BATCH_SIZE) return;
  }
}

async function* assetsJson({ scan, services }: EndedScan, places: Places): AsyncGenerator<string> {
  const { siteInventory } = services.database;
  for (let offset = 0; ; offset += BATCH_SIZE) {
    const slice = { sort: { by: 'seq', descending: false }, offset, limit: BATCH_SIZE } as const;
    const { assets } = await siteInventory.assets(scan.id, {}, slice);
    const records = await assetRecords(services, scan.id, assets);
    for (const [index, record] of records.entries())
      yield `${offset + index > 0 ? ',' : ''}\n${JSON.stringify({ ...withoutUrls(record), places: places.of(record.seq) })}`;
    if (assets.length < BATCH_SIZE) return;
  }
}

/** Removes the URLs of result files, because no service stores them. */
function withoutUrls({ optimized, variants, candidates, ...asset }: AssetRecord): object {
  const without = ({ url: _, ...output }: AssetRecord['variants'][number]) => output;
  return {
    ...asset,
    optimized: optimized && without(optimized),
    variants: variants.map(without),
    candidates: candidates.map(without),
  };
}

/** The first places of each image. A place that several pages share is listed once. */
class Places {
  readonly #places = new Map<number, Map<number, Place>>();

  add(pageUrl: string, references: readonly PlacedReference[]): void {
    for (const { seq, assetSeq, sourceUrl, role, line, column } of references) {
      const known = this.#places.get(assetSeq) ?? new Map<number, Place>();
      this.#places.set(assetSeq, known);
      if (known.size < MAX_PLACES && !known.has(seq))
        known.set(seq, { page_url: pageUrl, source_url: sourceUrl, role, line, column });
    }
  }

  of(assetSeq: number): Place[] {
    return [...(this.#places.get(assetSeq)?.values() ?? [])];
  }
}
