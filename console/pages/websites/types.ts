/** Types of the API for website scans. */
import type {
  SiteAsset,
  SitePage,
  SiteScan,
  SiteScanSummary,
  UpdateScanBody,
} from '../../../client/types.generated.ts';

export type {
  ApproveAssetBody,
  CreateScanBody,
  ListAssetsParams,
  ListPagesParams,
  SiteAsset,
  SiteAssetDetail,
  SiteFinding,
  SiteOutput,
  SitePage,
  SitePageDetail,
  SiteProject,
  SiteReference,
  SiteScan,
  SiteScanSummary,
  SiteTiers,
  UpdateScanBody,
} from '../../../client/types.generated.ts';

export type ScanStatus = SiteScan['status'];
export type ScanAction = UpdateScanBody['action'];
export type ScanWarning = SiteScanSummary['warnings'][number];
export type PageStatus = SitePage['status'];
export type AssetStatus = SiteAsset['status'];
export type AssetKind = SiteAsset['kind'];
export type Approval = SiteAsset['approval'];

/** Props of each section of a scan's page. */
export interface SectionProps {
  scan: SiteScan;
  /** Increases when pages or images have changed. */
  changes: number;
  /** Number of the page or image in the address. Undefined for the list. */
  part: number | undefined;
  /** Requests a change of the scan. The page shows an error. Resolves to whether the change succeeded. */
  act(body: UpdateScanBody): Promise<boolean>;
}
