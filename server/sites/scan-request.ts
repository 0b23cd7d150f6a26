import type { ScanSource } from '../../storage/records/site-scans.ts';
import type { PackageName } from '../account/packages.ts';
import type { SiteScanSettings } from './settings.ts';

/** A request for a new scan, checked as far as possible without the database. */
export interface ScanRequest {
  source: ScanSource;
  url: string | null;
  /** One address per line, split into chunks. Each chunk is written at once. */
  list: readonly string[] | null;
  /** An address on the website, with a scheme. */
  site: string;
  domain: string;
  projectId: string | undefined;
  name: string | null;
  package: PackageName | undefined;
  maxPages: number | null;
  review: boolean;
  optimize: 'auto' | 'manual';
  settings: SiteScanSettings;
}
