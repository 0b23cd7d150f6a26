/** Packages: credits of pages for website scans, granted by the operator (docs/spec/shapes.md, sections 15.3 and 17.10). */
import { z } from 'zod';
import type { Packages } from '../../storage/ports/packages.ts';
import type { Package } from '../../storage/records/packages.ts';
import { count, dateTime, recordFrom } from '../http/record.ts';

/** Pages of each package. */
export const PACKAGE_PAGES = { site_1k: 1000, site_3k: 3000, site_10k: 10_000, site_50k: 50_000 } as const;

export type PackageName = keyof typeof PACKAGE_PAGES;
export const PACKAGE_NAMES = Object.keys(PACKAGE_PAGES) as [PackageName, ...PackageName[]];

export const creditRecordSchema = z
  .object({
    id: z.string().meta({ examples: ['pkg_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
    package: z.string().meta({ examples: ['site_1k'] }),
    pages_total: count(undefined, 1000),
    pages_left: count(undefined, 1000),
    bought_at: dateTime(),
    expires_at: dateTime().nullable(),
  })
  .meta({ id: 'Credit', description: 'A pool of pages for website scans.' });

type CreditRecord = z.output<typeof creditRecordSchema>;

export const creditRecord = (pool: Package): CreditRecord => recordFrom(creditRecordSchema, pool, {});

/** Grants an account a new package in addition to those that it has. */
export const grantPackage = async (packages: Packages, accountId: string, name: PackageName): Promise<CreditRecord> =>
  creditRecord(await packages.grant(accountId, name, PACKAGE_PAGES[name]));
