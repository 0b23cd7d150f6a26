/** Shows the webhook of a job and the result of each attempt. */
import { useEffect, useState } from 'preact/hooks';
import type { Job, WebhookDelivery } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Tag } from '../../ui/feedback.tsx';
import { timeText } from '../../ui/format.ts';
import { ScrollBox } from '../../ui/scroll-box.tsx';
import { useLatestTask } from '../../ui/use-latest.ts';
import { hasEnded } from './job-state.ts';

const KINDS = { pending: 'info', delivered: 'success', failed: 'error', stopped: 'warning' } as const;

interface WebhookPanelProps {
  job: Job;
  webhook: NonNullable<Job['webhook']>;
  onJob(job: Job): void;
}

export function WebhookPanel({ job, webhook, onJob }: WebhookPanelProps) {
  const [deliveries, setDeliveries] = useState<readonly WebhookDelivery[]>([]);
  const [error, setError] = useState<unknown>();
  const reading = useLatestTask();
  const sending = useLatestTask();
  const { url, status, attempts, next_attempt_at: next } = webhook;

  useEffect(() => {
    const path = `/api/v1/jobs/${job.id}/deliveries`;
    reading((signal) => api.value.json<{ deliveries: WebhookDelivery[] }>(path, { signal })).then(
      (answer) => answer && setDeliveries(answer.deliveries),
      setError,
    );
  }, [attempts, status]);

  const again = async () => {
    setError(undefined);
    try {
      const path = `/api/v1/jobs/${job.id}/redeliver`;
      const answer = await sending((signal) => api.value.json<Job>(path, { method: 'POST', signal }));
      if (answer) onJob(answer);
    } catch (failure) {
      setError(failure);
    }
  };

  return (
    <section class="card job-card" aria-labelledby="webhook">
      <div class="row job-head">
        <h2 id="webhook">Webhook</h2>
        <Tag kind={KINDS[status]}>{status}</Tag>
      </div>
      <p>
        <code class="address">{url}</code>
      </p>
      {!hasEnded(job) && <p class="help">It is sent when the job has ended.</p>}
      {hasEnded(job) && status === 'pending' && next !== null && (
        <p class="help">The next attempt is at {timeText(next)}.</p>
      )}
      {deliveries.length > 0 && <Attempts deliveries={deliveries} />}
      {hasEnded(job) && status !== 'pending' && (
        <div>
          <button type="button" onClick={() => void again()}>
            Send it again
          </button>
        </div>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
    </section>
  );
}

function Attempts({ deliveries }: { deliveries: readonly WebhookDelivery[] }) {
  return (
    <ScrollBox label="Attempts to deliver the webhook">
      <table>
        <thead>
          <tr>
            <th scope="col">Attempt</th>
            <th scope="col">At</th>
            <th scope="col">Answer</th>
            <th scope="col">Time</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map(({ id, attempt, at, status, duration_ms: ms, error }, index) => (
            <tr key={`${id} ${index}`}>
              <td>{attempt}</td>
              <td>{timeText(at)}</td>
              <td>{error ?? `status ${status}`}</td>
              <td>{ms} ms</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
