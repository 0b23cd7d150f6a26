/** The webhook tab: the signing secret, a test of a receiver, and the deliveries of recent jobs. */
import { Deliveries } from './deliveries.tsx';
import { NeedsAdmin } from './needs-admin.tsx';
import type { Usage } from './records.ts';
import { WebhookSecretCard } from './webhook-secret.tsx';
import { WebhookTester } from './webhook-tester.tsx';

export function Webhooks({ usage }: { usage: Usage }) {
  return (
    <div class="stack">
      <p class="help">
        A job with an address for webhooks posts its record there when it ends. How to receive one is in{' '}
        <a href="/docs">the documentation</a>.
      </p>
      <div class="columns">
        <section class="card" aria-labelledby="secret">
          <h2 id="secret">Secret</h2>
          <NeedsAdmin usage={usage} what="The secret">
            <WebhookSecretCard />
          </NeedsAdmin>
        </section>
        <section class="card" aria-labelledby="test">
          <h2 id="test">Test a receiver</h2>
          <WebhookTester usage={usage} />
        </section>
      </div>
      <section aria-labelledby="deliveries">
        <h2 id="deliveries">Deliveries of recent jobs</h2>
        <Deliveries />
      </section>
    </div>
  );
}
