import type { Services } from '../../http/endpoint.ts';
import { sitePart } from '../domain.ts';
import { createSiteClient, type SiteClient } from '../fetch/site-client.ts';
import type { SiteScanSettings } from '../settings.ts';
import { siteUserAgent } from '../user-agent.ts';
import type { SiteScan } from './context.ts';

/** How a scan fetches: as its settings say, and politely. */
export function createScanClient(
  { config, baseUrl, resolve }: Pick<Services, 'config' | 'baseUrl' | 'resolve'>,
  scan: SiteScan,
  userAgent = siteUserAgent(baseUrl),
): SiteClient {
  const { concurrency, delay_ms, respect_robots } = JSON.parse(scan.settings) as SiteScanSettings;
  // What was proved to be the owner's, and nothing else that the scan fetches from.
  const isExempt = ({ href }: URL) => !respect_robots && sitePart(href) === scan.domain;
  return createSiteClient({
    allowPrivate: config.allowPrivateAddresses,
    userAgent,
    pace: { concurrency, delayMs: delay_ms },
    isExempt,
    own: { baseUrl, host: config.host, port: config.port },
    resolve,
  });
}
