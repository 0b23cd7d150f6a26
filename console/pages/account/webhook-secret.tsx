import { useState } from 'preact/hooks';
import { api } from '../../shell/key.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Choice, Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/feedback.tsx';
import { timeText } from '../../ui/format.ts';
import { useAction } from '../../ui/use-latest.ts';
import type { WebhookSecret } from './records.ts';

const PATH = '/api/v1/webhook-secret';

/** The secret is requested only when the user asks to see it: others may see the screen. */
export function WebhookSecretCard() {
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
