/** The API client for websites. */
import { computed } from '@preact/signals';
import { Sites } from '../../../client/sites.ts';
import { api } from '../../shell/key.ts';
import { useData } from '../../ui/use-loaded.ts';
import { type ImageSums, sumAllImages } from './images/all-images.ts';
import { isRunning } from './scan/states.ts';
import type { SiteScan } from './types.ts';

export const sitesClient = computed(() => new Sites(api.value));

/** Loads the sums of a scan that does not run. While it runs, they would be outdated before they are loaded. */
export function useImageSums(scan: SiteScan, changes: number): ImageSums | undefined {
  const { scans } = sitesClient.value;
  const isStill = !isRunning(scan);
  return useData(
    async (signal) => (isStill ? await sumAllImages(scans, scan.id, signal) : undefined),
    [scans, scan.id, isStill, isStill && changes],
  ).value;
}
