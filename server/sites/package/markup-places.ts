/**
 * The places of a website whose markup can be repaired in its sources: which `img` lacks what, and on which page. The
 * local MCP server makes its plans from them.
 */
import { MARKUP_FINDINGS, type MarkupFinding, type MarkupPlace } from '../../../replacement-package/markup-place.ts';
import type { Repositories } from '../../../storage/ports/database.ts';
import { faultsIn, type ReferenceFault } from '../../../storage/records/site-reference-faults.ts';
import type { SiteScan } from '../../../storage/records/site-scans.ts';
import { byReferences } from './mapping.ts';

/** Maximum number of similar places of one image. */
const MAX_PLACES = 20;
const ASSETS_AT_ONCE = 100;

/**
 * The places of images that have one of these findings, ordered by image and page. Includes their places without such a
 * finding.
 */
export async function* markupPlaces(
  { siteMapping }: Pick<Repositories, 'siteMapping'>,
  { id }: Pick<SiteScan, 'id'>,
): AsyncGenerator<MarkupPlace> {
  for (let after = 0; ; ) {
    const assets = await siteMapping.faultyAssets(id, MARKUP_FINDINGS, after, ASSETS_AT_ONCE);
    const last = assets.at(-1);
    if (!last) return;
    for (const batch of byReferences(assets)) {
      const known = new Map(batch.map((asset) => [asset.seq, asset]));
      for (const row of await siteMapping.markupPlaces(id, [...known.keys()], MAX_PLACES)) {
        const { url, sha256, bytes } = known.get(row.assetSeq)!;
        yield {
          from: url,
          from_sha256: sha256,
          from_bytes: bytes,
          raw: row.raw,
          page: row.page,
          line: row.line,
          column: row.column,
          is_first: row.isFirst === 1,
          findings: faultsIn(row.faults).filter(isMarkupFinding),
        };
      }
    }
    after = last.seq;
  }
}

const isMarkupFinding = (fault: ReferenceFault): fault is MarkupFinding =>
  (MARKUP_FINDINGS as readonly ReferenceFault[]).includes(fault);
