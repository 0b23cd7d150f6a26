/** Lists the jobs of the last hour. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Job, ListJobsAnswer } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { navigate, route, to } from '../../shell/router.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Spinner } from '../../ui/feedback.tsx';
import { SelectField } from '../../ui/fields.tsx';
import { bytesText, changeText, countText, timeText } from '../../ui/format.ts';
import { Pager } from '../../ui/pager.tsx';
import { useLatestTask } from '../../ui/use-latest.ts';
import { endedCount, hasEnded } from './job-state.ts';
import { PER_PAGE, pageOf, STATUSES } from './list.ts';
import { StatusTag } from './status-tag.tsx';

const POLL_MS = 4000;

export function JobList() {
  const [answer, setAnswer] = useState<ListJobsAnswer>();
  const [error, setError] = useState<unknown>();
  const latest = useLatestTask();
  const read = useCallback(async () => {
    try {
      const next = await latest((signal) => api.value.json<ListJobsAnswer>('/api/v1/jobs', { signal }));
      if (!next) return;
      setAnswer(next);
      setError(undefined);
    } catch (failure) {
      setError(failure);
    }
  }, []);
  const jobs = answer?.jobs;
  const isMoving = jobs?.some((job) => !hasEnded(job));
  useEffect(() => void read(), []);
  useEffect(() => {
    if (!isMoving) return;
    const timer = setTimeout(() => void read(), POLL_MS);
    return () => clearTimeout(timer);
  }, [answer, error]);
  return (
    <section aria-labelledby="jobs">
      <div class="row list-head">
        <h2 id="jobs">Jobs of the last hour</h2>
        <button type="button" class="quiet" onClick={() => void read()}>
          Refresh
        </button>
      </div>
      {error !== undefined && <ErrorNotice error={error}>The jobs could not be read.</ErrorNotice>}
      {!jobs && error === undefined && <Spinner label="Reading the jobs" />}
      {jobs && jobs.length === 0 && <p class="empty">No job yet. Choose some images and start one.</p>}
      {answer && answer.total > answer.jobs.length && (
        <p class="help">
          These are the newest {countText(answer.jobs.length)} of {countText(answer.total)} jobs.
        </p>
      )}
      {jobs && jobs.length > 0 && <FilteredJobs jobs={jobs} />}
    </section>
  );
}

function FilteredJobs({ jobs }: { jobs: readonly Job[] }) {
  const { query } = route.value;
  const status = query.get('status');
  const shown = pageOf(jobs, status, Number(query.get('page') ?? 1));
  const show = (next: { status?: string; page?: string }) =>
    navigate(to(['jobs'], { ...Object.fromEntries(query), ...next }), { replace: true });
  return (
    <>
      <div class="job-filter">
        <SelectField
          label="Show"
          value={status ?? ''}
          options={[
            { value: '', label: `all (${jobs.length})` },
            ...STATUSES.map((one) => ({
              value: one,
              label: `${one} (${jobs.filter((job) => job.status === one).length})`,
            })),
          ]}
          onValue={(value) => show({ status: value, page: '' })}
        />
      </div>
      {shown.total === 0 && <p class="empty">None of the last hour is {status}.</p>}
      <ul class="job-list">
        {shown.jobs.map((job) => (
          <JobEntry key={job.id} job={job} />
        ))}
      </ul>
      <Pager
        what="jobs"
        slice={{ offset: (shown.page - 1) * PER_PAGE, limit: PER_PAGE, total: shown.total }}
        onOffset={(offset) => show({ page: String(offset / PER_PAGE + 1) })}
      />
    </>
  );
}

function JobEntry({ job: { id, status, created_at: created, progress, pipeline, totals } }: { job: Job }) {
  return (
    <li>
      <a class="card job-entry" href={to(['jobs', id])}>
        <span class="row">
          <strong>{pipeline.name ?? 'Own steps'}</strong>
          <StatusTag status={status} />
        </span>
        <span class="help">
          {endedCount(progress)} of {progress.total} images
          {progress.failed > 0 && `, ${progress.failed} failed`}
          {totals.bytes > 0 &&
            ` · ${bytesText(totals.original_bytes)} → ${bytesText(totals.bytes)} (${changeText(totals.original_bytes, totals.bytes)})`}
        </span>
        <span class="help">
          {timeText(created)} · <code>{id}</code>
        </span>
      </a>
    </li>
  );
}
