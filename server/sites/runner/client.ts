import type { SiteScan } from '../../../storage/records/site-scans.ts';
import { sitePart } from '../domain.ts';
import { HttpSiteClient } from '../fetch/http-site-client.ts';
import type { SiteClient } from '../fetch/site-client.ts';
import type { SiteServices } from '../services.ts';
import type { SiteScanSettings } from '../settings.ts';
import { siteUserAgent } from '../user-agent.ts';

/** Creates the client of a scan: it follows the scan's settings and is polite. */
export function createScanClient(
  { config, baseUrl, resolve }: Pick<SiteServices, 'config' | 'baseUrl' | 'resolve'>,
  scan: SiteScan,
  userAgent = siteUserAgent(baseUrl),
): SiteClient {
  const { concurrency, delay_ms, respect_robots } = JSON.parse(scan.settings) as SiteScanSettings;
  // Only the website whose ownership was proved, not the other hosts that the scan fetches from.
  const isExempt = ({ href }: URL) => !respect_robots && sitePart(href) === scan.domain;
  return new HttpSiteClient({
    allowPrivate: config.allowPrivateAddresses,
    userAgent,
    pace: { concurrency, delayMs: delay_ms },
    isExempt,
    own: { baseUrl, host: config.host, port: config.port },
    resolve,
  });
}
