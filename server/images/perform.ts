/** Runs an operation on an image for a request over REST or MCP: admission, credits, the task. */
import type { ErrorCode } from '../../base/failure.ts';
import { type AuxiliaryImages, meterOf } from '../../engine/operations/definition.ts';
import type { SourceParams } from '../../engine/operations/parameters.ts';
import { type Operation, operationInput } from '../../engine/operations/registry.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import type { Key } from '../../storage/records/keys.ts';
import { COST_OF_METER, type Cost, quotaMeter } from '../account/credits.ts';
import { requireScope } from '../account/keys.ts';
import { isProFeature } from '../account/plans.ts';
import type { QuotaMeter } from '../http/headers.ts';
import { type RequestWork, recordResult, runTask, withReservation } from './request-context.ts';
import type { FinishedTask, OperationResponse } from './response.ts';

/** Every operation is one that a client waits for. */
const LANE = 'interactive';

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

/**
 * Checks scope and quota before the image is received, if the cost is known.
 * @param params undefined if the body may contain more of them
 */
export async function checkAdmission(
  { services, caller }: RequestWork,
  operation: Pick<Operation, 'meter'>,
  params: object | undefined,
): Promise<void> {
  if (typeof operation.meter === 'function' && !params) return;
  const cost = COST_OF_METER[meterOf(operation, params as Record<string, unknown>)];
  requireScopeFor(caller.key, cost);
  await services.ledger.check(caller, cost);
}

/** The images and parameters of a request. Each parameter has been checked by itself. */
interface ReceivedInput {
  image: SourceFile;
  auxiliaryImages: AuxiliaryImages;
  params: SourceParams;
}

/**
 * Runs an operation and charges it when the response is ready. A failed or cancelled operation costs nothing.
 * @param answer prepares the response, before it is sent to the client
 * @returns the quota that the request was counted against
 */
export async function perform(
  operation: Operation,
  work: RequestWork,
  { image, auxiliaryImages, params }: ReceivedInput,
  { summarise }: Pick<OperationResponse, 'summarise'>,
  answer: (finished: FinishedTask) => Promise<void> | void,
): Promise<QuotaMeter> {
  const { services, caller } = work;
  const { account, key } = caller;
  operation.check?.(params);
  for (const [name, file] of Object.entries(auxiliaryImages))
    if (file && isProFeature(name)) services.plans.requirePro(account, name);
  const cost = COST_OF_METER[meterOf(operation, params)];
  requireScopeFor(key, cost);

  const sourceName = params.filename ?? image.filename;
  const source = { data: image.data, ...(sourceName === undefined ? {} : { filename: sourceName }) };
  const meter = quotaMeter(key, cost);
  const credit = await services.ledger.reserve(caller, operation.name, cost);
  await withReservation(work, credit, async () => {
    const input = operationInput(operation, source, params, auxiliaryImages, services.plans.of(account));
    const finished = await runTask(work, operation.name, input, LANE);
    const { bytes, ...summary } = summarise(finished.result);
    recordResult(work, summary);
    await answer({ ...finished, sourceName, meter, testMode: key.mode === 'test' });
    return bytes;
  });
  return meter;
}

function requireScopeFor(key: Key, { ai }: Cost): void {
  if (ai > 0) requireScope(key, 'ai');
}
