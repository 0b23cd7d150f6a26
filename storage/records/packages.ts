/** A bought package of pages for website scans. */
export interface Package {
  id: string;
  accountId: string;
  package: string;
  pagesTotal: number;
  pagesLeft: number;
  boughtAt: string;
  expiresAt: string | null;
}
