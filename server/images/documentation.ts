import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { FORMATS, type FormatId, OUTPUT_FORMATS } from '../../codecs/formats/registry.ts';
import { isProFeature } from '../account/plans.ts';
import { ANSWER_HEADERS } from '../http/headers.ts';
import { MAX_URL_LENGTH } from '../http/web-address.ts';
import { deliveredResult, storedResult } from '../results/stored-result.ts';

export interface DescribedOperation {
  summary: string;
  description: string;
  /** All query parameters. */
  params: z.ZodObject;
  /** Further image parts of a multipart body, with their descriptions. */
  auxiliaryImages?: Readonly<Record<string, string>>;
}

/** Raw bytes in OpenAPI 3.1: content without a schema. */
const BYTES = {};
const part = (description = '') => ({
  type: 'string' as const,
  contentMediaType: 'application/octet-stream',
  description,
});

/** Documents the response of an operation that returns one image. */
export function imageResponseDocumentation(kept: readonly FormatId[] = []): ZodOpenApiResponseObject {
  const { 'Retry-After': _, ...headers } = ANSWER_HEADERS;
  return {
    description: 'The image; with output=json a stored result; with deliver_to word of the delivery.',
    headers: z.object(headers),
    content: {
      ...Object.fromEntries([...OUTPUT_FORMATS, ...kept].map((id) => [FORMATS[id].contentTypes[0], BYTES])),
      'application/json': { schema: z.union([storedResult, deliveredResult]) },
    },
  };
}

/** Marks images that only some plans may send. */
const auxiliaryImageText = (name: string, description: string): string =>
  isProFeature(name) ? description.replace(/[.]$/, ' (Pro plan).') : description;

/** Documents any operation that takes one image, except for its responses. */
export function sourceOperationDocumentation(
  operation: DescribedOperation,
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
        'application/octet-stream': BYTES,
        'image/*': BYTES,
        'multipart/form-data': {
          schema: {
            type: 'object',
            required: ['image'],
            properties: {
              image: part('The image.'),
              ...Object.fromEntries(
                Object.entries(operation.auxiliaryImages ?? {}).map(([name, description]) => [
                  name,
                  part(auxiliaryImageText(name, description)),
                ]),
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
