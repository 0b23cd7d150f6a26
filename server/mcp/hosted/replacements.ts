/** The replacement map of a scan in the results of tools. */
import type { SiteScan } from '../../../storage/repositories/site-scans.ts';
import type { Services } from '../../http/endpoint.ts';
import { type Replacement, readReplacements } from '../../sites/package/mapping.ts';
import { isExpired } from '../../sites/records/scan.ts';
import { listState } from './lists.ts';

/** A part of the map, which is empty before the package is built and when it has expired. */
export async function replacementList(
  { database, now }: Pick<Services, 'database' | 'now'>,
  scan: SiteScan,
  slice: { offset: number; limit: number },
) {
  const hasPackage = scan.status === 'done' && !isExpired(scan, now());
  const replacements = hasPackage ? await readReplacements(database, scan, slice) : [];
  const total = hasPackage ? await database.siteMapping.count(scan.id) : 0;
  return { hasPackage, replacements, list: listState(slice, total) };
}

/** One line of a list. */
export function replacementLine({ from, to_path, saved_bytes }: Replacement): string {
  return `${from} -> ${to_path} (saves ${saved_bytes} bytes)`;
}
