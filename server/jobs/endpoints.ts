/** /api/v1/jobs: creates, reads and cancels jobs (docs/spec/shapes.md, section 10). */

import { Readable } from 'node:stream';
import { z } from 'zod';
import type { ErrorCode } from '../../base/failure.ts';
import { newId } from '../../base/id.ts';
import { longPageParams, pageFields } from '../../base/paging.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { fileExpired } from '../../storage/errors.ts';
import type { SentJob } from '../../storage/records/jobs.ts';
import { archiveOf } from '../files/archive.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { MAX_EVENT_STREAMS_PER_ACCOUNT, sendEvents } from '../http/event-stream.ts';
import { JSON_BODY_ERRORS, JSON_TYPE } from '../http/json-body.ts';
import { sendJsonList } from '../http/json-list.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import { readQuery } from '../http/query.ts';
import { pipelineSchema } from '../pipelines/records.ts';
import { storedContent } from '../pipelines/stored-content.ts';
import { contentDisposition } from '../results/filename.ts';
import { jobStillRuns, jobWithoutResults } from './errors.ts';
import { jobSubscription } from './event-stream.ts';
import { IDEMPOTENCY_KEY, idempotencyKey } from './idempotency.ts';
import type { IdempotentRequest } from './jobs.ts';
import { type JobRecord, jobRecord, progressOf, readJobRecord, readJobRecords, resultOf } from './record.ts';
import { type AskedJob, checkJob, hashOf, jobParams, receiveJob, storeInputs } from './request.ts';
import type { JobServices } from './services.ts';

const PATH = '/api/v1/jobs';
const PATH_OF_ONE = `${PATH}/{id}`;

const pathParams = z.object({
  id: z.string().meta({ description: 'Id of the job.', examples: ['job_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
});

const pageDecoder = createDecoder(longPageParams);

const recordOf = ({ id }: SentJob, { database, baseUrl }: JobServices): Promise<JobRecord> =>
  readJobRecord(database, id, baseUrl);

async function create(ctx: Context, services: JobServices, caller: Caller): Promise<void> {
  const { plans, jobs, uploads } = services;
  const { account } = caller;
  plans.requirePro(account, 'jobs');
  const key = idempotencyKey(ctx);
  const endClaim = key === undefined ? undefined : await jobs.claim(account.id, key);
  const room = uploads.open(account.id);
  try {
    const received = await receiveJob(ctx, services, caller, room);
    const idempotency = key === undefined ? undefined : { key, hash: await hashOf(received) };
    // Look up before checking anything that may have changed since: a used-up quota, a deleted preset.
    const earlier = idempotency && (await jobs.replayed(account.id, idempotency));
    const job = earlier ?? (await accept(services, caller, await checkJob(services, caller, received), idempotency));
    ctx.status = earlier ? 200 : 202;
    ctx.set('Location', `${PATH}/${job.id}`);
    ctx.body = await recordOf(job, services);
  } finally {
    room.release();
    await endClaim?.();
  }
}

async function accept(
  { jobs }: JobServices,
  caller: Caller,
  asked: AskedJob,
  idempotency: IdempotentRequest | undefined,
): Promise<SentJob> {
  const { name, version, outputName } = asked.pipeline;
  const id = newId('job');
  try {
    const items = await storeInputs(jobs.sources, id, asked);
    return await jobs.accept(caller, {
      id,
      pipeline: { pipelineName: name, pipelineVersion: version, outputName, ...storedContent(asked.pipeline) },
      items,
      webhookUrl: asked.webhookUrl,
      ...(idempotency ? { idempotency } : {}),
    });
  } catch (error) {
    await jobs.sources.removeAll(id);
    throw error;
  }
}

async function list(ctx: Context, services: JobServices, { account }: Caller): Promise<void> {
  const { jobs, database, baseUrl } = services;
  const page = readQuery(ctx, pageDecoder);
  const { ids, total } = await jobs.listedIds(account.id, page);
  await sendJsonList(ctx, 'jobs', readJobRecords(database, ids, baseUrl), { total, ...page });
}

async function read(ctx: Context, services: JobServices, { account }: Caller): Promise<void> {
  ctx.body = await recordOf(await services.jobs.find(account.id, ctx.params.id!), services);
}

async function cancel(ctx: Context, services: JobServices, { account }: Caller): Promise<void> {
  ctx.body = await recordOf(await services.jobs.cancel(account.id, ctx.params.id!), services);
}

async function follow(ctx: Context, services: JobServices, { account }: Caller): Promise<void> {
  const { jobs, database, eventStreams, baseUrl } = services;
  const { id } = await jobs.find(account.id, ctx.params.id!);
  const subscription = jobSubscription({
    record: async () => await recordOf(await jobs.find(account.id, id), services),
    result: async (position) => resultOf((await database.jobs.item(id, position))!, baseUrl),
    progress: async () => progressOf(await database.jobs.itemCounts(id)),
  });
  sendEvents(ctx, eventStreams.open(account.id, { subject: id, events: jobs.events, subscription }));
}

async function downloadZip(ctx: Context, services: JobServices, { account }: Caller): Promise<void> {
  const { jobs, database, results } = services;
  const job = await jobs.find(account.id, ctx.params.id!);
  if (job.finishedAt === null) throw jobStillRuns(job.status);
  const ids = (await database.jobs.items([job.id])).flatMap(({ fileId }) => fileId ?? []);
  if (ids.length === 0) throw jobWithoutResults();
  // Check before the first byte, so that a client never gets half a ZIP. All results expire at about the same time.
  const files = await Promise.all(ids.map((id) => results.find(account.id, id)));
  if (files.some(({ removedAt }) => removedAt !== null)) throw fileExpired();
  const entries = files.map((file) => ({ filename: file.filename, open: () => results.open(file) }));
  ctx.set({
    'Cache-Control': 'no-store',
    'Content-Disposition': contentDisposition('attachment', `${job.id}.zip`),
  });
  ctx.type = 'application/zip';
  if (ctx.method !== 'HEAD') ctx.body = Readable.from(archiveOf(entries, new Date(job.finishedAt)));
}

const JOBS = { access: 'key', tags: ['Jobs'] } as const;
const FREE = 'Free of charge.';
const NOT_FOUND: readonly ErrorCode[] = ['not_found'];

const inputs = z
  .array(z.strictObject({ url: jobParams.shape.webhook_url.unwrap().meta({ description: 'Address of the image.' }) }))
  .min(1)
  .meta({ description: 'The images.' });
const file = z.string().meta({ format: 'binary' });
const jsonRequest = jobParams.extend({ inputs, pipeline: pipelineSchema.optional() });
const multipartRequest = jobParams.extend({
  image: file.meta({ format: 'binary', description: 'An image; further ones as image_1 to image_19.' }),
  watermark_image: file
    .optional()
    .meta({ format: 'binary', description: 'For watermark steps with `logo` (Pro plan).' }),
  pipeline: z.string().optional().meta({ description: 'The pipeline as JSON.' }),
});

/** @param operation name of the operation; both paths do the same */
function creation(path: '/api/v1/jobs' | '/api/v1/batch', operation: string): Endpoint<JobServices> {
  return {
    ...JOBS,
    method: 'post',
    path,
    operation,
    errors: [
      ...JSON_BODY_ERRORS,
      'upgrade_required',
      'scope_required',
      'missing_image',
      'invalid_url',
      'url_not_allowed',
      'invalid_pipeline',
      'too_many_images',
      'conflicting_parameters',
      'preset_not_found',
      'idempotency_in_progress',
      'idempotency_key_reused',
      'file_too_large',
      'too_many_jobs',
      'quota_exceeded',
      'key_limit_exceeded',
      'test_limit_exceeded',
      'storage_full',
    ],
    summary: 'Run a pipeline over several images in the background',
    description:
      'Without a pipeline and a preset the images are compressed. Each image is charged when it is done; one that fails costs nothing. Uploads are kept until their image is done, and no longer than an hour. Results live one hour; the job can be read for a day.',
    requestParams: {
      header: z.object({
        [IDEMPOTENCY_KEY]: z.string().max(128).optional().meta({
          description: 'The same request with the same key is answered with the job that it has made, for 24 hours.',
        }),
      }),
    },
    requestBody: {
      required: true,
      content: { [JSON_TYPE]: { schema: jsonRequest }, 'multipart/form-data': { schema: multipartRequest } },
    },
    responses: {
      '202': jsonResponse('The job is accepted; `Location` is where it can be read.', jobRecord),
      '200': jsonResponse('The job of an earlier request with the same Idempotency-Key.', jobRecord),
    },
    handle: create,
  };
}

const ofOne = { requestParams: { path: pathParams } };

export const jobEndpoints: readonly Endpoint<JobServices>[] = [
  creation(PATH, 'create_job'),
  creation('/api/v1/batch', 'create_batch'),
  {
    ...JOBS,
    method: 'get',
    path: PATH,
    operation: 'list_jobs',
    summary: 'The jobs of the last hour',
    description: `Newest first; with older ones that have not ended. ${FREE}`,
    requestParams: { query: longPageParams },
    responses: { '200': jsonResponse('The jobs.', z.object({ jobs: z.array(jobRecord), ...pageFields })) },
    handle: list,
  },
  {
    ...JOBS,
    method: 'get',
    path: PATH_OF_ONE,
    operation: 'read_job',
    errors: NOT_FOUND,
    summary: 'A job with its progress and results',
    description: FREE,
    ...ofOne,
    responses: { '200': jsonResponse('The job.', jobRecord) },
    handle: read,
  },
  {
    ...JOBS,
    method: 'delete',
    path: PATH_OF_ONE,
    operation: 'cancel_job',
    errors: NOT_FOUND,
    summary: 'Cancel a job',
    description: `Finished images keep their results. A job that has ended stays as it is. ${FREE}`,
    ...ofOne,
    responses: { '200': jsonResponse('The job.', jobRecord) },
    handle: cancel,
  },
  {
    ...JOBS,
    method: 'get',
    path: `${PATH_OF_ONE}/events`,
    operation: 'follow_job',
    errors: NOT_FOUND,
    summary: 'What happens to a job, as it happens',
    description: `Server-sent events: \`job\` with the record at the start, \`progress\`, \`result\` with each image that has ended, \`end\` with the record. A comment every 15 seconds; at most 10 minutes. An account has at most ${MAX_EVENT_STREAMS_PER_ACCOUNT} streams open, of jobs and scans together. ${FREE}`,
    ...ofOne,
    responses: { '200': { description: 'The events.', content: { 'text/event-stream': { schema: z.string() } } } },
    handle: follow,
  },
  {
    ...JOBS,
    method: 'get',
    path: `${PATH_OF_ONE}/zip`,
    operation: 'download_job',
    errors: [...NOT_FOUND, 'invalid_state', 'expired', 'overloaded'],
    summary: 'All results of a job as one ZIP',
    description: `Once the job has ended, for as long as its results live. ${FREE}`,
    ...ofOne,
    responses: { '200': { description: 'The ZIP.', content: { 'application/zip': {} } } },
    handle: downloadZip,
  },
];
