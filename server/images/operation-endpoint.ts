/** Creates the endpoint of an operation on one image: reads the image and the parameters, runs the task, responds. */
import { z } from 'zod';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { mayUseAi } from '../../engine/operations/definition.ts';
import { type SourceParams, sourceParams } from '../../engine/operations/parameters.ts';
import type { Operation } from '../../engine/operations/registry.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { queryPairs } from '../http/query.ts';
import { sourceOperationDocumentation } from './documentation.ts';
import { imageResponse } from './image-response.ts';
import { checkAdmission, perform, SOURCE_ERRORS } from './perform.ts';
import { recordResponse } from './record-response.ts';
import { withRequestContext } from './request-context.ts';
import type { OperationResponse } from './response.ts';
import type { ImageServices } from './services.ts';
import { readSource } from './source.ts';
import { zipResponse } from './zip-response.ts';

export const operationPath = ({ name }: Pick<Operation, 'name'>): string => `/api/v1/${name}`;

function responseOf(operation: Operation): OperationResponse {
  const { output } = operation;
  switch (output.kind) {
    case 'image':
      return imageResponse(operation, output);
    case 'zip':
      return zipResponse(output);
    case 'record':
      return recordResponse(output);
  }
}

export function operationEndpoint(operation: Operation): Endpoint<ImageServices> {
  const { name, params, errors, auxiliaryImages } = operation;
  const response = responseOf(operation);
  const declaration = z.strictObject({ ...sourceParams.shape, ...params.shape, ...response.params.shape });
  const decoder = createDecoder(declaration);
  const auxiliaryNames = Object.keys(auxiliaryImages ?? {});

  async function handle(ctx: Context, services: ImageServices, caller: Caller): Promise<void> {
    await withRequestContext(ctx, services, caller, async (exchange) => {
      // Checked before the body is read, so that a typing error does not cost the client an upload.
      const asked = decoder.fromText(queryPairs(ctx.querystring));
      const isRaw = !ctx.is('multipart/form-data', 'application/json');
      await checkAdmission(exchange, operation, isRaw ? decoder.complete(asked) : undefined);
      const { image, companions, given } = await readSource(exchange, auxiliaryNames, decoder);
      const { own, delivery } = split(decoder.complete(given, asked), response);
      const input = { image, auxiliaryImages: companions, params: own as SourceParams };
      const meter = await perform(operation, exchange, input, response, (finished) =>
        response.answer(exchange, finished, delivery),
      );
      ctx.set('X-Quota-Meter', meter);
    });
  }

  return {
    method: 'post',
    path: operationPath(operation),
    operation: name,
    access: 'key',
    errors: [
      ...SOURCE_ERRORS,
      ...response.errors,
      ...(mayUseAi(operation) ? (['scope_required'] as const) : []),
      ...errors,
    ],
    ...sourceOperationDocumentation({ ...operation, params: declaration }),
    responses: { '200': response.documentation },
    handle,
  };
}

/** Separates the parameters of the response, which the worker does not know. */
function split(params: object, { params: { shape } }: OperationResponse): { own: object; delivery: object } {
  const all = Object.entries(params);
  return {
    own: Object.fromEntries(all.filter(([name]) => !(name in shape))),
    delivery: Object.fromEntries(all.filter(([name]) => name in shape)),
  };
}
