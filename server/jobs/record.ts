/** Jobs as the API returns them (docs/spec/shapes.md, section 10.1). */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import type { Database, Repositories } from '../../storage/ports/database.ts';
import type { ItemCount } from '../../storage/ports/jobs.ts';
import type { WebhookState } from '../../storage/ports/webhooks.ts';
import { JOB_STATUSES, type Job, type JobItem, type JobStatus } from '../../storage/records/jobs.ts';
import { count, dateTime } from '../http/record.ts';
import { pipelineSchema } from '../pipelines/records.ts';
import { contentOf } from '../pipelines/stored-content.ts';
import { pipelineIdentity, stepReport } from '../results/step-report.ts';
import { storedResult } from '../results/stored-result.ts';

const WEBHOOK_STATUSES = ['pending', 'delivered', 'failed', 'stopped'] as const;

const itemError = z
  .object({ code: z.string().meta({ examples: ['corrupt_image'] }), message: z.string() })
  .nullable()
  .meta({ description: 'When the status is failed.' });

const of = storedResult.shape;
/** The fields of a finished item that have no database columns of their own. */
const itemResult = z.object({
  expires_at: of.expires_at,
  filename: of.filename,
  content_type: of.content_type,
  format: of.format,
  width: of.width.nullable(),
  height: of.height.nullable(),
  outcome: of.outcome,
  warnings: of.warnings,
  duration_ms: of.duration_ms,
  sha256: of.sha256,
  steps: z.array(stepReport),
});
export type ItemResult = z.output<typeof itemResult>;

const done = itemResult.shape;
export const jobResult = z
  .object({
    index: count('Position of the input.'),
    status: z.enum(JOB_STATUSES),
    input: z.string().meta({ description: 'The address, or the name of the uploaded file.', examples: ['photo.jpg'] }),
    url: of.url.nullable(),
    expires_at: done.expires_at.nullable(),
    filename: done.filename.nullable(),
    content_type: done.content_type.nullable(),
    format: done.format.nullable(),
    bytes: of.bytes.nullable(),
    width: done.width,
    height: done.height,
    original_bytes: of.original_bytes.nullable(),
    saved_bytes: of.saved_bytes.nullable(),
    outcome: done.outcome.nullable(),
    warnings: done.warnings,
    duration_ms: done.duration_ms.nullable(),
    sha256: done.sha256.nullable(),
    steps: done.steps,
    error: itemError,
  })
  .meta({ id: 'JobResult' });
export type JobResult = z.output<typeof jobResult>;

export const jobProgress = z
  .object({
    total: count(),
    done: count(),
    failed: count(),
    cancelled: count(),
    percent: described(z.number().min(0).max(100), 'Of the images that have ended.', 62.5),
  })
  .meta({ id: 'JobProgress' });
export type JobProgress = z.output<typeof jobProgress>;

export const jobRecord = z
  .object({
    id: z.string().meta({ examples: ['job_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
    status: z.enum(JOB_STATUSES),
    created_at: dateTime(),
    started_at: dateTime().nullable(),
    finished_at: dateTime().nullable(),
    expires_at: dateTime().nullable().meta({ description: 'When the first link to a result ends.' }),
    progress: jobProgress,
    pipeline: z.object({
      ...pipelineIdentity.shape,
      steps: z.array(z.looseObject({ op: z.string() })),
      outputs: pipelineSchema.shape.outputs.unwrap(),
    }),
    results: z.array(jobResult).meta({ description: 'In the order of the inputs.' }),
    totals: z.object({
      original_bytes: count(),
      bytes: count(),
      saved_bytes: z.int(),
      saved_percent: z.number(),
      requests: count('Charged.'),
      ai: count('Charged.'),
    }),
    webhook: z
      .object({
        url: z.string().meta({ description: 'Without its query.' }),
        status: z.enum(WEBHOOK_STATUSES),
        attempts: count(),
        last_status: z.int().nullable().meta({ description: 'What the receiver answered last.' }),
        last_attempt_at: dateTime().nullable(),
        next_attempt_at: dateTime().nullable(),
      })
      .nullable(),
    error: itemError,
    test_mode: z.boolean(),
  })
  .meta({ id: 'Job' });
export type JobRecord = z.output<typeof jobRecord>;

/**
 * Creates the records of the jobs with these ids that exist, in the order of the ids.
 * @param repositories of one transaction or snapshot, so that a job and its images are read at the same moment
 * @param baseUrl public address of the service, without a trailing slash
 */
export async function jobRecords(
  { jobs, webhooks }: Pick<Repositories, 'jobs' | 'webhooks'>,
  ids: readonly string[],
  baseUrl: string,
): Promise<JobRecord[]> {
  const found = new Map((await jobs.some(ids)).map((job) => [job.id, job]));
  const items = new Map<string, JobItem[]>(ids.map((id) => [id, []]));
  for (const item of await jobs.items(ids)) items.get(item.jobId)?.push(item);
  const messages = new Map((await webhooks.ofJobs(ids)).map((message) => [message.jobId, message]));
  const inOrder = ids.flatMap((id) => found.get(id) ?? []);
  return inOrder.map((job) => ({
    ...describeJob(job, items.get(job.id) ?? [], baseUrl),
    webhook: describeWebhook(job, messages.get(job.id)),
    test_mode: job.keyMode === 'test',
  }));
}

/** Reads the record of a job that exists. */
export async function readJobRecord(database: Pick<Database, 'snapshot'>, id: string, baseUrl: string) {
  const [record] = await database.snapshot((repositories) => jobRecords(repositories, [id], baseUrl));
  return record!;
}

/** Jobs whose items are read at a time. The items of a job with 100 images take 1 ms to read and describe. */
const JOBS_PER_READ = 4;

/** Reads the records of the jobs with these ids in their order, a few at a time. */
export async function* readJobRecords(
  database: Pick<Database, 'snapshot'>,
  ids: readonly string[],
  baseUrl: string,
): AsyncGenerator<JobRecord> {
  for (let at = 0; at < ids.length; at += JOBS_PER_READ) {
    const some = ids.slice(at, at + JOBS_PER_READ);
    yield* await database.snapshot((repositories) => jobRecords(repositories, some, baseUrl));
  }
}

function describeJob(job: Job, items: readonly JobItem[], baseUrl: string) {
  const results = items.map((item) => resultOf(item, baseUrl));
  const expiries = results.flatMap(({ expires_at }) => expires_at ?? []);
  const content = contentOf(job);
  return {
    id: job.id,
    status: job.status,
    created_at: job.createdAt,
    started_at: job.startedAt,
    finished_at: job.finishedAt,
    expires_at: expiries.sort()[0] ?? null,
    progress: progressOf(items.map(({ status }) => ({ status, items: 1 }))),
    pipeline: {
      name: job.pipelineName,
      version: job.pipelineVersion,
      steps: content.steps.map((step) => ({ ...step })),
      outputs: content.outputs,
    },
    results,
    totals: totalsOf(items),
    error: errorOf(job),
  };
}

export function progressOf(counts: readonly Pick<ItemCount, 'status' | 'items'>[]): JobProgress {
  const sum = (...statuses: JobStatus[]) =>
    counts.reduce((total, { status, items }) => total + (statuses.includes(status) ? items : 0), 0);
  const total = sum(...JOB_STATUSES);
  const ended = sum('done', 'failed', 'cancelled');
  return {
    total,
    done: sum('done'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    percent: total === 0 ? 100 : progressPercent(ended, total),
  };
}

export function resultOf(item: JobItem, baseUrl: string): JobResult {
  const { bytes, originalBytes } = item;
  const result = item.result === null ? undefined : (JSON.parse(item.result) as ItemResult);
  return {
    index: item.position,
    status: item.status,
    input: item.sourceKind === 'url' ? withoutCredentials(item.source) : (item.filename ?? 'image'),
    url: item.fileId === null ? null : `${baseUrl}/api/v1/files/${item.fileId}`,
    expires_at: result?.expires_at ?? null,
    filename: result?.filename ?? null,
    content_type: result?.content_type ?? null,
    format: result?.format ?? null,
    bytes,
    width: result?.width ?? null,
    height: result?.height ?? null,
    original_bytes: originalBytes,
    saved_bytes: bytes === null || originalBytes === null ? null : originalBytes - bytes,
    outcome: result?.outcome ?? null,
    warnings: result?.warnings ?? [],
    duration_ms: result?.duration_ms ?? null,
    sha256: result?.sha256 ?? null,
    steps: result?.steps ?? [],
    error: errorOf(item),
  };
}

function totalsOf(items: readonly JobItem[]): JobRecord['totals'] {
  const sum = (of: (item: JobItem) => number | null) => items.reduce((total, item) => total + (of(item) ?? 0), 0);
  const originalBytes = sum((item) => item.originalBytes);
  const bytes = sum((item) => item.bytes);
  return {
    original_bytes: originalBytes,
    bytes,
    saved_bytes: originalBytes - bytes,
    saved_percent: originalBytes === 0 ? 0 : percent(originalBytes - bytes, originalBytes),
    requests: sum(({ requests }) => requests),
    ai: sum(({ ai }) => ai),
  };
}

function describeWebhook({ webhookUrl }: Job, message: WebhookState | undefined): JobRecord['webhook'] {
  if (webhookUrl === null) return null;
  return {
    url: withoutQuery(webhookUrl),
    status: message?.status ?? 'pending',
    attempts: message?.attempts ?? 0,
    last_status: message?.lastStatus ?? null,
    last_attempt_at: message?.lastAttemptAt ?? null,
    next_attempt_at: message?.nextAttemptAt ?? null,
  };
}

const errorOf = ({ errorCode, errorMessage }: Pick<Job, 'errorCode' | 'errorMessage'>): JobRecord['error'] =>
  errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' };

/** Rounded down: 100 means that all have ended. */
const progressPercent = (ended: number, total: number): number => Math.floor((ended / total) * 1000) / 10;

const percent = (part: number, whole: number): number => Math.round((part / whole) * 1000) / 10;

function withoutCredentials(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}

function withoutQuery(address: string): string {
  const url = new URL(withoutCredentials(address));
  url.search = '';
  url.hash = '';
  return url.href;
}
