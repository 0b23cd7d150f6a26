/** Shows one job: its progress, the result of each image, and the downloads. */
import type { Job } from '../../../client/types.generated.ts';
import { navigate, to } from '../../shell/router.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Notice, Progress, Spinner } from '../../ui/feedback.tsx';
import { bytesText, changeText, timeText } from '../../ui/format.ts';
import { opName } from '../pipelines/labels.ts';
import { CancelButton } from './cancel-button.tsx';
import { DownloadAll } from './download-all.tsx';
import { ItemRow } from './item-row.tsx';
import { endedCount, hasEnded, retryableAddresses } from './job-state.ts';
import { retryAddresses } from './retry.ts';
import { StatusTag } from './status-tag.tsx';
import { TimeLeft, useNow } from './time-left.tsx';
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
        {error && (
          <Notice kind="error">
            {error.message} <code>{error.code}</code>
          </Notice>
        )}
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
