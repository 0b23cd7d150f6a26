/**
 * The frame of every operation that takes one image and returns one: input in three shapes, parameters, the task on the
 * pool, output in three ways. An operation adds its declaration and how its task input is put together.
 */
import { z } from 'zod';
import { type ErrorCode, invalidParameter } from '../../base/failure.ts';
import { type SourceParams, sourceParams } from '../../engine/operations/parameters.ts';
import type { ImageResult } from '../../engine/result.ts';
import type { Lane, SourceFile, TaskInput, TaskName, TaskResult } from '../../engine/task.ts';
import { fileLimitBytes, type ProFeature, requirePro } from '../account/plans.ts';
import { imageOperationDocumentation } from '../docs/image-operation.ts';
import { type Body, readBody } from '../http/body.ts';
import { clientSignal } from '../http/cancel.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint, Services } from '../http/endpoint.ts';
import { missingImage } from '../http/errors.ts';
import { answer, type DeliveryParams, deliveryParams } from '../http/output.ts';
import { createDecoder, type Decoder, type Given, queryPairs } from '../http/query.ts';
import type { UploadRoom } from '../http/uploads.ts';

/** The tasks that answer with one image. */
type ImageTask = { [N in TaskName]: TaskResult<N> extends ImageResult ? N : never }[TaskName];

export interface ImageOperation<N extends ImageTask, P extends z.ZodObject> {
  task: N;
  path: `/api/v1/${string}`;
  summary: string;
  description: string;
  /** Its own parameters; those of the source and of the delivery join them. */
  params: P;
  /** Checks what a declaration of single parameters cannot say. */
  check?(params: z.output<P>): void;
  /** Further images that a multipart body may bring, each of them a Pro feature, with their meaning. */
  companions?: Partial<Record<ProFeature, string>>;
  /** Codes of the failures of its own. */
  errors: readonly ErrorCode[];
  lane: Lane;
  toInput(
    image: SourceFile,
    params: z.output<P> & SourceParams,
    companions: Partial<Record<ProFeature, SourceFile>>,
  ): TaskInput<N>;
}

const ERRORS: readonly ErrorCode[] = [
  'missing_image',
  'conflicting_parameters',
  'invalid_url',
  'url_not_allowed',
  'upload_timeout',
  'file_too_large',
  'image_too_large',
  'unsupported_media_type',
  'unsupported_format',
  'corrupt_image',
  'page_out_of_range',
  'unsupported_output',
  'url_fetch_failed',
  'delivery_failed',
  'overloaded',
  'processing_timeout',
  'storage_full',
];

const IMAGE_PART = 'image';

const addressed = createDecoder(z.strictObject({ url: deliveryParams.shape.deliver_to.unwrap() }));

/** One request with what belongs to it. */
interface Exchange {
  ctx: Context;
  services: Services;
  caller: Caller;
  /** Fires when the client goes away. */
  signal: AbortSignal;
  room: UploadRoom;
}

type Params<P extends z.ZodObject> = z.output<P> & SourceParams & DeliveryParams;

interface Source {
  image: SourceFile;
  companions: Partial<Record<string, SourceFile>>;
  /** Parameters that came with the body. */
  given: Given;
}

/** Builds the endpoint of an operation. */
export function imageOperation<N extends ImageTask, P extends z.ZodObject>(operation: ImageOperation<N, P>): Endpoint {
  const declaration = z.strictObject({
    ...sourceParams.shape,
    ...(operation.params.shape as P['shape']),
    ...deliveryParams.shape,
  });
  const decoder = createDecoder(declaration);
  const companionNames = Object.keys(operation.companions ?? {}) as ProFeature[];

  async function handle(ctx: Context, services: Services, caller: Caller): Promise<void> {
    const exchange = { ctx, services, caller, signal: clientSignal(ctx.res), room: services.uploads.open() };
    try {
      // Before the body: a typing error should not cost its sender an upload.
      const asked = decoder.fromText(queryPairs(ctx.querystring));
      const { image, companions, given } = await readSource(exchange, companionNames, decoder);
      const { output, deliver_to, ...params } = decoder.complete(given, asked) as Params<P>;
      operation.check?.(params as z.output<P>);
      for (const name of companionNames) if (companions[name]) requirePro(caller.account, name);

      const filename = params.filename ?? image.filename;
      const source = { data: image.data, ...(filename === undefined ? {} : { filename }) };
      const input = operation.toInput(source, params as z.output<P> & SourceParams, companions);
      const finished = await run(exchange, operation.task, input, operation.lane);
      // A small source may have a large result, and clients that do not read would pile them up.
      exchange.room.reserve(finished.result.data.byteLength);
      await answer(
        ctx,
        caller,
        { ...finished, sourceName: filename },
        { output, deliver_to },
        services,
        exchange.signal,
      );
      exchange.signal.throwIfAborted();
      ctx.res.once('close', () => exchange.room.release());
    } catch (error) {
      exchange.room.release();
      // Whatever it is, nobody is left to be told.
      exchange.signal.throwIfAborted();
      throw error;
    }
  }

  return {
    method: 'post',
    path: operation.path,
    operation: operation.task,
    access: 'key',
    errors: [...ERRORS, ...operation.errors],
    documentation: imageOperationDocumentation({ ...operation, params: declaration }),
    handle,
  };
}

/** Runs the task and notes where the time went. */
async function run<N extends ImageTask>(
  { ctx, services, room, signal }: Exchange,
  task: N,
  input: TaskInput<N>,
  lane: Lane,
) {
  const { record } = ctx.state;
  let startedAt = performance.now();
  const running = services.engine.run(task, input, {
    signal,
    lane,
    onStart: (waitedMs) => {
      record.phases.queue = waitedMs;
      startedAt = performance.now();
    },
  });
  // The engine accounts for the bytes from here on.
  room.release();
  const result: ImageResult = await running;
  record.pixels = result.source.width * result.source.height;
  record.outcome = result.outcome;
  Object.assign(record.phases, result.phases);
  return { result, durationMs: performance.now() - startedAt };
}

/** Reads the body and, when it holds an address, what is there. */
async function readSource(
  exchange: Exchange,
  companionNames: readonly string[],
  decoder: Decoder<unknown>,
): Promise<Source> {
  const { ctx, services, caller, room } = exchange;
  const fileBytes = fileLimitBytes(caller.account, caller.key);
  const limits = { fileBytes, timeoutSeconds: services.config.uploadTimeoutSeconds };
  const body = await readBody(ctx, [IMAGE_PART, ...companionNames], room, limits);
  const source = await sourceOf(body, decoder, (url) => fetchSource(exchange, url, fileBytes));
  const { image, companions } = source;
  if (image.data.byteLength === 0) throw missingImage();
  for (const [name, file] of Object.entries(companions))
    if (file?.data.byteLength === 0) throw invalidParameter('an image', name, undefined);
  const files = [image, ...Object.values(companions)];
  ctx.state.record.bytesIn = files.reduce((sum, file) => sum + (file?.data.byteLength ?? 0), 0);
  return source;
}

async function sourceOf(
  body: Body,
  decoder: Decoder<unknown>,
  fetch: (url: string) => Promise<SourceFile>,
): Promise<Source> {
  switch (body.kind) {
    case 'raw':
      return { image: body.image, companions: {}, given: new Map() };
    case 'multipart': {
      const { [IMAGE_PART]: image, ...companions } = Object.fromEntries(body.files);
      if (!image) throw missingImage();
      return { image, companions, given: decoder.fromText(body.texts) };
    }
    case 'json': {
      const { url, ...values } = body.values;
      if (url === undefined) throw missingImage();
      const given = decoder.fromJson(values);
      return { image: await fetch(addressed.complete(addressed.fromJson({ url })).url), companions: {}, given };
    }
  }
}

async function fetchSource(
  { ctx, services, room, signal }: Exchange,
  url: string,
  maxBytes: number,
): Promise<SourceFile> {
  const { record } = ctx.state;
  if (URL.canParse(url)) record.sourceHost = new URL(url).host;
  const startedAt = performance.now();
  const { data, filename } = await services.outgoing.fetchImage(url, {
    maxBytes,
    signal,
    reserve: (bytes) => room.reserve(bytes),
  });
  record.phases.fetch = performance.now() - startedAt;
  return { data, ...(filename === undefined ? {} : { filename }) };
}
