/** API records of the pages of a scan (docs/spec/shapes.md, section 17.6). */
import { z } from 'zod';
import { groupBy } from '../../../base/group-by.ts';
import type { PlacedReference } from '../../../storage/ports/site-inventory.ts';
import { ASSET_KINDS, ASSET_STATUSES, type SiteAsset } from '../../../storage/records/site-assets.ts';
import type { SiteFinding } from '../../../storage/records/site-findings.ts';
import { PAGE_SKIP_REASONS, PAGE_STATUSES, type SitePage } from '../../../storage/records/site-pages.ts';
import { count, dateTime, recordFrom } from '../../http/record.ts';
import { percentOf, secondsOnSlow4g } from '../findings/totals.ts';
import { counts, errorOf, scanError } from './fields.ts';

export const ATTENTION = ['failed', 'broken_assets', 'heavy', 'needs_javascript', 'privacy'] as const;
export const OPTIMIZATIONS = ['none', 'partial', 'complete', 'not_needed'] as const;

export const pageRecord = z
  .object({
    seq: z.int().min(1).meta({ description: 'Number of the page, in the order of discovery.' }),
    url: z.string(),
    final_url: z.string().nullable().meta({ description: 'Where redirects ended.' }),
    canonical_url: z.string().nullable(),
    status: z.enum(PAGE_STATUSES),
    skip_reason: z.enum(PAGE_SKIP_REASONS).nullable(),
    selected: z.boolean(),
    over_limit: z.boolean().meta({ description: 'Found beyond the limit, and not fetched.' }),
    http_status: z.int().nullable(),
    title: z.string().nullable(),
    depth: count('Links from the start.'),
    found_by: z.enum(['start', 'sitemap', 'link', 'list']),
    html_bytes: count().nullable(),
    assets: count(),
    references: count(),
    image_requests: count(),
    image_bytes: count(),
    optimized_bytes: count(),
    bytes_saved: z.int(),
    saved_percent: z.number(),
    seconds_saved_slow_4g: z.number().meta({ description: 'What they take at 1.6 Mbit/s.' }),
    heaviest_asset_seq: z.int().nullable(),
    issues: counts('Code of a finding to the number of images of this page that have it.'),
    attention: z.array(z.enum(ATTENTION)),
    optimization: z.enum(OPTIMIZATIONS),
    error: scanError,
    fetched_at: dateTime().nullable(),
  })
  .meta({ id: 'SitePage' });
type PageRecord = z.output<typeof pageRecord>;

export const reference = z
  .object({
    page_seq: z.int().nullable().meta({ description: 'null: in a document that belongs to several pages.' }),
    page_url: z.string().nullable(),
    role: z.string().meta({ description: 'Kind of place.', examples: ['img_src'] }),
    tag: z.string().nullable(),
    attribute: z.string().nullable(),
    raw: z.string().meta({ description: 'Exactly as it stands in the source.' }),
    descriptor: z
      .string()
      .nullable()
      .meta({ examples: ['800w'] }),
    media: z.string().nullable(),
    sizes: z.string().nullable(),
    alt: z.string().nullable(),
    loading: z.string().nullable(),
    declared_width: z.int().nullable(),
    declared_height: z.int().nullable(),
    displayed_width: z.int().nullable(),
    displayed_height: z.int().nullable(),
    displayed_source: z.string().meta({ description: 'attribute, style, sizes, descriptor, rendered or unknown.' }),
    stylesheet_url: z.string().nullable().meta({ description: 'Where it is in a style sheet of its own.' }),
    source_url: z.string().meta({ description: 'Document that holds it.' }),
    line: z.int(),
    column: z.int(),
    in_noscript: z.boolean(),
  })
  .meta({ id: 'SiteReference' });

/** Maximum number of references listed with a page. */
export const LISTED_REFERENCES = 5000;

export const pageDetail = pageRecord
  .extend({
    asset_list: z
      .array(
        z.object({
          seq: z.int(),
          url: z.string(),
          kind: z.enum(ASSET_KINDS),
          status: z.enum(ASSET_STATUSES),
          bytes: count().nullable(),
          bytes_saved: z.int(),
          findings: z.array(z.string()).meta({ description: 'Codes.' }),
          references: z.array(reference),
        }),
      )
      .meta({
        description: `Every image that the page uses, with the first ${LISTED_REFERENCES} references of the page.`,
      }),
  })
  .meta({ id: 'SitePageDetail' });
type PageDetail = z.output<typeof pageDetail>;

export function describePage(page: SitePage): PageRecord {
  return recordFrom(pageRecord, page, {
    selected: page.selected === 1,
    over_limit: page.overLimit === 1,
    optimized_bytes: page.imageBytes - page.bytesSaved,
    saved_percent: percentOf(page.bytesSaved, page.imageBytes),
    seconds_saved_slow_4g: secondsOnSlow4g(page.bytesSaved),
    issues: JSON.parse(page.issues),
    attention: JSON.parse(page.attention),
    error: errorOf(page),
  });
}

export function describePageWithAssets(
  page: SitePage,
  assets: readonly SiteAsset[],
  references: readonly PlacedReference[],
  findings: readonly SiteFinding[],
): PageDetail {
  const ofAsset = groupBy(references, ({ assetSeq }) => assetSeq);
  const codes = groupBy(findings, ({ assetSeq }) => assetSeq);
  return {
    ...describePage(page),
    asset_list: assets.map(({ seq, url, kind, status, bytes, bytesSaved }) => ({
      seq,
      url,
      kind,
      status,
      bytes,
      bytes_saved: bytesSaved,
      findings: (codes.get(seq) ?? []).map(({ code }) => code),
      references: (ofAsset.get(seq) ?? []).map((each) => describeReference(each, page)),
    })),
  };
}

function describeReference(found: PlacedReference, page: SitePage): z.output<typeof reference> {
  const ofPage = found.sourceKind === 'page' || found.pageSeq !== null;
  return recordFrom(reference, found, {
    page_seq: ofPage ? page.seq : null,
    page_url: ofPage ? page.url : null,
    stylesheet_url: found.sourceKind === 'stylesheet' ? found.sourceUrl : null,
    in_noscript: found.inNoscript === 1,
  });
}
