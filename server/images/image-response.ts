/** The response of an operation that returns one image. The result can be sent, stored or delivered. */
import type { ImageOutput } from '../../engine/operations/definition.ts';
import { fieldValues, type Operation } from '../../engine/operations/registry.ts';
import type { ImageResult } from '../../engine/result.ts';
import { type DeliveryParams, deliveryParams, sendImageResult } from '../results/output.ts';
import { imageResponseDocumentation } from './documentation.ts';
import type { OperationResponse } from './response.ts';

/** Returns the log data of an image that was produced. */
export const summariseImage = ({ source, data, outcome, phases }: ImageResult) => ({
  pixels: source.width * source.height,
  bytes: data.byteLength,
  outcome,
  phases,
});

export function imageResponse(
  operation: Operation,
  { kept }: ImageOutput<ImageResult>,
): OperationResponse<ImageResult, DeliveryParams> {
  return {
    params: deliveryParams,
    errors: ['conflicting_parameters', 'unsupported_output', 'delivery_failed', 'storage_full'],
    documentation: imageResponseDocumentation(kept),
    summarise: summariseImage,
    async answer({ ctx, caller, services, signal, room }, finished, delivery) {
      const { result } = finished;
      // A small source can have a large result. Clients that do not read their responses would accumulate them.
      room.reserve(result.data.byteLength);
      const facts = fieldValues(operation, result);
      await sendImageResult(ctx, caller.account.id, { ...finished, facts }, delivery, services, signal);
    },
  };
}
