/** Whether a website is its customer's own: only then may robots.txt be left aside (spec/shapes.md, section 17.5). */
import { Failure } from '../../base/failure.ts';
import type { Account } from '../../storage/repositories/accounts.ts';
import type { Services } from '../http/endpoint.ts';
import { sitePart } from './domain.ts';
import type { SiteScanSettings } from './settings.ts';
import { createSingleClient } from './single-client.ts';

/** A file of the website that holds the id of the account. */
export const PROOF_PATH = '/.well-known/imagecrew-site.txt';
const PROOF_BYTES = 10_000;

/**
 * Checks settings that leave robots.txt aside.
 * @param site an address of the website
 * @throws Failure 400 `url_not_allowed` where the website does not say that it is the account's
 */
export async function checkRobotsSetting(
  services: Services,
  { id }: Account,
  { respect_robots }: Partial<SiteScanSettings>,
  site: string,
): Promise<void> {
  if (respect_robots !== false) return;
  const text = await readProof(services, site).catch((error: unknown) => {
    if (error instanceof Failure) return '';
    throw error;
  });
  if (text.split('\n').some((line) => line.trim() === id)) return;
  throw new Failure(
    'url_not_allowed',
    `Expected a file ${PROOF_PATH} of the website with the line ${id} for settings.respect_robots but received none.`,
    { param: 'settings.respect_robots' },
  );
}

async function readProof(services: Services, site: string): Promise<string> {
  const client = createSingleClient(services);
  try {
    const url = new URL(PROOF_PATH, site).href;
    const { signal } = new AbortController();
    const { status, finalUrl, data } = await client.fetch({ url, accept: 'text/plain', maxBytes: PROOF_BYTES, signal });
    // What another website says of it is no proof.
    return status === 200 && sitePart(finalUrl) === sitePart(site) ? new TextDecoder().decode(data) : '';
  } finally {
    client.close();
  }
}
