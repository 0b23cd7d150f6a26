/** Decides which hosts belong to the site of a scan. Only images on these hosts can be replaced. */
import { isSameSite } from './domain.ts';
import type { SiteScanSettings } from './settings.ts';

/**
 * Makes the function that decides whether an address belongs to the site.
 * @param scan with the origin that its start address led to, or at least the domain
 * @returns whether an address is on a host with the site's registrable domain, or on a host named in the settings
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
