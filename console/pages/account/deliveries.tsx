/** Lists the webhooks of the jobs that the service still keeps, with every attempt. */
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../shell/key.ts';
import { to } from '../../shell/router.ts';
import { Notice, Spinner, Tag } from '../../ui/feedback.tsx';
import { timeText } from '../../ui/format.ts';
import { useAction } from '../../ui/use-latest.ts';
import { useData } from '../../ui/use-loaded.ts';
import { WEBHOOK_KINDS } from '../jobs/status-tag.tsx';
import type { Delivery, Job, JobWithWebhook } from './records.ts';

/** Poll interval while a delivery is pending. */
const POLL_INTERVAL_MS = 2000;

export function Deliveries() {
  const { value, error, reload } = useData(
    (signal) => api.value.json<{ jobs: Job[] }>('/api/v1/jobs', { signal }),
    [api.value],
  );
  const jobs = value?.jobs.filter((job): job is JobWithWebhook => job.webhook !== null);
  const isWaiting = jobs?.some(({ webhook }) => webhook.status === 'pending');
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(reload, POLL_INTERVAL_MS);
    return () => clearTimeout(timer);
  }, [value, error, isWaiting]);
  if (error !== undefined) return <Notice error={error}>The jobs could not be read.</Notice>;
  if (!jobs) return <Spinner label="Reading the jobs" />;
  if (jobs.length === 0) {
    return (
      <p class="help">
        No job of the last hour has a webhook. <a href={to(['jobs'])}>Start one</a> with an address for it.
      </p>
    );
  }
  return (
    <ul class="keys">
      {jobs.map((job) => (
        <DeliveryRow key={job.id} job={job} onSent={reload} />
      ))}
    </ul>
  );
}

function DeliveryRow({ job: { id, created_at, webhook }, onSent }: { job: JobWithWebhook; onSent(): void }) {
  const [isOpen, setOpen] = useState(false);
  const { error, run } = useAction();
  const again = async () => {
    await api.value.send(`/api/v1/jobs/${id}/redeliver`, { method: 'POST' });
    onSent();
  };
  const isPending = webhook.status === 'pending';
  return (
    <li class="card key">
      <div class="key-name">
        <a href={to(['jobs', id])}>
          <code>{id}</code>
        </a>
        <span role="status">
          <Tag kind={WEBHOOK_KINDS[webhook.status]}>{webhook.status}</Tag>
        </span>
      </div>
      <p class="key-facts help">
        {webhook.url} · job of {timeText(created_at)}
      </p>
      <div class="key-actions">
        <button
          type="button"
          aria-label={`Send again the webhook of ${id}`}
          aria-disabled={isPending}
          onClick={() => isPending || void run(again)}
        >
          Send again
        </button>
      </div>
      {error !== undefined && <Notice error={error} />}
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Attempts</summary>
        {/* Sending again restarts the count of attempts, so the key includes the status. */}
        {isOpen && <Attempts key={`${webhook.status}${webhook.attempts}`} jobId={id} />}
      </details>
    </li>
  );
}

function Attempts({ jobId }: { jobId: string }) {
  const { value, error } = useData(
    (signal) => api.value.json<{ deliveries: Delivery[] }>(`/api/v1/jobs/${jobId}/deliveries`, { signal }),
    [api.value],
  );
  if (error !== undefined) return <Notice error={error} />;
  if (!value) return <Spinner label="Reading" />;
  if (value.deliveries.length === 0) return <p class="help">None yet.</p>;
  return (
    <ol class="attempts">
      {value.deliveries.map(({ at, status, duration_ms, error: reason }) => (
        <li key={at}>
          {timeText(at)}: {status === null ? 'no answer' : `status ${status}`} after {duration_ms} ms
          {reason !== null && ` · ${reason}`}
        </li>
      ))}
    </ol>
  );
}
