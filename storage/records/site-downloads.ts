/** A file of the package of a scan, or the package itself. */
export interface SiteDownload {
  scanId: string;
  /** The name in the path, such as `mapping.json`. */
  name: string;
  contentType: string;
  fileId: string;
  bytes: number;
  sha256: string;
  builtAt: string;
}
