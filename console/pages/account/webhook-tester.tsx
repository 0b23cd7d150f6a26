import { useState } from 'preact/hooks';
import { ImagecrewError } from '../../../client/errors.ts';
import { api } from '../../shell/key.ts';
import { Notice, Spinner } from '../../ui/feedback.tsx';
import { Form, TextField } from '../../ui/fields.tsx';
import { useAction } from '../../ui/use-latest.ts';
import type { Usage, WebhookTest } from './records.ts';

/** Sends one signed test event and shows the receiver's response. */
export function WebhookTester({ usage }: { usage: Usage }) {
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
