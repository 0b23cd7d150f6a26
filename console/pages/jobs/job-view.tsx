/** Shows one job: its progress, the result of each image, and the downloads. */

import { useEffect, useState } from 'preact/hooks';
import type { Job } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { navigate, to } from '../../shell/router.ts';
import { Choice, Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Failure, Notice, Progress, Spinner } from '../../ui/feedback.tsx';
import { fetchFile, saveFile } from '../../ui/files.ts';
import { bytesText, changeText, timeText } from '../../ui/format.ts';
import { useAction } from '../../ui/use-latest.ts';
import { opName } from '../pipelines/labels.ts';
import { ItemRow } from './item-row.tsx';
import { endedCount, hasEnded, retryableAddresses, timeLeft } from './job-state.ts';
import { retryAddresses } from './new-job.ts';
import { StatusTag } from './status-tag.tsx';
import { useJob } from './use-job.ts';
import { WebhookPanel } from './webhook-panel.tsx';

export function JobView({ id }: { id: string }) {
  const { job, error, isConnected, take } = useJob(id);
  return (
    <div class="stack">
      <p class="row">
        <a href={to(['jobs'])}>All jobs</a>
        <code>{id}</code>
      </p>
      {error !== undefined && (
        <ErrorNotice error={error}>The job could not be read. Jobs are kept for a day, then they are gone.</ErrorNotice>
      )}
      {!isConnected && <Notice kind="warning">The connection is lost. It is made again by itself.</Notice>}
      {!job && error === undefined && <Spinner label="Reading the job" />}
      {job && <JobDetails job={job} onJob={take} />}
    </div>
  );
}

function JobDetails({ job, onJob }: { job: Job; onJob(job: Job): void }) {
  const { progress, results, expires_at: expiresAt, error } = job;
  const now = useNow();
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= now;
  const again = retryableAddresses(job);
  return (
    <>
      <section class="card job-card" aria-label="Progress">
        <Heading job={job} />
        <Progress label="Images" done={endedCount(progress)} total={progress.total} />
        <Totals job={job} />
        {error && <Failure error={error} />}
        <div class="row">
          {!hasEnded(job) && <CancelButton job={job} onJob={onJob} />}
          {hasEnded(job) && progress.done > 0 && !isExpired && <DownloadAll job={job} />}
          {hasEnded(job) && again.length > 0 && (
            <button
              type="button"
              onClick={() => {
                retryAddresses.value = again.join('\n');
                navigate(to(['jobs']));
              }}
            >
              New job with the {again.length} that are not done
            </button>
          )}
        </div>
        {expiresAt !== null && <TimeLeft expiresAt={expiresAt} now={now} />}
        <p class="hidden" role="status">
          {hasEnded(job) ? `The job is ${job.status}.` : ''}
        </p>
      </section>
      <section aria-labelledby="images">
        <h2 id="images">Images</h2>
        {progress.failed > 0 && (
          <p class="help">An image that fails costs nothing. The others are not held up by it.</p>
        )}
        <ul class="items">
          {results.map((result) => (
            <ItemRow key={result.index} result={result} isExpired={isExpired} />
          ))}
        </ul>
      </section>
      {job.webhook && <WebhookPanel job={job} webhook={job.webhook} onJob={onJob} />}
    </>
  );
}

function Heading({ job: { status, pipeline, created_at: created, test_mode: isTest } }: { job: Job }) {
  const steps = pipeline.steps.map(({ op }) => opName(op)).join(' → ');
  return (
    <>
      <div class="row job-head">
        <h2>{pipeline.name ?? steps}</h2>
        {pipeline.version !== null && <span class="help">version {pipeline.version}</span>}
        <StatusTag status={status} />
      </div>
      <p class="help">
        {pipeline.name !== null && `${steps} · `}
        started {timeText(created)}
        {isTest && ' · with a test key'}
      </p>
    </>
  );
}

function Totals({ job: { progress, totals } }: { job: Job }) {
  const { done, failed, cancelled, total } = progress;
  const counts = [
    `${done} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
    ...(total > endedCount(progress) ? [`${total - endedCount(progress)} to do`] : []),
  ];
  return (
    <p class="figures">
      <span>{counts.join(', ')}</span>
      {totals.bytes > 0 && (
        <strong>
          {bytesText(totals.original_bytes)} → {bytesText(totals.bytes)} (
          {changeText(totals.original_bytes, totals.bytes)})
        </strong>
      )}
    </p>
  );
}

function CancelButton({ job: { id }, onJob }: { job: Job; onJob(job: Job): void }) {
  const [isOpen, setOpen] = useState(false);
  const { error, run } = useAction();
  const cancel = async (signal: AbortSignal) => {
    setOpen(false);
    onJob(await api.value.json<Job>(`/api/v1/jobs/${id}`, { method: 'DELETE', signal }));
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => setOpen(true)}>
        Cancel the job
      </button>
      {error !== undefined && <ErrorNotice error={error} />}
      <Dialog title="Cancel the job?" isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>Images that are done keep their results. The others are not begun any more, and cost nothing.</p>
        <Choice
          confirm="Cancel it"
          cancel="Let it go on"
          onConfirm={() => void run(cancel)}
          onCancel={() => setOpen(false)}
        />
      </Dialog>
    </>
  );
}

/** Downloads all results as one ZIP and shows the progress. */
function DownloadAll({ job: { id, totals } }: { job: Job }) {
  const [bytes, setBytes] = useState(0);
  const { isBusy, error, run } = useAction();
  const download = async (signal: AbortSignal) => {
    setBytes(0);
    saveFile(await fetchFile(api.value, `/api/v1/jobs/${id}/zip`, { signal, onBytes: setBytes }), `${id}.zip`);
  };
  return (
    <>
      <button type="button" class="primary" aria-disabled={isBusy} onClick={() => isBusy || void run(download)}>
        Download all as ZIP
      </button>
      {isBusy && (
        <label class="progress">
          <span>
            {/* A ZIP is slightly larger than its files, so the count is capped. */}
            {bytesText(Math.min(bytes, totals.bytes))} of {bytesText(totals.bytes)}
          </span>
          <progress value={bytes} max={Math.max(1, totals.bytes)} />
        </label>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}

const TICK_MS = 10_000;

/** Returns the current time in milliseconds and renders again as it passes. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function TimeLeft({ expiresAt, now }: { expiresAt: string; now: number }) {
  const left = timeLeft(expiresAt, now);
  if (left === undefined)
    return (
      <Notice kind="warning">
        Results live for an hour; the first of these ended at {timeText(expiresAt)}. Start the job again to have them
        again.
      </Notice>
    );
  return (
    <p class="help">
      Results live for an hour: the first is deleted {left}, at {timeText(expiresAt)}.
    </p>
  );
}
