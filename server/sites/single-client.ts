import type { Services } from '../http/endpoint.ts';
import { createSiteClient, type SiteClient } from './fetch/site-client.ts';
import { siteUserAgent } from './user-agent.ts';

/** A client for one request that a person makes: nothing to be slowed down, and nothing that a scan asks for. */
export function createSingleClient({ config, baseUrl, resolve }: Services): SiteClient {
  const { host, port, allowPrivateAddresses: allowPrivate } = config;
  return createSiteClient({
    allowPrivate,
    userAgent: siteUserAgent(baseUrl),
    pace: { concurrency: 1, delayMs: 0 },
    isExempt: () => true,
    own: { baseUrl, host, port },
    resolve,
  });
}
