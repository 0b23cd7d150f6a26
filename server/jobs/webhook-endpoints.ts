/** The webhook of one job: sends it again, and lists its attempts (docs/spec/shapes.md, section 10.3). */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { WebhookDelivery } from '../../storage/records/webhooks.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import { count, dateTime, positive, recordFrom } from '../http/record.ts';
import { jobNotEnded, jobWithoutWebhook } from '../webhooks/errors.ts';
import { jobRecord, readJobRecord } from './record.ts';
import type { JobServices } from './services.ts';

const PATH_OF_JOB = '/api/v1/jobs/{id}';

const pathParams = z.object({
  id: z.string().meta({ description: 'Id of the job.', examples: ['job_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
});

const deliveryRecordSchema = z
  .object({
    id: described(z.string(), 'The webhook-id, of all attempts the same.', 'msg_01JD3Z8Q4W0V6S8H2N5B7C9E1F'),
    attempt: positive(),
    at: dateTime(),
    status: described(z.int().nullable(), 'What the receiver answered.', 200),
    duration_ms: count(),
    error: z.string().nullable().meta({ description: 'Why it was not delivered.' }),
  })
  .meta({ id: 'WebhookDelivery' });

const deliveryRecord = (delivery: WebhookDelivery): z.output<typeof deliveryRecordSchema> =>
  recordFrom(deliveryRecordSchema, delivery, { id: delivery.messageId });

async function redeliver(ctx: Context, services: JobServices, { account }: Caller): Promise<void> {
  const { database, jobs, webhooks, baseUrl, now } = services;
  const job = await jobs.find(account.id, ctx.params.id!);
  if (job.webhookUrl === null) throw jobWithoutWebhook();
  if (!(await database.webhooks.restart(job.id, timestamp(now())))) throw jobNotEnded(job.status);
  const record = await readJobRecord(database, job.id, baseUrl);
  webhooks.wake();
  ctx.status = 202;
  ctx.body = record;
}

async function deliveries(ctx: Context, { database, jobs }: JobServices, { account }: Caller): Promise<void> {
  const job = await jobs.find(account.id, ctx.params.id!);
  ctx.body = { deliveries: (await database.webhooks.deliveriesOf(job.id)).map(deliveryRecord) };
}

const requestParams = { path: pathParams };

const JOBS = { access: 'key', tags: ['Jobs'] } as const;

export const jobWebhookEndpoints: readonly Endpoint<JobServices>[] = [
  {
    ...JOBS,
    method: 'post',
    path: `${PATH_OF_JOB}/redeliver`,
    operation: 'redeliver_webhook',
    errors: ['not_found', 'invalid_state', 'storage_full'],
    summary: 'Send the webhook of a job again',
    description:
      'The same event with the same webhook-id, at once, and again after 5 s, 30 s and 2 min where that fails. Free of charge.',
    requestParams,
    responses: { '202': jsonResponse('The job.', jobRecord) },
    handle: redeliver,
  },
  {
    ...JOBS,
    method: 'get',
    path: `${PATH_OF_JOB}/deliveries`,
    operation: 'list_webhook_deliveries',
    errors: ['not_found'],
    summary: 'The attempts to deliver the webhook of a job',
    description: 'In their order. Free of charge.',
    requestParams,
    responses: {
      '200': jsonResponse('The attempts.', z.object({ deliveries: z.array(deliveryRecordSchema) })),
    },
    handle: deliveries,
  },
];
