import { chapter } from './requirement.ts';

export const jobs = chapter('Jobs', {
  'jobs.create': 'POST /api/v1/jobs answers 202 with a job that runs a pipeline over several images.',
  'jobs.create.inputs': 'inputs is an array of objects with url, required in a JSON body.',
  'jobs.create.pipeline': 'pipeline holds the pipeline of the job.',
  'jobs.create.preset': 'preset names a saved pipeline or a template.',
  'jobs.create.version': 'version chooses a version of the saved pipeline.',
  'jobs.create.multipart': 'Images may come as multipart file parts image, image_1 to image_19.',
  'jobs.create.idempotency': 'Repeating an Idempotency-Key answers 200 with the original job.',
  'jobs.create.idempotency.length': 'An Idempotency-Key has at most 128 characters.',
  'jobs.batch': 'POST /api/v1/batch does the same as POST /api/v1/jobs.',
  'jobs.list': "GET /api/v1/jobs lists the caller's jobs of the last hour, newest first.",
  'jobs.get': 'GET /api/v1/jobs/{id} answers with status, progress and results.',
  'jobs.cancel': 'DELETE /api/v1/jobs/{id} cancels the job.',
  'jobs.cancel.keeps-finished': 'Finished images of a cancelled job keep their results.',
});

export const webhooks = chapter('Events', {
  'webhook.finished': 'A job with a webhook_url is sent there as an HTTP POST when it is finished.',
  'webhook.signed': "The delivery is signed with the account's webhook secret by the Standard Webhooks scheme.",
  'webhook.body': 'The event has type job.finished and data.results, whose items carry status and url.',
  'webhook.retries': 'A failed delivery is retried after 5 seconds, then 30 seconds, then 2 minutes.',
  'webhook.batch': 'POST /api/v1/batch with webhook_url causes the event too.',
});
