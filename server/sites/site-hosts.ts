/** Which hosts belong to the site of a scan: what is on them can be replaced. */
import { isSameSite } from './domain.ts';
import type { SiteScanSettings } from './settings.ts';

/**
 * @param scan with the scheme and host that its start address led to, or at least the host
 * @returns whether an address is on a host that shares the registrable domain of the site, or that the settings name
 */
export function siteHosts(
  scan: { origin: string | null; domain: string },
  { asset_hosts: named }: Pick<SiteScanSettings, 'asset_hosts'>,
): (url: string) => boolean {
  const site = new URL(scan.origin ?? `http://${scan.domain}`).hostname;
  const others = new Set(named.map((host) => host.toLowerCase()));
  return (url) => {
    if (!URL.canParse(url)) return false;
    const { protocol, host, hostname } = new URL(url);
    if (protocol === 'data:') return true;
    return isSameSite(hostname, site) || others.has(hostname) || others.has(host);
  };
}
