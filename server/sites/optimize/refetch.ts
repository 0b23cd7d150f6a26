/** Fetches an original again that is no longer stored. The site may have changed it in the meantime. */

import { sha256 } from '../../../base/sha256.ts';
import type { SiteAsset } from '../../../storage/records/site-assets.ts';
import { factsOf } from '../findings/facts.ts';
import { IMAGE_ACCEPT } from '../image-accept.ts';
import { toAssetColumns } from '../inspected.ts';
import { runInBackground } from '../runner/background.ts';
import type { ScanContext } from '../runner/context.ts';
import { unexpectedResponse } from '../runner/errors.ts';

export interface Refetched {
  data: ArrayBuffer;
  /** Bytes received over the network. */
  receivedBytes: number;
  /** Changed columns of the asset; undefined when the content is the same. */
  changes: Partial<SiteAsset> | undefined;
}

/**
 * Fetches an original again.
 * @throws Failure when there is no longer an image at the address or robots.txt now forbids it
 */
export async function refetch(context: ScanContext, asset: SiteAsset): Promise<Refetched> {
  const { client, caller, services, signal } = context;
  const maxBytes = services.plans.fileLimitBytes(caller.account, caller.key);
  const answer = await client.fetch({ url: asset.url, accept: IMAGE_ACCEPT, maxBytes, signal });
  const { data, status, receivedBytes } = answer;
  if (status !== 200) throw unexpectedResponse('an image', `status ${status}`);
  const hash = await sha256(data);
  if (hash === asset.sha256) return { data, receivedBytes, changes: undefined };
  const input = { image: { data: data.slice(0) }, params: { page: 1 } };
  const { record } = await runInBackground(context, 'inspect', input, signal);
  const changes = {
    ...toAssetColumns(record),
    contentType: answer.contentType ?? null,
    facts: JSON.stringify(await factsOf(record, data)),
    finalUrl: answer.finalUrl,
    cacheControl: answer.cacheControl ?? null,
    etag: answer.etag ?? null,
    lastModified: answer.lastModified ?? null,
    contentEncoding: answer.contentEncoding ?? null,
  };
  return { data, receivedBytes, changes };
}
