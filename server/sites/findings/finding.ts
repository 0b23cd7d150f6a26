/** Findings (spec/shapes.md, section 16.5): their codes with their severities, and what they are made from. */
import type { AssessedAsset } from '../../../storage/repositories/site-assessment.ts';
import type { ReferenceFault } from '../../../storage/repositories/site-reference-faults.ts';
import type { SiteScanSettings } from '../settings.ts';
import type { AssetFacts } from './facts.ts';

/** The worst first. */
export const LEVELS = ['error', 'warning', 'notice', 'info'] as const;
export type Severity = (typeof LEVELS)[number];

export const SEVERITIES = {
  broken: 'error',
  not_image: 'error',
  corrupt: 'error',
  mixed_content: 'error',
  gps_metadata: 'error',
  wrong_format: 'warning',
  animated_gif: 'warning',
  oversized: 'warning',
  very_large: 'warning',
  heavy: 'warning',
  missing_srcset: 'notice',
  missing_dimensions: 'warning',
  missing_lazy: 'notice',
  lazy_first: 'warning',
  missing_alt: 'warning',
  duplicate: 'notice',
  near_duplicate: 'info',
  upscaled: 'notice',
  heavy_metadata: 'notice',
  wrong_extension: 'notice',
  redirected: 'notice',
  no_cache: 'notice',
  uncompressed_svg: 'notice',
  large_data_uri: 'notice',
  cmyk: 'notice',
  low_similarity: 'warning',
  already_negotiated: 'info',
  third_party: 'info',
} as const satisfies Record<string, Severity>;

export type FindingCode = keyof typeof SEVERITIES;
export const FINDING_CODES = Object.keys(SEVERITIES) as [FindingCode, ...FindingCode[]];

export interface Finding {
  code: FindingCode;
  /** For people. */
  message: string;
  savingsBytes?: number | undefined;
  /** Numbers of the places that it is about; none where it is about the file. */
  references?: readonly number[];
  data?: Record<string, unknown>;
}

/** All places of an asset together. */
export interface Places {
  references: number;
  /** The first {@link MOST_LISTED}. */
  listed: number[];
  /** By name. */
  roles: string[];
  /** The largest of all; of two of one size that which is known better: by attribute, style, sizes, descriptor. */
  displayed: { width: number | null; height: number | null; source: string } | undefined;
  /** A place shows it, and how large is not known. */
  isShownAtUnknownSize: boolean;
  /** A place offers other sizes of it too. */
  hasChoice: boolean;
  /** By fault the first {@link MOST_LISTED} places, and how many there are. */
  faults: Map<ReferenceFault, { listed: number[]; places: number }>;
}

/** References that a finding lists at most. */
export const MOST_LISTED = 100;

/** What is known of an asset when its findings are made. */
export interface AssetView {
  asset: AssessedAsset;
  facts: AssetFacts | undefined;
  places: Places;
  settings: SiteScanSettings;
  isThirdParty: boolean;
  /** Numbers of assets with the same picture in another size. */
  nearDuplicates: readonly number[];
}

/** One rule may find one thing. */
export type Rule = (view: AssetView) => Finding | undefined;

/** The bytes have been fetched and are those of a file. */
export function isFetched({ asset }: AssetView): boolean {
  return asset.bytes !== null && asset.status !== 'failed' && asset.kind !== 'data_uri';
}

/** A picture of pixels that a page shows. */
export function isPicture(view: AssetView): boolean {
  return isFetched(view) && (view.asset.kind === 'raster' || view.asset.kind === 'animation');
}

export function bytesText(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`;
}

export function timesText(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? what : `${what}s`}`;
}
