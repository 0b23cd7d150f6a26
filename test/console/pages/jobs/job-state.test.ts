import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Job, JobResult } from '../../../../client/types.generated.ts';
import { applyEvent, retryableAddresses, timeLeft } from '../../../../console/pages/jobs/job-state.ts';

const resultOf = (index: number, values: Partial<JobResult>) =>
  ({
    index,
    status: 'queued',
    input: `${index}.jpg`,
    expires_at: null,
    bytes: null,
    original_bytes: null,
    ...values,
  }) as JobResult;

const JOB = {
  id: 'job_1',
  status: 'queued',
  expires_at: null,
  progress: { total: 2, done: 0, failed: 0, cancelled: 0, percent: 0 },
  results: [resultOf(0, {}), resultOf(1, {})],
  totals: { original_bytes: 0, bytes: 0, saved_bytes: 0, saved_percent: 0, requests: 0, ai: 0 },
} as unknown as Job;

const event = (name: string, data: unknown) => ({ name, data: JSON.stringify(data) });

describe('the state of a job from its events', () => {
  it('starts and ends with the job record', () => {
    assert.deepEqual(applyEvent(undefined, event('job', JOB)), JOB);
    assert.equal(applyEvent(JOB, event('end', { ...JOB, status: 'done' }))?.status, 'done');
  });

  it('is unknown before the record', () => {
    assert.equal(applyEvent(undefined, event('progress', { progress: JOB.progress })), undefined);
  });

  it('includes each result, with the total sizes and the earliest expiry', () => {
    const later = '2026-01-01T02:00:00.000Z';
    const earlier = '2026-01-01T01:00:00.000Z';
    let job = applyEvent(
      JOB,
      event('result', resultOf(1, { status: 'done', bytes: 40, original_bytes: 100, expires_at: later })),
    );
    job = applyEvent(
      job,
      event('result', resultOf(0, { status: 'done', bytes: 50, original_bytes: 200, expires_at: earlier })),
    );
    assert.deepEqual(
      job?.results.map(({ bytes }) => bytes),
      [50, 40],
    );
    assert.equal(job?.expires_at, earlier);
    assert.deepEqual(job?.totals, {
      ...JOB.totals,
      original_bytes: 300,
      bytes: 90,
      saved_bytes: 210,
      saved_percent: 70,
    });
  });

  it('becomes running when work continues, and does not restart after the end', () => {
    const progress = { total: 2, done: 1, failed: 0, cancelled: 0, percent: 50 };
    assert.equal(applyEvent(JOB, event('progress', { progress }))?.status, 'running');
    assert.equal(applyEvent({ ...JOB, status: 'cancelled' }, event('progress', { progress }))?.status, 'cancelled');
  });

  it('ignores unknown events of a newer version', () => {
    assert.equal(applyEvent(JOB, event('news', {})), JOB);
  });
});

describe('the time until results expire', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it('is shown in minutes, then in seconds, then not at all', () => {
    assert.equal(timeLeft('2026-01-01T00:52:10Z', now), 'in 52 minutes');
    assert.equal(timeLeft('2026-01-01T00:01:00Z', now), 'in 60 seconds');
    assert.equal(timeLeft('2026-01-01T00:00:00Z', now), undefined);
  });
});

it('offers only addresses for a retry', () => {
  const results = [
    resultOf(0, { status: 'failed', input: 'https://example.com/a.jpg' }),
    resultOf(1, { status: 'failed', input: 'a.jpg' }),
    resultOf(2, { status: 'done', input: 'https://example.com/b.jpg' }),
  ];
  assert.deepEqual(retryableAddresses({ results }), ['https://example.com/a.jpg']);
});
