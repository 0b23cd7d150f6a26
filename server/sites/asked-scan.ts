import type { ScanSource } from '../../storage/schema.ts';
import type { PackageName } from '../account/packages.ts';
import type { SiteScanSettings } from './settings.ts';

/** A scan that is to be made, checked as far as that goes without the database. */
export interface AskedScan {
  source: ScanSource;
  url: string | null;
  /** One address per line, in parts of which each is written at once. */
  list: readonly string[] | null;
  /** An address of the website, with a scheme. */
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
