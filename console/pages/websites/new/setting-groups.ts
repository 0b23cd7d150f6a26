/** Groups the settings of a scan by topic. */
import type { Parameter } from '../../../../server/console/declaration-types.ts';
import type { Group } from '../../../parameters/groups.ts';

const TITLES: Readonly<Record<string, readonly string[]>> = {
  'New files': [
    ...['format', 'mode', 'quality', 'metadata', 'max_width', 'fit_displayed', 'variants_widths'],
    ...['also_avif', 'min_savings_bytes', 'min_savings_percent', 'recompress_webp', 'optimize_svg', 'map_social'],
  ],
  'Which pages': ['include', 'exclude', 'include_subdomains', 'max_depth', 'sample_per_pattern', 'respect_robots'],
  'Which images': ['asset_exclude', 'external_assets', 'asset_hosts'],
};
/** Group of all other settings, including ones that the service adds later. */
const OTHER_GROUP_TITLE = 'How it asks the website';

export function settingGroups(parameters: readonly Parameter[]): Group[] {
  const named = new Set(Object.values(TITLES).flat());
  const groups = Object.entries(TITLES).map(([title, names]) => ({
    title,
    parameters: names.flatMap((name) => parameters.find((parameter) => parameter.name === name) ?? []),
  }));
  const rest = { title: OTHER_GROUP_TITLE, parameters: parameters.filter(({ name }) => !named.has(name)) };
  return [...groups, rest].filter((group) => group.parameters.length > 0).map((group) => ({ ...group, isOpen: false }));
}
