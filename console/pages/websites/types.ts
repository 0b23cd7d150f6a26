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
