/** Reads the replacement map of a scan for tool results. */

import { fieldsArgument, listState } from '../../mcp/lists.ts';
import { replacementSchema } from '../../replacement-package/replacement.ts';
import type { SiteScan } from '../../storage/records/site-scans.ts';
import { readReplacements } from '../sites/package/mapping.ts';
import { isExpired } from '../sites/records/scan.ts';
import type { McpServices } from './services.ts';

/** The argument that selects the fields of replacements. */
export const replacementFields = fieldsArgument(Object.keys(replacementSchema.shape));

/** Reads a part of the map. It is empty before the package is built and after it has expired. */
export async function replacementList(
  { database, now }: Pick<McpServices, 'database' | 'now'>,
  scan: SiteScan,
  slice: { offset: number; limit: number },
) {
  const hasPackage = scan.status === 'done' && !isExpired(scan, now());
  const replacements = hasPackage ? await readReplacements(database, scan, slice) : [];
  const total = hasPackage ? await database.siteMapping.count(scan.id) : 0;
  return { hasPackage, replacements, list: listState(slice, total) };
}
