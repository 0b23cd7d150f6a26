/** POST /api/v1/pipeline: runs several steps on one image in one request (docs/spec/shapes.md, section 9). */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiRequestBodyObject } from 'zod-openapi';
import { described } from '../../base/described.ts';
import { createDecoder, type PartialParams } from '../../base/parameter-decoder.ts';
import { checkLogo, PIPELINE_IMAGES } from '../../engine/pipeline/check.ts';
import { nameOfOutput, type OutputNaming, outputName } from '../../engine/pipeline/output-name.ts';
import { MAX_PIPELINE_LENGTH, parsePipelineOrText } from '../../engine/pipeline/parse.ts';
import type { OutputsResult, PlannedResult, PlanSummary } from '../../engine/pipeline/record.ts';
import type { Outcome } from '../../engine/result.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import { quotaMeter } from '../account/credits.ts';
import { canHaveParameters } from '../http/body.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { JSON_TYPE } from '../http/json-body.ts';
import { DEFAULT_MAX_JSON_BYTES } from '../http/json-reader.ts';
import { queryPairs } from '../http/query.ts';
import { imageResponseDocumentation, sourceOperationDocumentation } from '../images/documentation.ts';
import { SOURCE_ERRORS } from '../images/perform.ts';
import {
  type RequestContext,
  recordResult,
  runTask,
  withRequestContext,
  withReservation,
} from '../images/request-context.ts';
import { readSource } from '../images/source.ts';
import { deliveryParams, sendImageResult, sendResult } from '../results/output.ts';
import { countSteps } from '../results/step-report.ts';
import { storedResult } from '../results/stored-result.ts';
import { ZIP_OUTCOME, ZIP_TYPE, zipName } from '../results/zip.ts';
import {
  admitPipeline,
  costForKey,
  executeOutputs,
  executePipeline,
  type PipelineInput,
  type PipelineRun,
  RUN_ERRORS,
} from './execute.ts';
import { outputsPlanRecord, pipelineSchema, planRecord, planSchema } from './records.ts';
import { type PipelineRequest, pipelineVersion, type ResolvedPipeline, resolvePipeline } from './resolve.ts';
import type { PipelineServices } from './services.ts';
import { bytesOf, type FinishedOutputs, storedOutputs, storeOutputs } from './stored-outputs.ts';

const PATH = '/api/v1/pipeline';
const LANE = 'interactive';
const WATERMARK = 'watermark_image';

const pipelineParams = z.strictObject({
  pipeline: described(
    z.string().max(MAX_PIPELINE_LENGTH).optional(),
    'The pipeline as JSON text; in a JSON body also as an object.',
    '{"steps":[{"op":"resize","params":{"width":800}},{"op":"compress","params":{"format":"webp"}}]}',
  ),
  preset: described(
    z.string().max(60).optional(),
    'Name of a saved pipeline or of a template, in place of `pipeline`.',
    'thumbnail',
  ),
  version: pipelineVersion.optional(),
  dry_run: z
    .boolean()
    .default(false)
    .meta({ description: 'Report what would run, and predicted sizes, without processing.', examples: [true] }),
  name: described(
    z.string().max(255).optional(),
    'Name of the source file for `output_name`, in place of the one it comes with.',
    'beach.jpg',
  ),
  output: deliveryParams.shape.output,
});
type PipelineParams = z.output<typeof pipelineParams>;

const decoder = createDecoder(pipelineParams);

/** In a JSON body the pipeline may also be an object. */
const bodyDecoder = {
  fromText: decoder.fromText,
  fromJson({ pipeline, ...values }: Readonly<Record<string, unknown>>): PartialParams {
    const given = decoder.fromJson(values);
    if (pipeline === undefined) return given;
    // Check it before the image is fetched.
    parsePipelineOrText(pipeline);
    return new Map(given).set('pipeline', pipeline);
  },
};

/** Returns all parameters. If several sources set one, the last wins. */
function complete(...sources: PartialParams[]): Omit<PipelineParams, 'pipeline'> & PipelineRequest {
  const given = new Map(sources.flatMap((source) => [...source]));
  const pipeline = given.get('pipeline');
  given.delete('pipeline');
  return { ...decoder.complete(given), pipeline };
}

async function handle(ctx: Context, services: PipelineServices, caller: Caller): Promise<void> {
  services.plans.requirePro(caller.account, 'pipelines');
  await withRequestContext(ctx, services, caller, async (exchange) => {
    // Checked before the body is read, so that a typing error does not cost the client an upload.
    const asked = decoder.fromText(queryPairs(ctx.querystring));
    await checkBeforeBody(exchange, asked);
    const received = await readSource(exchange, [WATERMARK], bodyDecoder, {
      json: { maxBytes: DEFAULT_MAX_JSON_BYTES + MAX_PIPELINE_LENGTH },
      longTexts: new Map([['pipeline', MAX_PIPELINE_LENGTH]]),
    });
    const params = complete(received.given, asked);
    const pipeline = await resolvePipeline(services, caller.account, params);
    const watermark = received.companions[WATERMARK];
    if (watermark) services.plans.requirePro(caller.account, WATERMARK);
    checkLogo(pipeline.steps, watermark !== undefined);

    const { name } = params;
    // A format without a signature is recognised by the name that the image was sent with, if any.
    const image = { ...(name === undefined ? {} : { filename: name }), ...received.image };
    const named: NamedPipeline = { ...pipeline, sourceName: name ?? received.image.filename };
    if (params.dry_run) await answerPlan(exchange, named, { image, watermark });
    else await answerResult(exchange, named, { image, watermark }, params.output);
  });
}

/** Refuses a request before its body is received, if it would be refused afterwards anyway. */
async function checkBeforeBody(
  { ctx, services, caller }: RequestContext<PipelineServices>,
  asked: PartialParams,
): Promise<void> {
  const isAll = !canHaveParameters(ctx);
  if (!isAll && !asked.has('pipeline') && !asked.has('preset')) return;
  const params = complete(asked);
  const { steps } = await resolvePipeline(services, caller.account, params);
  // Other bodies may contain dry_run, so whether the run costs credits is not known yet.
  if (isAll && !params.dry_run) await admitPipeline(services, caller, steps);
}

interface NamedPipeline extends ResolvedPipeline {
  /** Name of the source, if it has one. */
  sourceName: string | undefined;
}

const namingOf = (
  { services }: RequestContext<PipelineServices>,
  { outputName: pattern, sourceName }: NamedPipeline,
): OutputNaming => ({ pattern, sourceName, index: 1, time: services.now() });

function filenameOf(
  exchange: RequestContext<PipelineServices>,
  named: NamedPipeline,
  { format, extension, width, height }: Pick<PlannedResult, 'format' | 'extension' | 'width' | 'height'>,
): string | null {
  const { pattern, ...naming } = namingOf(exchange, named);
  return outputName(pattern, { ...naming, format, extension, width, height });
}

async function answerPlan(
  exchange: RequestContext<PipelineServices>,
  pipeline: NamedPipeline,
  { image, watermark }: { image: SourceFile; watermark: SourceFile | undefined },
): Promise<void> {
  const { ctx, services, caller } = exchange;
  const { steps, outputs } = pipeline;
  const files = { image, ...(watermark && { watermark }) };
  const params = { steps, maxPixels: services.plans.of(caller.account).upscale_pixels };
  const facts = (plan: PlanSummary) => {
    ctx.state.record.pixels = plan.source.width * plan.source.height;
    return { pipeline, quota: costForKey(caller.key, plan) };
  };
  if (outputs) {
    const naming = namingOf(exchange, pipeline);
    const input = { ...files, params: { ...params, outputs, naming, isPacked: true } };
    const { plan } = (await runTask(exchange, 'pipeline-outputs-plan', input, LANE)).result;
    const names = plan.outputs.map((result) => nameOfOutput(naming, result));
    ctx.body = outputsPlanRecord(plan, zipName(pipeline.sourceName), names, facts(plan));
  } else {
    const { plan } = (await runTask(exchange, 'pipeline-plan', { ...files, params }, LANE)).result;
    ctx.body = planRecord(plan, filenameOf(exchange, pipeline, plan.result), facts(plan));
  }
  ctx.set('Cache-Control', 'no-store');
}

async function answerResult(
  exchange: RequestContext<PipelineServices>,
  pipeline: NamedPipeline,
  files: { image: SourceFile; watermark: SourceFile | undefined },
  output: PipelineParams['output'],
): Promise<void> {
  const { ctx, services, caller, signal, room } = exchange;
  const { phases } = ctx.state.record;
  const { steps, outputs } = pipeline;
  const work: PipelineInput = {
    ...{ ...files, caller, steps, lane: LANE, signal },
    onAdmitted: () => room.release(),
    onStart: (waitedMs) => {
      phases.queue = (phases.queue ?? 0) + waitedMs;
    },
  };
  if (outputs) {
    const params = { outputs, naming: namingOf(exchange, pipeline), isPacked: output === 'binary' };
    const run = await executeOutputs(services, work, params);
    await charge(exchange, pipeline, run, ZIP_OUTCOME, (finished) => answerOutputs(exchange, pipeline, finished));
    return;
  }
  const run = await executePipeline(services, work);
  await charge(exchange, pipeline, run, run.result.outcome, async (finished) => {
    const { result } = finished;
    // A small source can have a large result. Clients that do not read their responses would accumulate them.
    room.reserve(result.data.byteLength);
    const filename = filenameOf(exchange, pipeline, result);
    const image = {
      ...finished,
      sourceName: pipeline.sourceName,
      ...(filename === null ? {} : { filename }),
      facts: {},
    };
    await sendImageResult(ctx, caller.account.id, image, { output, deliver_to: undefined }, services, signal);
    return result.data.byteLength;
  });
}

interface Finished<R> extends Omit<FinishedOutputs, 'result'> {
  result: R;
}

/** Prepares the response to a run, and charges it. @param answer resolves to the bytes of the response's files */
async function charge<R extends Pick<OutputsResult, 'source' | 'phases' | 'steps'>>(
  exchange: RequestContext<PipelineServices>,
  { name, version }: NamedPipeline,
  { result, durationMs, cost, credit }: PipelineRun<R>,
  outcome: Outcome,
  answer: (finished: Finished<R>) => Promise<number>,
): Promise<void> {
  const { ctx, caller } = exchange;
  const { source, phases, steps } = result;
  recordResult(exchange, { pixels: source.width * source.height, outcome, phases });
  const meter = quotaMeter(caller.key, cost);
  const testMode = caller.key.mode === 'test';
  await withReservation(exchange, credit, () =>
    answer({ result, durationMs, meter, testMode, pipeline: { name, version, steps } }),
  );
  ctx.set('X-Quota-Meter', meter);
}

/** Responds with the ZIP of several results, or stores each of them if they are not packed. */
async function answerOutputs(
  { ctx, caller, services, room }: RequestContext<PipelineServices>,
  { sourceName }: NamedPipeline,
  finished: FinishedOutputs,
): Promise<number> {
  const { result, durationMs } = finished;
  const { data, steps } = result;
  const bytes = data?.byteLength ?? bytesOf(result);
  room.reserve(bytes);
  ctx.set('Cache-Control', 'no-store');
  if (data) {
    const file = { contentType: ZIP_TYPE, filename: zipName(sourceName), disposition: 'attachment' as const };
    const headers = { 'X-IC-Fingerprint': result.fingerprint, 'X-IC-Steps': countSteps(steps) };
    sendResult(ctx, { ...result, ...file, data, outcome: ZIP_OUTCOME, durationMs }, headers);
  } else {
    ctx.body = await storeOutputs(caller.account.id, finished, services);
  }
  return bytes;
}

function document(): ZodOpenApiOperationObject {
  const documented = sourceOperationDocumentation({
    summary: 'Run several steps on one image',
    description:
      'The steps of a pipeline that comes with the request, of a saved one or of a template. One request, and one AI request in addition when a step has run a model; a key needs the scope `ai` only then. A step that fails fails the whole pipeline, and the message names it. With dry_run nothing is charged. Needs the Pro plan.',
    auxiliaryImages: PIPELINE_IMAGES,
    params: pipelineParams,
  });
  const request = documented.requestBody as ZodOpenApiRequestBodyObject;
  const image = imageResponseDocumentation(['svg']);
  return {
    ...documented,
    tags: ['Pipelines'],
    requestBody: {
      ...request,
      content: {
        ...request.content,
        [JSON_TYPE]: {
          schema: (request.content[JSON_TYPE]!.schema as z.ZodObject).extend({
            pipeline: described(z.union([pipelineSchema, z.string()]).optional(), 'As an object or as text.'),
          }),
        },
      },
    },
    responses: {
      '200': {
        ...image,
        description:
          'The image, or with outputs the ZIP of all results; with output=json a stored result, or with outputs a list of them; with dry_run=true the plan.',
        content: {
          ...image.content,
          [ZIP_TYPE]: {},
          [JSON_TYPE]: { schema: z.union([storedResult, storedOutputs, planSchema]) },
        },
      },
    },
  };
}

export const pipeline: Endpoint<PipelineServices> = {
  method: 'post',
  path: PATH,
  operation: 'pipeline',
  access: 'key',
  errors: [...SOURCE_ERRORS, 'invalid_pipeline', ...RUN_ERRORS, 'storage_full'],
  ...document(),
  handle,
};
