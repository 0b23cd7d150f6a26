/** POST /api/v1/pipeline: runs several steps on one image in one request (docs/spec/shapes.md, section 9). */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiRequestBodyObject } from 'zod-openapi';
import { described } from '../../base/described.ts';
import type { ErrorCode } from '../../base/failure.ts';
import { createDecoder, type PartialParams } from '../../base/parameter-decoder.ts';
import type { FormatId } from '../../codecs/formats/registry.ts';
import { checkLogo } from '../../engine/pipeline/check.ts';
import { outputName } from '../../engine/pipeline/output-name.ts';
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
import { deliveryParams, sendImageResult } from '../results/output.ts';
import { storedResult } from '../results/stored-result.ts';
import { admitPipeline, costForKey, executePipeline } from './execute.ts';
import { MAX_PIPELINE_LENGTH, parsePipelineOrText } from './parse.ts';
import { pipelineSchema, planRecord, planSchema } from './records.ts';
import { type PipelineRequest, pipelineVersion, type ResolvedPipeline, resolvePipeline } from './resolve.ts';
import type { PipelineServices } from './services.ts';

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
    if (params.dry_run) await answerPlan(exchange, named, image);
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

type Size = { [K in 'width' | 'height']: number | null };

function filenameOf(
  { services }: RequestContext<PipelineServices>,
  { outputName: pattern, sourceName }: NamedPipeline,
  { format, extension, width, height }: Size & { format: FormatId; extension?: string },
): string | null {
  return outputName(pattern, { sourceName, format, extension, width, height, index: 1, time: services.now() });
}

async function answerPlan(
  exchange: RequestContext<PipelineServices>,
  pipeline: NamedPipeline,
  image: SourceFile,
): Promise<void> {
  const { ctx, services, caller } = exchange;
  const maxPixels = services.plans.of(caller.account).upscale_pixels;
  const input = { image, params: { steps: pipeline.steps, maxPixels } };
  const { plan } = (await runTask(exchange, 'pipeline-plan', input, LANE)).result;
  ctx.state.record.pixels = plan.source.width * plan.source.height;
  const filename = filenameOf(exchange, pipeline, plan.result);
  ctx.body = planRecord(plan, pipeline, filename, costForKey(caller.key, plan));
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
  const { result, durationMs, cost, credit } = await executePipeline(services, {
    ...files,
    caller,
    steps: pipeline.steps,
    lane: LANE,
    signal,
    onAdmitted: () => room.release(),
    onStart: (waitedMs) => {
      phases.queue = (phases.queue ?? 0) + waitedMs;
    },
  });
  const { source, outcome, data } = result;
  recordResult(exchange, { pixels: source.width * source.height, outcome, phases: result.phases });
  const meter = quotaMeter(caller.key, cost);
  await withReservation(exchange, credit, async () => {
    // A small source can have a large result. Clients that do not read their responses would accumulate them.
    room.reserve(data.byteLength);
    const filename = filenameOf(exchange, pipeline, result);
    const finished = {
      result,
      durationMs,
      meter,
      testMode: caller.key.mode === 'test',
      sourceName: pipeline.sourceName,
      ...(filename === null ? {} : { filename }),
      facts: {},
      pipeline: { name: pipeline.name, version: pipeline.version, steps: result.steps },
    };
    await sendImageResult(ctx, caller.account.id, finished, { output, deliver_to: undefined }, services, signal);
    return data.byteLength;
  });
  ctx.set('X-Quota-Meter', meter);
}

function document(): ZodOpenApiOperationObject {
  const documented = sourceOperationDocumentation({
    summary: 'Run several steps on one image',
    description:
      'The steps of a pipeline that comes with the request, of a saved one or of a template. One request, and one AI request in addition when a step has run a model; a key needs the scope `ai` only then. A step that fails fails the whole pipeline, and the message names it. With dry_run nothing is charged. Needs the Pro plan.',
    auxiliaryImages: { [WATERMARK]: 'A logo for watermark steps with `logo`.' },
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
        description: 'The image; with output=json a stored result; with dry_run=true the plan.',
        content: { ...image.content, [JSON_TYPE]: { schema: z.union([storedResult, planSchema]) } },
      },
    },
  };
}

const ERRORS: readonly ErrorCode[] = [
  'invalid_pipeline',
  'conflicting_parameters',
  'preset_not_found',
  'upgrade_required',
  'scope_required',
  'unsupported_output',
  'no_subject',
  'model_unavailable',
  'storage_full',
];

export const pipeline: Endpoint<PipelineServices> = {
  method: 'post',
  path: PATH,
  operation: 'pipeline',
  access: 'key',
  errors: [...SOURCE_ERRORS, ...ERRORS],
  ...document(),
  handle,
};
