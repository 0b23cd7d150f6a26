/**
 * The frame of every operation that takes one image: input in three shapes, parameters, the task on the pool. What it
 * answers is the operation's own affair.
 */
import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { type ErrorCode, invalidParameter } from '../../base/failure.ts';
import { type SourceParams, sourceParams } from '../../engine/operations/parameters.ts';
import type { Phases } from '../../engine/result.ts';
import type { Lane, SourceFile, TaskInput, TaskName, TaskResult } from '../../engine/task.ts';
import type { Key } from '../../storage/repositories/keys.ts';
import { requireScope } from '../account/keys.ts';
import { type Cost, type QuotaMeter, quotaMeter } from '../account/ledger.ts';
import { isProFeature, type Plan, type ProFeature } from '../account/plans.ts';
import { type Body, readBody } from '../http/body.ts';
import { clientSignal } from '../http/cancel.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint, Services } from '../http/endpoint.ts';
import { missingImage } from '../http/errors.ts';
import { deliveryParams } from '../http/output.ts';
import { createDecoder, type Decoder, type Given, queryPairs } from '../http/query.ts';
import type { UploadRoom } from '../http/uploads.ts';

/** A further image that a multipart body may bring. */
export type CompanionName = Extract<ProFeature, `${string}_image`> | 'mask';
export type Companions = Partial<Record<CompanionName, SourceFile>>;

/** Of the task N with parameters of its own P. */
export interface SourceOperation<N extends TaskName, P> {
  task: N;
  path: `/api/v1/${string}`;
  /** Declares P; the parameters of the source join them. */
  params: z.ZodObject;
  /** Checks what a declaration of single parameters cannot say. */
  check?(params: P): void;
  /** Further images that a multipart body may bring, with their meaning. */
  companions?: Partial<Record<CompanionName, string>> | undefined;
  /** Codes of the failures of its own. */
  errors: readonly ErrorCode[];
  lane: Lane;
  /** What one request costs; what costs AI credits needs the scope `ai`. */
  cost: Cost | ((params: P) => Cost);
  /** @param declaration all its parameters */
  document(declaration: z.ZodObject): ZodOpenApiOperationObject;
  toInput(
    image: SourceFile,
    params: P & SourceParams,
    companions: Companions,
    /** Of the caller's account. */
    plan: Plan,
  ): TaskInput<N>;
  /** What the log line says of the result. */
  summarise(result: TaskResult<N>): Summary;
  answer(exchange: Exchange, finished: FinishedTask<N>, params: P): Promise<void> | void;
}

export interface Summary {
  /** Of the source. */
  pixels: number;
  /** Of the image that was made; 0 where the answer is none. */
  bytes: number;
  outcome?: string;
  phases: Phases;
}

export interface FinishedTask<N extends TaskName> {
  result: TaskResult<N>;
  durationMs: number;
  /** Name of the source, if it has one. */
  sourceName: string | undefined;
  /** What the request is counted against. */
  meter: QuotaMeter;
  /** It came with a test key. */
  testMode: boolean;
}

/** One request with what belongs to it. */
export interface Exchange {
  ctx: Context;
  services: Services;
  caller: Caller;
  /** Fires when the client goes away. */
  signal: AbortSignal;
  room: UploadRoom;
}

const ERRORS: readonly ErrorCode[] = [
  'missing_image',
  'invalid_url',
  'url_not_allowed',
  'upload_timeout',
  'file_too_large',
  'image_too_large',
  'unsupported_media_type',
  'unsupported_format',
  'corrupt_image',
  'page_out_of_range',
  'password_protected',
  'url_fetch_failed',
  'overloaded',
  'processing_timeout',
  'quota_exceeded',
  'key_limit_exceeded',
  'test_limit_exceeded',
];

const IMAGE_PART = 'image';

const addressed = createDecoder(z.strictObject({ url: deliveryParams.shape.deliver_to.unwrap() }));

interface Source {
  image: SourceFile;
  companions: Partial<Record<string, SourceFile>>;
  /** Parameters that came with the body. */
  given: Given;
}

/** Builds the endpoint of an operation. */
export function sourceOperation<N extends TaskName, P>(operation: SourceOperation<N, P>): Endpoint {
  const declaration = z.strictObject({ ...sourceParams.shape, ...operation.params.shape });
  const decoder = createDecoder(declaration);
  const companionNames = Object.keys(operation.companions ?? {}) as CompanionName[];

  async function handle(ctx: Context, services: Services, caller: Caller): Promise<void> {
    const exchange = { ctx, services, caller, signal: clientSignal(ctx.res), room: services.uploads.open() };
    try {
      // Before the body: a typing error should not cost its sender an upload.
      const asked = decoder.fromText(queryPairs(ctx.querystring));
      const { account, key } = caller;
      if (typeof operation.cost !== 'function') await admit(exchange, operation.cost);
      const { image, companions, given } = await readSource(exchange, companionNames, decoder);
      const params = decoder.complete(given, asked) as P & SourceParams;
      operation.check?.(params);
      for (const name of companionNames)
        if (companions[name] && isProFeature(name)) services.plans.requirePro(account, name);
      const cost = typeof operation.cost === 'function' ? operation.cost(params) : operation.cost;
      if (typeof operation.cost === 'function') requireScopeFor(key, cost);

      const sourceName = params.filename ?? image.filename;
      const source = { data: image.data, ...(sourceName === undefined ? {} : { filename: sourceName }) };
      const meter = quotaMeter(key, cost);
      const credit = await services.ledger.reserve(caller, operation.task, cost);
      try {
        const input = operation.toInput(source, params, companions, services.plans.of(account));
        const { bytes, ...finished } = await run(exchange, operation, input);
        await operation.answer(exchange, { ...finished, sourceName, meter, testMode: key.mode === 'test' }, params);
        exchange.signal.throwIfAborted();
        // The answer is complete but for its way to the client: from here on it has been delivered.
        await credit.charge({ bytesIn: ctx.state.record.bytesIn ?? 0, bytesOut: bytes });
      } catch (error) {
        // Whatever keeps it from being noted, the first failure is the one to tell.
        await credit.release(ctx.state.record.bytesIn ?? 0).catch(() => {});
        throw error;
      }
      ctx.set('X-Quota-Meter', meter);
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
    documentation: operation.document(declaration),
    handle,
  };
}

/** Refuses before the body is received what would be refused after it. */
async function admit({ services, caller }: Exchange, cost: Cost): Promise<void> {
  requireScopeFor(caller.key, cost);
  await services.ledger.check(caller, cost);
}

function requireScopeFor(key: Key, { ai }: Cost): void {
  if (ai > 0) requireScope(key, 'ai');
}

/** Runs the task and notes where the time went. */
async function run<N extends TaskName, P>(
  { ctx, services, room, signal }: Exchange,
  { task, lane, summarise }: SourceOperation<N, P>,
  input: TaskInput<N>,
): Promise<{ result: TaskResult<N>; durationMs: number; bytes: number }> {
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
  const result = await running;
  const { phases, bytes, ...facts } = summarise(result);
  Object.assign(record, facts);
  Object.assign(record.phases, phases);
  return { result, bytes, durationMs: performance.now() - startedAt };
}

/** Reads the body and, when it holds an address, what is there. */
async function readSource(
  exchange: Exchange,
  companionNames: readonly string[],
  decoder: Decoder<unknown>,
): Promise<Source> {
  const { ctx, services, caller, room } = exchange;
  const fileBytes = services.plans.fileLimitBytes(caller.account, caller.key);
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
