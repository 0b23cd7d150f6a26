/**
 * Creates the endpoint of an operation that takes one image: reads the image and the parameters, and runs the task. The
 * operation itself writes the response.
 */

import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { ErrorCode } from '../../base/failure.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { type SourceParams, sourceParams } from '../../engine/operations/parameters.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import type { TaskInput, TaskName, TaskResult } from '../../engine/task.ts';
import type { Key } from '../../storage/records/keys.ts';
import { type Cost, quotaMeter } from '../account/credits.ts';
import { requireScope } from '../account/keys.ts';
import { isProFeature } from '../account/plans.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { QuotaMeter } from '../http/headers.ts';
import { queryPairs } from '../http/query.ts';
import type { Allowance, AuxiliaryImageName, AuxiliaryImages, OperationDeclaration } from './declaration.ts';
import {
  type RequestContext,
  type RequestWork,
  recordResult,
  runTask,
  type Summary,
  withRequestContext,
  withReservation,
} from './request-context.ts';
import type { ImageServices } from './services.ts';
import { readSource } from './source.ts';

/** @typeParam N task; P its own parameters */
export interface SourceOperation<N extends TaskName, P>
  extends Pick<OperationDeclaration<N, z.ZodObject>, 'task' | 'path' | 'companions' | 'errors' | 'lane'> {
  /** Declares P. The parameters of the source are added. */
  params: z.ZodObject;
  /** Checks rules that involve several parameters. */
  check?(params: P): void;
  /** Cost of one request. An operation that costs AI credits needs the scope `ai`. */
  cost: Cost | ((params: P) => Cost);
  /** @param declaration all its parameters */
  document(declaration: z.ZodObject): ZodOpenApiOperationObject;
  /** @param allowance limits of the caller's plan */
  toInput(image: SourceFile, params: P & SourceParams, companions: AuxiliaryImages, allowance: Allowance): TaskInput<N>;
  /** Returns the log data of the result, and the bytes of the image produced: 0 if the response is not an image. */
  summarise(result: TaskResult<N>): Summary & { bytes: number };
  answer(exchange: RequestContext, finished: FinishedTask<N>, params: P): Promise<void> | void;
}

export interface FinishedTask<N extends TaskName> {
  result: TaskResult<N>;
  durationMs: number;
  /** Name of the source, if it has one. */
  sourceName: string | undefined;
  /** The quota that the request counts against. */
  meter: QuotaMeter;
  /** Whether the request used a test key. */
  testMode: boolean;
}

/** Errors of every operation that takes an image. */
export const SOURCE_ERRORS: readonly ErrorCode[] = [
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

/** Creates the endpoint of an operation. */
export function sourceOperation<N extends TaskName, P>(operation: SourceOperation<N, P>): Endpoint<ImageServices> {
  const declaration = z.strictObject({ ...sourceParams.shape, ...operation.params.shape });
  const decoder = createDecoder(declaration);
  const companionNames = Object.keys(operation.companions ?? {}) as AuxiliaryImageName[];

  async function handle(ctx: Context, services: ImageServices, caller: Caller): Promise<void> {
    await withRequestContext(ctx, services, caller, async (exchange) => {
      // Checked before the body is read, so that a typing error does not cost the client an upload.
      const asked = decoder.fromText(queryPairs(ctx.querystring));
      await checkAdmission(exchange, operation);
      const { image, companions, given } = await readSource(exchange, companionNames, decoder);
      const params = decoder.complete(given, asked) as P & SourceParams;
      const meter = await perform(operation, exchange, { image, companions, params }, (finished) =>
        operation.answer(exchange, finished, params),
      );
      ctx.set('X-Quota-Meter', meter);
    });
  }

  return {
    method: 'post',
    path: operation.path,
    operation: operation.task,
    access: 'key',
    errors: [...SOURCE_ERRORS, ...operation.errors],
    documentation: operation.document(declaration),
    handle,
  };
}

/** Checks scope and quota before the image is received, if the cost does not depend on the parameters. */
export async function checkAdmission<P>(
  { services, caller }: RequestWork,
  { cost }: { cost: Cost | ((params: P) => Cost) },
): Promise<void> {
  if (typeof cost === 'function') return;
  requireScopeFor(caller.key, cost);
  await services.ledger.check(caller, cost);
}

/** The parts of an operation that do not depend on the protocol of the request. */
type RunnableOperation<N extends TaskName, P> = Pick<
  SourceOperation<N, P>,
  'task' | 'lane' | 'cost' | 'check' | 'toInput' | 'summarise'
>;

/** The images and parameters of a request. Each parameter has been checked by itself. */
interface ReceivedInput<P> {
  image: SourceFile;
  companions: AuxiliaryImages;
  params: P & SourceParams;
}

/**
 * Runs an operation and charges it when the response is ready. A failed or cancelled operation costs nothing.
 * @param answer prepares the response, before it is sent to the client
 * @returns the quota that the request was counted against
 */
export async function perform<N extends TaskName, P>(
  operation: RunnableOperation<N, P>,
  work: RequestWork,
  { image, companions, params }: ReceivedInput<P>,
  answer: (finished: FinishedTask<N>) => Promise<void> | void,
): Promise<QuotaMeter> {
  const { services, caller } = work;
  const { account, key } = caller;
  operation.check?.(params);
  for (const [name, file] of Object.entries(companions))
    if (file && isProFeature(name)) services.plans.requirePro(account, name);
  const cost = typeof operation.cost === 'function' ? operation.cost(params) : operation.cost;
  requireScopeFor(key, cost);

  const sourceName = params.filename ?? image.filename;
  const source = { data: image.data, ...(sourceName === undefined ? {} : { filename: sourceName }) };
  const meter = quotaMeter(key, cost);
  const credit = await services.ledger.reserve(caller, operation.task, cost);
  await withReservation(work, credit, async () => {
    const input = operation.toInput(source, params, companions, services.plans.of(account));
    const finished = await runTask(work, operation.task, input, operation.lane);
    const { bytes, ...summary } = operation.summarise(finished.result);
    recordResult(work, summary);
    await answer({ ...finished, sourceName, meter, testMode: key.mode === 'test' });
    return bytes;
  });
  return meter;
}

function requireScopeFor(key: Key, { ai }: Cost): void {
  if (ai > 0) requireScope(key, 'ai');
}
