/** API records of the images of a scan (docs/spec/shapes.md, section 17.7). */
import { z } from 'zod';
import { groupBy } from '../../../base/group-by.ts';
import { SCANS_PATH } from '../../../replacement-package/layout.ts';
import type { ReferencePlace } from '../../../storage/ports/site-inventory.ts';
import {
  APPROVALS,
  ASSET_KINDS,
  ASSET_SKIP_REASONS,
  ASSET_STATUSES,
  type SiteAsset,
} from '../../../storage/records/site-assets.ts';
import type { SiteFinding } from '../../../storage/records/site-findings.ts';
import type { SiteOutput } from '../../../storage/records/site-outputs.ts';
import { count, recordFrom } from '../../http/record.ts';
import { SEVERITY_ORDER } from '../findings/finding.ts';
import { errorOf, type RecordContext, scanError } from './fields.ts';

/** Maximum number of places described per finding. On a site of many pages, an image in a template has hundreds. */
const MAX_PLACES = 3;
/** Maximum characters of an address in the markup of a place. */
const MAX_ADDRESS = 200;

const place = z.object({
  page: z.int().nullable().meta({ description: 'Number of the page; null: in a document that belongs to several.' }),
  url: z.string().meta({ description: 'Document that holds it.' }),
  line: z.int(),
  column: z.int(),
  markup: z.string().meta({ examples: ['<img src="/images/hero.jpg">'] }),
});

export const finding = z
  .object({
    code: z.string().meta({ examples: ['wrong_format'] }),
    severity: z.enum(SEVERITY_ORDER),
    message: z.string(),
    savings_bytes: z.int().nullable(),
    references: z.array(z.int()).meta({ description: 'Numbers of the first 100 references that it is about.' }),
    places: z.array(place).meta({ description: `Where the first ${MAX_PLACES} of them stand.` }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'SiteFinding' });

export const output = z
  .object({
    id: z.string().meta({ examples: ['o1'] }),
    filename: z.string(),
    format: z.string(),
    bytes: count(),
    width: count(),
    height: count(),
    quality: z.int().nullable(),
    similarity: z.number().nullable(),
    sha256: z.string(),
    url: z.string(),
  })
  .meta({ id: 'SiteOutput' });

export const assetRecord = z
  .object({
    seq: z.int().min(1).meta({ description: 'Number of the image.' }),
    url: z.string().meta({ description: 'Of a data URI: `data:`, its type and a hash.' }),
    final_url: z.string().nullable(),
    kind: z.enum(ASSET_KINDS),
    status: z.enum(ASSET_STATUSES),
    skip_reason: z.enum(ASSET_SKIP_REASONS).nullable(),
    approval: z.enum(APPROVALS),
    mapped: z.boolean().meta({ description: 'Has a line in the replacement map.' }),
    format: z.string().nullable().meta({ description: 'By content.' }),
    content_type: z.string().nullable().meta({ description: 'By content.' }),
    bytes: count().nullable(),
    width: count().nullable(),
    height: count().nullable(),
    frames: count().nullable(),
    animated: z.boolean(),
    has_alpha: z.boolean(),
    external: z.boolean().meta({ description: 'Of another host.' }),
    sha256: z.string().nullable(),
    fingerprint: z.string().nullable(),
    http_status: z.int().nullable(),
    cache_control: z.string().nullable(),
    etag: z.string().nullable(),
    last_modified: z.string().nullable(),
    roles: z.array(z.string()).meta({ description: 'Kinds of places where it is named.' }),
    pages: count('How many use it.'),
    references: count('How many places name it.'),
    largest_displayed: z
      .object({ width: z.int().nullable(), height: z.int().nullable(), source: z.string() })
      .nullable(),
    findings: z.array(finding),
    duplicate_of: z.int().nullable().meta({ description: 'Number of the image with the same content.' }),
    optimized: output.nullable().meta({ description: 'The chosen result.' }),
    variants: z.array(output).meta({ description: 'Responsive widths.' }),
    candidates: z.array(output).meta({ description: 'Other results to choose from.' }),
    bytes_saved: z.int(),
    saved_percent: z.number(),
    error: scanError,
  })
  .meta({ id: 'SiteAsset' });
export type AssetRecord = z.output<typeof assetRecord>;

/** Findings and results of some assets. */
export interface AssetParts {
  findings: readonly SiteFinding[];
  /** The {@link listedPlaces} of the findings. */
  places: readonly ReferencePlace[];
  outputs: readonly SiteOutput[];
}

/** Numbers of those references of a finding whose places are described. */
export const listedPlaces = ({ references }: SiteFinding): number[] => JSON.parse(references).slice(0, MAX_PLACES);

/**
 * Makes the records of assets, in the same order.
 * @param parts findings and results of these assets
 */
export function describeAssets(assets: readonly SiteAsset[], parts: AssetParts, shown: RecordContext): AssetRecord[] {
  const places = new Map(parts.places.map((each) => [each.seq, describePlace(each)]));
  const findings = groupBy(parts.findings, ({ assetSeq }) => assetSeq);
  const outputs = groupBy(parts.outputs, ({ assetSeq }) => assetSeq);
  return assets.map((asset) =>
    describeAsset(
      asset,
      (findings.get(asset.seq) ?? []).map((each) => describeFinding(each, places)),
      outputs.get(asset.seq) ?? [],
      shown,
    ),
  );
}

function describeAsset(
  asset: SiteAsset,
  findings: z.output<typeof finding>[],
  outputs: readonly SiteOutput[],
  { baseUrl }: RecordContext,
): AssetRecord {
  const chosen = outputs.find(({ id }) => id === asset.chosen);
  const ofKind = (kind: SiteOutput['kind']) =>
    outputs.filter((each) => each.kind === kind).map((each) => describeOutput(each, asset, baseUrl));
  return recordFrom(assetRecord, asset, {
    mapped: asset.mapped === 1,
    animated: asset.animated === 1,
    has_alpha: asset.hasAlpha === 1,
    external: asset.external === 1,
    roles: JSON.parse(asset.roles),
    largest_displayed:
      asset.displayedSource === null
        ? null
        : { width: asset.displayedWidth, height: asset.displayedHeight, source: asset.displayedSource },
    findings,
    optimized: chosen ? describeOutput(chosen, asset, baseUrl) : null,
    variants: ofKind('variant'),
    candidates: ofKind('candidate'),
    error: errorOf(asset),
  });
}

type Place = z.output<typeof place>;

function describePlace({ pageSeq, sourceUrl, line, column, tag, attribute, raw }: ReferencePlace): Place {
  const address = raw.length > MAX_ADDRESS ? `${raw.slice(0, MAX_ADDRESS)}...` : raw;
  const markup = tag === null || attribute === null ? address : `<${tag} ${attribute}="${address}">`;
  return { page: pageSeq, url: sourceUrl, line, column, markup };
}

function describeFinding(found: SiteFinding, places: ReadonlyMap<number, Place>): z.output<typeof finding> {
  return recordFrom(finding, found, {
    references: JSON.parse(found.references),
    places: listedPlaces(found).flatMap((seq) => places.get(seq) ?? []),
    data: JSON.parse(found.data),
  });
}

function describeOutput(found: SiteOutput, asset: SiteAsset, baseUrl: string): z.output<typeof output> {
  const { id, kind } = found;
  const query = id === asset.chosen ? '' : `?which=${kind}&id=${id}`;
  const url = `${baseUrl}${SCANS_PATH}/${asset.scanId}/assets/${asset.seq}/file${query}`;
  return recordFrom(output, found, { url });
}
