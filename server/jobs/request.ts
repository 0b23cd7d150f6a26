/** Reads the request of a job: URLs in JSON, or the images themselves as multipart (docs/spec/shapes.md, section 10.3). */

import { z } from 'zod';
import { described } from '../../base/described.ts';
import { EventLoopShare } from '../../base/event-loop-share.ts';
import { invalidParameter } from '../../base/failure.ts';
import { isObject } from '../../base/object.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { sha256 } from '../../base/sha256.ts';
import { checkLogo } from '../../engine/pipeline/check.ts';
import { MAX_PIPELINE_LENGTH } from '../../engine/pipeline/parse.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import type { NewJobItem } from '../../storage/ports/job-queue.ts';
import { AddressPolicy } from '../http/addresses.ts';
import { type Body, readBody } from '../http/body.ts';
import type { Caller, Context } from '../http/context.ts';
import { unsupportedMediaType } from '../http/errors.ts';
import { JSON_TYPE } from '../http/json-body.ts';
import { DEFAULT_MAX_JSON_VALUES } from '../http/json-reader.ts';
import { checkAddress } from '../http/outgoing.ts';
import type { MemoryReservation } from '../http/uploads.ts';
import { MAX_URL_LENGTH } from '../http/web-address.ts';
import { admitPipeline } from '../pipelines/execute.ts';
import { pipelineVersion, type ResolvedPipeline, resolvePipeline } from '../pipelines/resolve.ts';
import { checkWebhookUrl } from '../webhooks/address.ts';
import { jobWithoutImages, tooManyImages, uploadsTooLarge } from './errors.ts';
import { requestHash } from './idempotency.ts';
import type { JobServices } from './services.ts';
import { JobSources } from './sources.ts';

/** The names of the parts: image, image_1 to image_19. */
const MAX_IMAGE_PARTS = 20;
const IMAGE_PARTS: readonly string[] = Array.from({ length: MAX_IMAGE_PARTS }, (_, n) =>
  n === 0 ? 'image' : `image_${n}`,
);
/** The names by which images beyond these are sent. */
const FURTHER_IMAGE_PART = /^image_[1-9][0-9]*$/;
const WATERMARK_PART = 'watermark_image';

/** Maximum size of all files of one job, as a multiple of the maximum size of one file. */
const MAX_TOTAL_FILE_SIZES = 5;

/** A URL has at most 2,048 characters. */
const JSON_BYTES_PER_INPUT = 4096;
/** The object, its key and its URL. */
const JSON_VALUES_PER_INPUT = 3;

/** The pipeline of a job that names none. */
const DEFAULT_PIPELINE = { steps: [{ op: 'compress' }] };

/** The fields of a job in addition to its images, in JSON and in the text parts of a multipart body. */
export const jobParams = z.strictObject({
  preset: described(z.string().optional(), 'Name of a saved pipeline or of a template.', 'web'),
  version: pipelineVersion.optional(),
  webhook_url: z
    .url({ protocol: /^https?$/ })
    .max(MAX_URL_LENGTH)
    .optional()
    .meta({ description: 'Receives the finished job.', examples: ['https://example.com/hooks/imagecrew'] }),
});

const jsonDecoder = createDecoder(jobParams, ['inputs', 'pipeline']);
const formDecoder = createDecoder(jobParams, ['image', 'pipeline']);

/** A request as received. */
export interface ReceivedJob {
  inputs: readonly Input[];
  watermark: SourceFile | undefined;
  /** A JSON value, or JSON text. */
  pipeline: unknown;
  params: z.output<typeof jobParams>;
  /** Maximum number of images. */
  mostImages: number;
}

/** A checked request for a job. */
export interface AskedJob extends Pick<ReceivedJob, 'inputs' | 'watermark'> {
  accountId: string;
  pipeline: ResolvedPipeline;
  webhookUrl: string | null;
}

type Input = { kind: 'url'; url: string } | { kind: 'file'; file: SourceFile };

/** @throws Failure if the body is not a valid job request */
export async function receiveJob(
  ctx: Context,
  { plans, config }: JobServices,
  { account, key }: Caller,
  room: MemoryReservation,
): Promise<ReceivedJob> {
  const plan = plans.of(account);
  const fileBytes = plans.fileLimitBytes(account, key);
  const body = await readBody(ctx, [...IMAGE_PARTS, WATERMARK_PART], room, {
    fileBytes,
    timeoutSeconds: config.uploadTimeoutSeconds,
    longTexts: new Map([['pipeline', MAX_PIPELINE_LENGTH]]),
    failureOfFile: (name) =>
      FURTHER_IMAGE_PART.test(name) ? tooManyImages(plan.job_images_multipart, `one more, ${name}`) : undefined,
    json: {
      expectation: 'a JSON object with inputs',
      maxBytes: MAX_PIPELINE_LENGTH + plan.job_images_json * JSON_BYTES_PER_INPUT,
      maxValues: DEFAULT_MAX_JSON_VALUES + plan.job_images_json * JSON_VALUES_PER_INPUT,
    },
  });
  const { params, ...parts } = await partsOf(body, new AddressPolicy(config.allowPrivateAddresses));
  const files = parts.inputs.flatMap((input) => (input.kind === 'file' ? [input.file] : []));
  for (const [index, { data }] of files.entries())
    if (data.byteLength === 0) throw invalidParameter('an image', IMAGE_PARTS[index]!, undefined);
  const bytes = [...files, ...(parts.watermark ? [parts.watermark] : [])].reduce(
    (sum, { data }) => sum + data.byteLength,
    0,
  );
  if (bytes > MAX_TOTAL_FILE_SIZES * fileBytes) throw uploadsTooLarge(MAX_TOTAL_FILE_SIZES * fileBytes);
  ctx.state.record.bytesIn = bytes;
  const mostImages = body.kind === 'json' ? plan.job_images_json : plan.job_images_multipart;
  return { ...parts, params, mostImages };
}

/** Returns the same hash for the same request, whatever has changed in the caller's account since. */
export async function hashOf({ inputs, watermark, pipeline, params }: ReceivedJob): Promise<string> {
  return requestHash({
    inputs: await Promise.all(inputs.map(describeInput)),
    watermark: watermark ? await sha256(watermark.data) : null,
    pipeline: pipeline ?? null,
    params,
  });
}

/**
 * Checks whether this caller may create this job.
 * @throws Failure for what is wrong with it
 */
export async function checkJob(services: JobServices, caller: Caller, received: ReceivedJob): Promise<AskedJob> {
  const { plans, config } = services;
  const { account } = caller;
  const { inputs, watermark, pipeline: given, params, mostImages } = received;
  const { preset, version, webhook_url } = params;
  if (inputs.length > mostImages) throw tooManyImages(mostImages, inputs.length);
  if (watermark) plans.requirePro(account, WATERMARK_PART);
  const asksNothing = given === undefined && preset === undefined && version === undefined;
  const wanted = asksNothing ? { pipeline: DEFAULT_PIPELINE } : { pipeline: given, preset, version };
  const pipeline = await resolvePipeline(services, account, wanted);
  checkLogo(pipeline.steps, watermark !== undefined);
  const webhookUrl = webhook_url === undefined ? null : checkWebhookUrl(webhook_url, config);
  // At least one image will be charged. The credits of each are reserved when it is processed.
  await admitPipeline(services, caller, pipeline.steps);
  return { accountId: account.id, inputs, watermark, pipeline, webhookUrl };
}

async function partsOf(body: Body, policy: AddressPolicy): Promise<Omit<ReceivedJob, 'mostImages'>> {
  switch (body.kind) {
    case 'raw':
      throw unsupportedMediaType(`${JSON_TYPE} or multipart/form-data`, 'another media type');
    case 'json': {
      const { inputs, pipeline, ...values } = body.values;
      // First, because a body without inputs often has them under another name.
      const params = jsonDecoder.complete(jsonDecoder.fromJson(values));
      return { inputs: await addresses(inputs, policy), watermark: undefined, pipeline, params };
    }
    case 'multipart': {
      const texts = body.texts.filter(([name]) => name !== 'pipeline');
      const pipeline = body.texts.find(([name]) => name === 'pipeline')?.[1];
      const inputs = IMAGE_PARTS.flatMap((part) => {
        const file = body.files.get(part);
        return file ? [{ kind: 'file' as const, file }] : [];
      });
      const params = formDecoder.complete(formDecoder.fromText(texts));
      if (inputs.length === 0) throw jobWithoutImages('an image', IMAGE_PARTS[0]!, undefined);
      return { inputs, watermark: body.files.get(WATERMARK_PART), pipeline, params };
    }
  }
}

const INPUTS = 'a list of objects with url';

/**
 * Checks the URLs of the images. Their number is checked later: a request that
 * was accepted once is answered again, whatever the caller's plan is now.
 * @throws Failure 400 `missing_image`, `invalid_parameter` or `invalid_url`
 */
async function addresses(inputs: unknown, policy: AddressPolicy): Promise<Input[]> {
  if (inputs === undefined || (Array.isArray(inputs) && inputs.length === 0))
    throw jobWithoutImages(INPUTS, 'inputs', inputs);
  if (!Array.isArray(inputs)) throw invalidParameter(INPUTS, 'inputs', inputs);
  const checked: Input[] = [];
  const share = new EventLoopShare();
  for (const [index, input] of inputs.entries()) {
    if (share.isUsedUp) await share.next();
    checked.push({ kind: 'url', url: addressOf(input, `inputs[${index}]`, policy) });
  }
  return checked;
}

function addressOf(input: unknown, place: `inputs[${number}]`, policy: AddressPolicy): string {
  if (!isObject(input) || typeof input.url !== 'string') throw invalidParameter('an object with url', place, input);
  const unknown = Object.keys(input).find((name) => name !== 'url');
  if (unknown !== undefined) throw invalidParameter('url alone', place, unknown);
  return checkAddress(input.url, `${place}.url`, policy).href;
}

async function describeInput(input: Input): Promise<unknown> {
  if (input.kind === 'url') return input.url;
  return [input.file.filename ?? null, await sha256(input.file.data)];
}

/** Returns the items of a job. Stores files first, so that an accepted job has all its sources. */
export async function storeInputs(
  sources: JobSources,
  jobId: string,
  { accountId, inputs, watermark }: AskedJob,
): Promise<NewJobItem[]> {
  const items: NewJobItem[] = [];
  if (watermark) await sources.put(JobSources.watermarkOf(jobId), watermark.data, accountId);
  for (const [position, input] of inputs.entries()) {
    if (input.kind === 'url') {
      items.push({ sourceKind: 'url', source: input.url, filename: null });
      continue;
    }
    const source = JobSources.nameOf(jobId, position);
    await sources.put(source, input.file.data, accountId);
    items.push({ sourceKind: 'file', source, filename: input.file.filename ?? null });
  }
  return items;
}
