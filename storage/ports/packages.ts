import type { Package } from '../records/packages.ts';

export interface Packages {
  /** Grants a package to an account. @param pages number of pages in it */
  grant(accountId: string, name: string, pages: number): Promise<Package>;
  /** The packages of an account, oldest first. */
  list(accountId: string): Promise<Package[]>;
}
