import type { SiteDownload } from '../records/site-downloads.ts';

/** The downloadable files of scans. */
export interface SiteDownloads {
  list(scanId: string): Promise<SiteDownload[]>;
  find(scanId: string, name: string): Promise<SiteDownload | undefined>;
  /**
   * Replaces the downloads of a scan. Must be called in a transaction.
   * @returns the ids of the files that are no longer used
   */
  replace(scanId: string, downloads: readonly SiteDownload[]): Promise<string[]>;
}
