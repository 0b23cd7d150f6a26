/** Findings (docs/spec/shapes.md, section 16.5): their codes, their severities and the data that they are made from. */
import type { AssessedAsset } from '../../../storage/ports/site-assessment.ts';
import type { ReferenceFault } from '../../../storage/records/site-reference-faults.ts';
import type { SiteScanSettings } from '../settings.ts';
import type { AssetFacts } from './facts.ts';

/** From the most severe to the least. */
export const SEVERITY_ORDER = ['error', 'warning', 'notice', 'info'] as const;
export type Severity = (typeof SEVERITY_ORDER)[number];

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
  /** Message for people. */
  message: string;
  savingsBytes?: number | undefined;
  /** Numbers of the affected places; none when the finding is about the file. */
  references?: readonly number[];
  data?: Record<string, unknown>;
}

/** The summary of all places of an asset. */
export interface Places {
  references: number;
  /** The first {@link MAX_LISTED_REFERENCES} places. */
  listed: number[];
  /** Sorted by name. */
  roles: string[];
  /**
   * The largest displayed size. Of two equal sizes, the one from the more reliable source: attribute, style, sizes,
   * descriptor.
   */
  displayed: { width: number | null; height: number | null; source: string } | undefined;
  /** At least one place shows the image at an unknown size. */
  isShownAtUnknownSize: boolean;
  /** At least one place also offers other sizes of the image. */
  hasChoice: boolean;
  /** For each fault, the first {@link MAX_LISTED_REFERENCES} places and the number of places. */
  faults: Map<ReferenceFault, { listed: number[]; places: number }>;
}

/** Maximum number of references listed in a finding. */
export const MAX_LISTED_REFERENCES = 100;

/** The data about an asset that its findings are made from. */
export interface AssetView {
  asset: AssessedAsset;
  facts: AssetFacts | undefined;
  places: Places;
  settings: SiteScanSettings;
  isThirdParty: boolean;
  /** Numbers of assets that show the same image in another size. */
  nearDuplicates: readonly number[];
}

/** A rule makes at most one finding. */
export type Rule = (view: AssetView) => Finding | undefined;

/** True when the bytes of a file have been fetched. */
export const isFetched = ({ asset }: AssetView): boolean =>
  asset.bytes !== null && asset.status !== 'failed' && asset.kind !== 'data_uri';

/** True for a fetched raster image or animation. */
export const isRasterImage = (view: AssetView): boolean =>
  isFetched(view) && (view.asset.kind === 'raster' || view.asset.kind === 'animation');

export const bytesText = (bytes: number): string =>
  `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`;

export const timesText = (count: number, what: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? what : `${what}s`}`;
