import type { SiteScan, UpdateScanBody } from '../types.ts';

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
