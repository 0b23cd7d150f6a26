export interface SiteFinding {
  scanId: string;
  assetSeq: number;
  code: string;
  severity: 'error' | 'warning' | 'notice' | 'info';
  message: string;
  savingsBytes: number | null;
  /** JSON array of the numbers of the first 100 references. */
  references: string;
  /** JSON object. */
  data: string;
}
