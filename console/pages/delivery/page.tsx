/** The delivery page: builds addresses of images, shows them, and empties their cache. */

import { DeliveredImages } from '../../../client/account.ts';
import type { Usage } from '../../../client/types.generated.ts';
import { api, key } from '../../shell/key.ts';
import { NeedsKey } from '../../shell/needs-key.tsx';
import { Notice, Spinner } from '../../ui/feedback.tsx';
import { useData } from '../../ui/use-loaded.ts';
import { AddressBuilder } from './address-builder.tsx';
import { CachePanel } from './cache-panel.tsx';
import './delivery.css';

export default function DeliveryPage() {
  return (
    <>
      <h1>Delivery</h1>
      <p>
        An address that makes the image it needs, for <code>&lt;img src&gt;</code>. The first request makes the image,
        the others come from a cache. <a href="/docs/image-delivery">How it works</a>
      </p>
      <NeedsKey>
        {/* The key prop discards the content of another key. */}
        <Delivery key={key.value} />
      </NeedsKey>
    </>
  );
}

function Delivery() {
  const usage = useData((signal) => api.value.json<Usage>('/api/v1/usage', { signal }), [api.value]);
  const cache = useData((signal) => new DeliveredImages(api.value).count({ signal }), [api.value]);
  return (
    <div class="delivery">
      {usage.error !== undefined && <Notice error={usage.error}>The account could not be read.</Notice>}
      {usage.value ? (
        <AddressBuilder keyId={usage.value.key.id} apiKey={key.value!} onMade={cache.reload} />
      ) : (
        usage.error === undefined && <Spinner label="Reading" />
      )}
      <CachePanel cache={cache} />
    </div>
  );
}
