import type { SiteScan, UpdateScanBody } from '../records.ts';

/** What each section is given. */
export interface SectionProps {
  scan: SiteScan;
  /** Rises when what is listed has changed. */
  changes: number;
  /** Page or image of the address; undefined: the list. */
  part: number | undefined;
  /** Asks for something; what is refused is told above. Resolves to whether it was done. */
  act(body: UpdateScanBody): Promise<boolean>;
}
