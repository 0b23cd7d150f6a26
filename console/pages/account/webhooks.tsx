/** The webhook tab: the signing secret, a test of a receiver, and the deliveries of recent jobs. */

import { useState } from 'preact/hooks';
import { ImagecrewError } from '../../../client/errors.ts';
import { api } from '../../shell/key.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Choice, Dialog } from '../../ui/dialog.tsx';
import { Notice, Spinner } from '../../ui/feedback.tsx';
import { Form, TextField } from '../../ui/fields.tsx';
import { timeText } from '../../ui/format.ts';
import { useAction } from '../../ui/use-latest.ts';
import { Deliveries } from './deliveries.tsx';
import { NeedsAdmin } from './needs-admin.tsx';
import type { Usage, WebhookSecret, WebhookTest } from './records.ts';

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

const PATH = '/api/v1/webhook-secret';

/** The secret is requested only when the user asks to see it: others may see the screen. */
function WebhookSecretCard() {
  const [secret, setSecret] = useState<WebhookSecret>();
  const [isAsking, setAsking] = useState(false);
  const { isBusy, error, run } = useAction();
  const read = async (path: string, method: 'GET' | 'POST') => {
    await run(async () => setSecret(await api.value.json<WebhookSecret>(path, { method })));
    setAsking(false);
  };
  return (
    <>
      <p>A receiver verifies with it that a webhook comes from this service.</p>
      {secret && (
        <>
          <CodeBlock label="The secret of the webhooks" text={secret.secret} />
          <p class="help">
            Made {timeText(secret.created_at)}.
            {secret.previous_valid_until !== null &&
              ` Until ${timeText(secret.previous_valid_until)} webhooks are signed with the one before it too.`}
          </p>
        </>
      )}
      {error !== undefined && <Notice error={error} />}
      <div class="row">
        <button
          type="button"
          aria-disabled={isBusy}
          onClick={() => (secret ? setSecret(undefined) : isBusy || void read(PATH, 'GET'))}
        >
          {secret ? 'Hide it' : 'Show it'}
        </button>
        <button type="button" onClick={() => setAsking(true)}>
          Change it …
        </button>
      </div>
      <Dialog title="Change the secret?" isOpen={isAsking} onClose={() => setAsking(false)}>
        <p>
          The service makes a new secret. For 24 hours webhooks are signed with both, the new one and the one before it:
          give the new one to your receivers in that time.
        </p>
        <Choice
          {...{ isBusy }}
          confirm="Make a new secret"
          cancel="Keep this one"
          kind="primary"
          onConfirm={() => void read(`${PATH}/rotate`, 'POST')}
          onCancel={() => setAsking(false)}
        />
      </Dialog>
    </>
  );
}

/** Sends one signed test event and shows the receiver's response. */
function WebhookTester({ usage }: { usage: Usage }) {
  const [url, setUrl] = useState('');
  const [result, setResult] = useState<WebhookTest>();
  const { isBusy, error, run } = useAction();
  const send = async () => {
    setResult(undefined);
    const body = JSON.stringify({ webhook_url: url.trim() });
    const call = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body } as const;
    setResult(await api.value.json<WebhookTest>('/api/v1/webhook-test', call));
  };
  if (!usage.features.includes('jobs')) {
    return <p>Jobs and their webhooks are not in the plan {usage.account.plan}.</p>;
  }
  return (
    <Form onSubmit={() => isBusy || void run(send)}>
      <TextField
        label="Address"
        help="It gets one signed event of the type webhook.test, and has 15 seconds to answer."
        placeholder="https://example.com/hook"
        value={url}
        required
        onValue={setUrl}
      />
      <button type="submit" class="primary" aria-disabled={isBusy}>
        Send a test
      </button>
      {isBusy && <Spinner label="Waiting for its answer" />}
      {result && <Outcome {...result} />}
      {error !== undefined && (
        <Notice error={error}>
          {error instanceof ImagecrewError && error.code === 'url_not_allowed' && (
            <p>The operator can allow http with IC_ALLOW_HTTP_WEBHOOKS.</p>
          )}
        </Notice>
      )}
    </Form>
  );
}

function Outcome({ delivered, status, duration_ms, error }: WebhookTest) {
  const answer = status === null ? 'No answer' : `Status ${status}`;
  return (
    <Notice kind={delivered ? 'success' : 'error'}>
      <strong>{delivered ? 'Delivered.' : 'Not delivered.'}</strong> {answer} after {duration_ms} ms.{' '}
      {error !== null && <code>{error}</code>}
    </Notice>
  );
}
