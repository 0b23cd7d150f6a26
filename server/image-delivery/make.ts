/** Makes the image of an address: reads its source and runs compress or a pipeline. It counts as one request. */
import { invalidParameter } from '../../base/failure.ts';
import type { OutputFormat } from '../../codecs/formats/registry.ts';
import { compress } from '../../engine/operations/compress/definition.ts';
import { operationNamed } from '../../engine/operations/registry.ts';
import { checkLogo } from '../../engine/pipeline/check.ts';
import type { Step } from '../../engine/pipeline/record.ts';
import type { ImageResult } from '../../engine/result.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import { rateLimited } from '../account/errors.ts';
import { secondsUntil } from '../account/period.ts';
import type { Rates } from '../account/rates.ts';
import type { Caller, RequestRecord } from '../http/context.ts';
import { summariseImage } from '../images/image-response.ts';
import { perform } from '../images/perform.ts';
import { type RequestWork, recordResult, withReservation } from '../images/request-context.ts';
import { admitPipeline, executePipeline } from '../pipelines/execute.ts';
import { resolvePipeline } from '../pipelines/resolve.ts';
import type { PipelineServices } from '../pipelines/services.ts';
import { negotiate } from './negotiate.ts';
import type { DeliveryOptions, ImageParams } from './options.ts';
import { type ImageSource, readSource, type SourceReading } from './source.ts';

/** What an image is made with. */
export interface MakingServices extends PipelineServices {
  rates: Rates;
}

export interface ImageRequest {
  caller: Caller;
  options: DeliveryOptions;
  source: ImageSource;
  /** Formats that the client names, if the address leaves the format open. */
  accepted: readonly OutputFormat[];
}

/** An image that was made. `name` is that of its source, if it has one. */
export interface MadeImage {
  result: ImageResult;
  name: string | undefined;
}

/**
 * Makes an image.
 * @param record gets the times and sizes, for the log
 * @param signal ends the work; its reason is thrown. The result is kept for others, so it goes on if this client leaves
 * @throws Failure of the source, the parameters, the work or the limits of the account
 */
export async function makeImage(
  services: MakingServices,
  folders: SourceReading['folders'],
  { caller, options, source, accepted }: ImageRequest,
  record: RequestRecord,
  signal: AbortSignal,
): Promise<MadeImage> {
  const { account, key } = caller;
  const rate = await services.rates.count(account);
  if (rate.exceeded) throw rateLimited(rate.limit ?? 0, secondsUntil(rate.resetsAt, services.now()));
  const room = services.uploads.open(account.id);
  const work: RequestWork<MakingServices> = { services, caller, signal, room, record };
  try {
    // What can be refused without the source is refused before it is read.
    const steps = options.params ? [] : await stepsOf(work, options.pipeline!);
    await admitPipeline(services, caller, steps);
    const image = await read(work, source, {
      folders,
      outgoing: services.outgoing,
      maxBytes: services.plans.fileLimitBytes(account, key),
      reserve: room.reserve,
      signal,
    });
    // The worker gets the bytes of the image, so its name is read before.
    const name = image.filename;
    const result = options.params
      ? await runCompress(work, image, options.params, accepted)
      : await runPipeline(work, image, steps);
    return { result, name };
  } finally {
    room.release();
  }
}

async function read({ record }: RequestWork, source: ImageSource, reading: SourceReading): Promise<SourceFile> {
  if (source.kind === 'url') record.sourceHost = source.host;
  const startedAt = performance.now();
  const image = await readSource(source, reading);
  record.phases.fetch = performance.now() - startedAt;
  record.bytesIn = image.data.byteLength;
  return image;
}

async function runCompress(
  work: RequestWork<MakingServices>,
  image: SourceFile,
  params: ImageParams,
  accepted: readonly OutputFormat[],
): Promise<ImageResult> {
  const negotiated = params.format === 'auto' ? negotiate(accepted, image.data, params) : {};
  const complete = { ...params, ...negotiated, fingerprint: false, score: false };
  const input = { image, auxiliaryImages: {}, params: complete };
  let result: ImageResult | undefined;
  await perform(operationNamed(compress.name)!, work, input, { summarise: summariseAnImage }, (finished) => {
    result = finished.result as ImageResult;
  });
  return result!;
}

const summariseAnImage = (result: unknown) => summariseImage(result as ImageResult);

async function stepsOf({ services, caller }: RequestWork<MakingServices>, preset: string): Promise<readonly Step[]> {
  services.plans.requirePro(caller.account, 'pipelines');
  const { steps, outputs } = await resolvePipeline(services, caller.account, { preset });
  if (outputs) throw invalidParameter('a pipeline with one result', 'pipeline', preset);
  checkLogo(steps, false);
  return steps;
}

async function runPipeline(
  work: RequestWork<MakingServices>,
  image: SourceFile,
  steps: readonly Step[],
): Promise<ImageResult> {
  const { services, caller, room, record, signal } = work;
  const run = await executePipeline(services, {
    ...{ caller, image, steps, lane: 'interactive', signal },
    onAdmitted: () => room.release(),
    onStart: (waitedMs) => {
      record.phases.queue = (record.phases.queue ?? 0) + waitedMs;
    },
  });
  recordResult(work, summariseImage(run.result));
  await withReservation(work, run.credit, async () => run.result.data.byteLength);
  return run.result;
}
