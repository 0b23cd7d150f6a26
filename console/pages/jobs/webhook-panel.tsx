/** Shows the webhook of a job and the result of each attempt. */
import type { Job, WebhookDelivery } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Tag } from '../../ui/feedback.tsx';
import { timeText } from '../../ui/format.ts';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-latest.ts';
import { useData } from '../../ui/use-loaded.ts';
import { hasEnded } from './job-state.ts';
import { WEBHOOK_KINDS } from './status-tag.tsx';

interface WebhookPanelProps {
  job: Job;
  webhook: NonNullable<Job['webhook']>;
  onJob(job: Job): void;
}

export function WebhookPanel({ job, webhook, onJob }: WebhookPanelProps) {
  const { url, status, attempts, next_attempt_at: next } = webhook;
  const path = `/api/v1/jobs/${job.id}`;
  const { value, error } = useData(
    (signal) => api.value.json<{ deliveries: WebhookDelivery[] }>(`${path}/deliveries`, { signal }),
    [attempts, status],
  );
  const sending = useAction();
  const again = async (signal: AbortSignal) =>
    onJob(await api.value.json<Job>(`${path}/redeliver`, { method: 'POST', signal }));

  return (
    <section class="card job-card" aria-labelledby="webhook">
      <div class="row job-head">
        <h2 id="webhook">Webhook</h2>
        <Tag kind={WEBHOOK_KINDS[status]}>{status}</Tag>
      </div>
      <p>
        <code class="address">{url}</code>
      </p>
      {!hasEnded(job) && <p class="help">It is sent when the job has ended.</p>}
      {hasEnded(job) && status === 'pending' && next !== null && (
        <p class="help">The next attempt is at {timeText(next)}.</p>
      )}
      {value && value.deliveries.length > 0 && (
        <Table
          label="Attempts to deliver the webhook"
          columns={['Attempt', 'At', 'Answer', 'Time']}
          rows={value.deliveries.map(({ attempt, at, status: answer, duration_ms: ms, error: failure }) => [
            attempt,
            timeText(at),
            failure ?? `status ${answer}`,
            `${ms} ms`,
          ])}
        />
      )}
      {hasEnded(job) && status !== 'pending' && (
        <div>
          <button type="button" onClick={() => void sending.run(again)}>
            Send it again
          </button>
        </div>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
      {sending.error !== undefined && <ErrorNotice error={sending.error} />}
    </section>
  );
}
