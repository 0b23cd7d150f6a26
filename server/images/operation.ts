/**
 * Creates the endpoint of an operation that takes one image and
 * returns one. The result can be sent, stored or delivered.
 */
import type { z } from 'zod';
import type { ErrorCode } from '../../base/failure.ts';
import type { ImageResult } from '../../engine/result.ts';
import type { TaskName, TaskResult } from '../../engine/task.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { type DeliveryParams, deliveryParams, sendImageResult } from '../results/output.ts';
import type { Facts } from '../results/stored-result.ts';
import type { OperationDeclaration } from './declaration.ts';
import { imageOperationDocumentation } from './documentation.ts';
import type { ImageServices } from './services.ts';
import { sourceOperation } from './source-operation.ts';

/** The tasks whose result is one image. */
export type ImageTask = { [N in TaskName]: TaskResult<N> extends ImageResult ? N : never }[TaskName];

/** An operation that returns an image. The delivery parameters are added to its parameters. */
export interface ImageOperation<N extends ImageTask, P extends z.ZodObject> extends OperationDeclaration<N, P> {
  /** Returns the fields of the result that only this operation has. */
  facts?(result: TaskResult<N>): Facts;
}

const ERRORS: readonly ErrorCode[] = [
  'conflicting_parameters',
  'unsupported_output',
  'delivery_failed',
  'storage_full',
];

/** Returns the log data of an image that was produced. */
export function summariseImage({ source, data, outcome, phases }: ImageResult) {
  return { pixels: source.width * source.height, bytes: data.byteLength, outcome, phases };
}

/** Creates the endpoint of an operation. */
export function imageOperation<N extends ImageTask, P extends z.ZodObject>(
  operation: ImageOperation<N, P>,
): Endpoint<ImageServices> {
  const { task, path, kept, companions, errors, lane, cost, summary, description } = operation;
  type Params = z.output<P> & DeliveryParams;
  // Remove the delivery parameters, which the worker does not know.
  const own = <A extends Params>({ output: _output, deliver_to: _address, ...params }: A) => params as unknown as A;
  return sourceOperation<N, Params>({
    task,
    path,
    companions,
    lane,
    cost: typeof cost === 'function' ? (params) => cost(own(params)) : cost,
    params: operation.params.extend(deliveryParams.shape),
    errors: [...ERRORS, ...errors],
    check: (params) => operation.check?.(own(params)),
    document: (params) => imageOperationDocumentation({ summary, description, kept, companions, params }),
    toInput: (image, params, files, allowance) => operation.toInput(image, own(params), files, allowance),
    summarise: summariseImage,
    async answer({ ctx, caller, services, signal, room }, finished, { output, deliver_to }) {
      const result: ImageResult = finished.result;
      // A small source can have a large result. Clients that do not read their responses would accumulate them.
      room.reserve(result.data.byteLength);
      const facts = operation.facts?.(finished.result) ?? {};
      await sendImageResult(
        ctx,
        caller.account.id,
        { ...finished, result, facts },
        { output, deliver_to },
        services,
        signal,
      );
    },
  });
}
