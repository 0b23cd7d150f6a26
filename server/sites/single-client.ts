import { HttpSiteClient } from './fetch/http-site-client.ts';
import type { SiteClient } from './fetch/site-client.ts';
import type { SiteServices } from './services.ts';
import { siteUserAgent } from './user-agent.ts';

/** Creates a client for a single request made by a person. It has no delay and does not follow robots.txt. */
export function createSingleClient({ config, baseUrl, resolve }: SiteServices): SiteClient {
  const { host, port, allowPrivateAddresses: allowPrivate } = config;
  return new HttpSiteClient({
    allowPrivate,
    userAgent: siteUserAgent(baseUrl),
    pace: { concurrency: 1, delayMs: 0 },
    isExempt: () => true,
    own: { baseUrl, host, port },
    resolve,
  });
}
