import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { FORMATS, type FormatId, OUTPUT_FORMATS } from '../../codecs/formats/registry.ts';
import { ANSWER_HEADERS } from '../http/headers.ts';
import { MAX_URL_LENGTH } from '../http/web-address.ts';
import { deliveredResult, storedResult } from '../results/stored-result.ts';

export interface DescribedImageOperation {
  summary: string;
  description: string;
  /** Further output formats, which cannot be requested. */
  kept?: readonly FormatId[] | undefined;
  /** All query parameters. */
  params: z.ZodObject;
  /** Further image parts of a multipart body, with their descriptions. */
  companions?: Partial<Record<string, string>> | undefined;
}

/** Raw bytes in OpenAPI 3.1: a schema without a type. */
const BYTES = {};
const part = (description = '') => ({
  type: 'string' as const,
  contentMediaType: 'application/octet-stream',
  description,
});

/** Documents an operation from one image to one image. */
export function imageOperationDocumentation(operation: DescribedImageOperation): ZodOpenApiOperationObject {
  const { 'Retry-After': _, ...headers } = ANSWER_HEADERS;
  return {
    ...sourceOperationDocumentation(operation),
    responses: {
      '200': {
        description: 'The image; with output=json a stored result; with deliver_to word of the delivery.',
        headers: z.object(headers),
        content: {
          ...Object.fromEntries(
            [...OUTPUT_FORMATS, ...(operation.kept ?? [])].map((id) => [
              FORMATS[id].contentTypes[0],
              { schema: BYTES },
            ]),
          ),
          'application/json': { schema: z.union([storedResult, deliveredResult]) },
        },
      },
    },
  };
}

/** Documents any operation that takes one image, except for its responses. */
export function sourceOperationDocumentation(
  operation: DescribedImageOperation,
): Omit<ZodOpenApiOperationObject, 'responses'> {
  return {
    summary: operation.summary,
    description: operation.description,
    tags: ['Images'],
    requestParams: { query: operation.params },
    requestBody: {
      required: true,
      description:
        'The image: as raw bytes of any content type, as the part `image` of a form, or by its address. In a form and beside `url` the query parameters are accepted too; the query wins.',
      content: {
        'application/octet-stream': { schema: BYTES },
        'image/*': { schema: BYTES },
        'multipart/form-data': {
          schema: {
            type: 'object',
            required: ['image'],
            properties: {
              image: part('The image.'),
              ...Object.fromEntries(
                Object.entries(operation.companions ?? {}).map(([name, description]) => [name, part(description)]),
              ),
            },
          },
        },
        'application/json': {
          schema: operation.params.extend({
            url: z.string().meta({
              format: 'uri',
              maxLength: MAX_URL_LENGTH,
              description: 'Address of the image.',
              examples: ['https://example.com/photo.jpg'],
            }),
          }),
        },
      },
    },
  };
}
