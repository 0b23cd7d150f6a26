/** Jobs: a pipeline over many images, in the background. */
import { FileAnswer } from './answer.ts';
import { type CallOptions, Group, jsonBody, segment } from './calls.ts';
import { endOf, eventsOf } from './events.ts';
import { formOf, type Part, randomHex } from './form.ts';
import { checkImage, type ImageAddress, type ImageBytes, type ImageInput, isAddress, sourceOf } from './image-input.ts';
import type { Call } from './transport.ts';
import type { CreateJobBody, Job, JobProgress, JobResult, ListJobsAnswer, ListJobsParams } from './types.generated.ts';

const PATH = '/api/v1/jobs';

export type JobRequest = Omit<CreateJobBody, 'inputs'>;

export interface JobOptions extends CallOptions {
  /** A repeated request with the same key creates no second job. Default: a new key for each call. */
  idempotencyKey?: string | undefined;
  /** For watermark steps with a logo. Only together with images that are sent as bytes. */
  watermarkImage?: ImageBytes | undefined;
}

export type JobEvent =
  | { type: 'job'; data: Job }
  | { type: 'progress'; data: { progress: JobProgress } }
  | { type: 'result'; data: JobResult }
  | { type: 'end'; data: Job };

export class Jobs extends Group {
  /** @param images all as URLs, or all as bytes */
  async create(images: readonly ImageInput[], request: JobRequest = {}, options: JobOptions = {}): Promise<Job> {
    const { signal, idempotencyKey = randomHex() } = options;
    const { headers, ...call } = await bodyOf(images, request, options);
    return await this.transport.json<Job>(PATH, {
      method: 'POST',
      signal,
      idempotent: true,
      headers: { ...headers, 'Idempotency-Key': idempotencyKey },
      ...call,
    });
  }

  /** Lists the jobs of the last hour and those that have not ended, newest first: one page, 500 at most. */
  async list(params: ListJobsParams = {}, options: CallOptions = {}): Promise<Job[]> {
    const { jobs } = await this.transport.json<ListJobsAnswer>(PATH, { query: params, ...options });
    return jobs;
  }

  read(id: string, options: CallOptions = {}): Promise<Job> {
    return this.transport.json(`${PATH}/${segment(id)}`, options);
  }

  /** Cancels a job. Finished images keep their results. */
  cancel(id: string, options: CallOptions = {}): Promise<Job> {
    return this.transport.json(`${PATH}/${segment(id)}`, { method: 'DELETE', ...options });
  }

  /** Yields the events of a job up to its end. Lost connections are opened again. */
  events(id: string, options: CallOptions = {}): AsyncGenerator<JobEvent, void, undefined> {
    return eventsOf<JobEvent>(this.transport, `${PATH}/${segment(id)}/events`, options);
  }

  /** Returns the job when it has ended, whether it is done, failed or cancelled. */
  wait(id: string, options: CallOptions = {}): Promise<Job> {
    return endOf<Job>(this.events(id, options));
  }

  /** Downloads all results of a job that has ended. */
  async zip(id: string, options: CallOptions = {}): Promise<FileAnswer> {
    return new FileAnswer(await this.transport.send(`${PATH}/${segment(id)}/zip`, options));
  }
}

async function bodyOf(
  images: readonly ImageInput[],
  request: JobRequest,
  { watermarkImage }: JobOptions,
): Promise<Call> {
  if (!Array.isArray(images)) throw new TypeError('Expected a list of images for images but received another value.');
  for (const [index, image] of images.entries()) checkImage(image, `images[${index}]`);
  const bytes = images.filter((image): image is ImageBytes => !isAddress(image));
  if (bytes.length === 0 && watermarkImage === undefined)
    return jsonBody({ ...request, inputs: images as readonly ImageAddress[] });
  if (bytes.length < images.length)
    throw new TypeError('Expected all images of a job as addresses or all as bytes but received both.');
  const { pipeline, ...texts } = request;
  const parts: Part[] = Object.entries({ ...texts, pipeline: pipeline && JSON.stringify(pipeline) }).flatMap(
    ([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]),
  );
  for (const [index, image] of bytes.entries())
    parts.push([index === 0 ? 'image' : `image_${index}`, await sourceOf(image)]);
  if (watermarkImage !== undefined) parts.push(['watermark_image', await sourceOf(watermarkImage, 'watermarkImage')]);
  return formOf(parts);
}
